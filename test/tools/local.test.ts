import { expect, test } from "vitest";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { askLocal } from "../../infra/tools/local.ts";
import { runTool } from "./machine.ts";

test.each([
  [[], "Say one of url, pin, reset-token"],
  [["pins"], "Did you mean pin?"],
  [["pin"], "npm run -s local -- pin LOGIN"],
  [["url", "somebody"], "npm run -s local -- url"],
])("local %j is a mistake in the call", async (parameters, message) => {
  const failing = runTool(() => askLocal(parameters, "nowhere"));
  await expect(failing).rejects.toThrow(UsageError);
  await expect(failing).rejects.toThrow(message);
});
