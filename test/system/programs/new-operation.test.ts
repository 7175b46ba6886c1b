import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { installGateTools } from "../../gates/install.ts";
import { copyCheckout } from "../../support/service/checkout-copy.ts";
import { makeDirectory, runTool } from "../../support/service/local-machine.ts";

const copy = copyCheckout();
const directory = makeDirectory();
afterAll(() => {
  copy.remove();
  directory.remove();
});

function runInCopy(program: string, ...parameters: string[]) {
  const file = join(program === "tsc" ? installGateTools() : join(copy.path, "node_modules"), ".bin", program);
  const { status, stdout, stderr } = spawnSync(file, parameters, { cwd: copy.path, encoding: "utf8" });
  return { status, printed: stdout + stderr };
}

test("operations that are added are formatted as the rest, compile, and have texts of their own", async () => {
  const tool = join(copy.path, "infra/tools/new.ts");
  for (const added of [
    "show-shift GET /api/v1/jobs/{id}/shifts/{shift}",
    "create-shifts POST /api/v1/jobs/{id}/shifts",
  ]) {
    const { code } = await runTool(tool, [...added.split(" "), "--area", "jobs"], directory.path);
    expect(code).toBe(0);
  }
  const folders = ["shared", "functions", "infra", "events", "test"];
  expect(runInCopy("biome", "ci", "--error-on-warnings", ...folders)).toMatchObject({ status: 0 });
  const include = [
    "test/functions/jobs/*-shift*.test.ts",
    "shared/contract/texts/texts.ts",
    "infra/functions/functions.ts",
  ];
  const setUp = ["test/support/service/global-setup.ts"];
  const gate = "^every (operation|parameter|field|header|body) |^every code of refusals|^no text repeats";
  const texts = runInCopy("vitest", "run", "test/openapi/texts.test.ts", "-t", gate);
  expect(texts, texts.printed).toMatchObject({ status: 0, printed: expect.stringContaining("7 passed") });
  const config = JSON.stringify({ extends: "./tsconfig.json", include: [...include, ...setUp] });
  writeFileSync(join(copy.path, "tsconfig.new.json"), config);
  expect(runInCopy("tsc", "--project", "tsconfig.new.json")).toEqual({ status: 0, printed: "" });
}, 120_000);
