import { expect, test } from "vitest";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { runTool } from "../../support/service/local-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";

const invoke = "infra/tools/invoke.ts";

test("the first use of a folder without data loads the demo data, answers and ends", async ({ onTestFinished }) => {
  const empty = await makeMachineDirectory();
  onTestFinished(empty.remove);
  const { code, stdout, stderr } = await runTool(invoke, ["list-invoices"], empty.path);
  expect(stderr).toContain("loading the demo data");
  expect(stdout).toMatch(/^200 OK/);
  expect(code).toBe(0);
}, 120_000);

test("what a handler queues is delivered before the command ends", async ({ onTestFinished }) => {
  const directory = await makeDemoDirectory();
  onTestFinished(directory.remove);
  const asked = await runTool(invoke, ["request-password-reset"], directory.path);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining("200 OK") });
  const confirmed = await runTool(invoke, ["confirm-login"], directory.path);
  expect(confirmed).toMatchObject({ code: 0, stdout: expect.stringContaining("reset_password_token") });
}, 240_000);
