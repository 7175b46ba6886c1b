import { expect, test } from "vitest";
import { runTool } from "../../support/service/local-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";

test("the first use of a folder without data loads the demo data, answers and ends", async ({ onTestFinished }) => {
  const empty = await makeMachineDirectory();
  onTestFinished(empty.remove);
  const { code, stdout, stderr } = await runTool("infra/tools/invoke.ts", ["list-invoices"], empty.path);
  expect(stderr).toContain("loading the demo data");
  expect(stdout).toMatch(/^200 OK/);
  expect(code).toBe(0);
}, 120_000);
