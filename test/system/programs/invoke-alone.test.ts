import { afterAll, beforeAll, expect, test } from "vitest";
import type { TemporaryFolder } from "../../../infra/support/temporary-folder.ts";
import { runTool } from "../../support/service/local-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";

let directory: TemporaryFolder;

beforeAll(async () => {
  directory = await makeMachineDirectory();
});
afterAll(() => directory.remove());

const invoke = (name: string) => runTool("infra/tools/invoke.ts", [name], directory.path);

test("the first use of a folder without data loads the demo data, answers and ends", async () => {
  const { code, stdout, stderr } = await invoke("list-invoices");
  expect(stderr).toContain("loading the demo data");
  expect(stdout).toMatch(/^200 OK/);
  expect(code).toBe(0);
}, 120_000);

test.each(["get-openapi", "get-docs"])("%s has the texts that the bundler inserts into it", async (name) => {
  const { code, stdout, stderr } = await invoke(name);
  expect(stdout, stderr).toMatch(/^200 OK/);
  expect(code).toBe(0);
}, 120_000);
