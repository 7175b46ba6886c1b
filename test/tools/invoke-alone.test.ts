import { expect, test } from "vitest";
import { runTool } from "../support/service/local-machine.ts";
import { makeMachineDirectory } from "../support/service/machine-directory.ts";

const directory = makeMachineDirectory();

test("without a running machine, what a handler queues is delivered before the command ends", async ({
  onTestFinished,
}) => {
  onTestFinished(directory.remove);
  const asked = await runTool("infra/tools/invoke.ts", ["request-password-reset"], directory.path);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining("200 OK") });
  const confirmed = await runTool("infra/tools/invoke.ts", ["confirm-login"], directory.path);
  expect(confirmed).toMatchObject({ code: 0, stdout: expect.stringContaining("reset_password_token") });
}, 240_000);
