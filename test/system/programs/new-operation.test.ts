import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { installGateTools } from "../../gates/install.ts";
import { keptTable } from "../../set-up/table-definition.ts";
import { copyCheckout } from "../../support/service/checkout-copy.ts";
import { makeDirectory, runTool } from "../../support/service/local-machine.ts";

const copy = copyCheckout();
const directory = makeDirectory();
afterAll(() => {
  copy.remove();
  directory.remove();
});

// Neither the drafts nor the tests change the tools of the gates and the table.
mkdirSync(join(copy.path, ".local/test-made"), { recursive: true });
symlinkSync(join(installGateTools(), ".."), join(copy.path, ".local/gates"));
cpSync(join(root, keptTable), join(copy.path, keptTable));

function runInCopy(program: string, ...parameters: string[]) {
  const file = join(program === "vitest" ? join(copy.path, "node_modules") : installGateTools(), ".bin", program);
  const { status, stdout, stderr } = spawnSync(file, parameters, { cwd: copy.path, encoding: "utf8" });
  return { status, printed: stdout + stderr };
}

const drafts = [
  "show-shift GET /api/v1/jobs/{id}/shifts/{shift} --area jobs",
  "create-shifts POST /api/v1/jobs/{id}/shifts --area jobs",
  "list-gates GET /api/v1/sites/{id}/gates --new-area sites",
  "list-sites GET /api/v1/sites --area sites",
];

/** Tests that hold rules of every operation. */
const rules = [
  "test/openapi/texts.test.ts",
  "test/system/conventions/operations.test.ts",
  "test/system/attacks/fields.test.ts",
  "test/system/attacks/queries.test.ts",
];

/** All but those that ask for what only the author knows, and for the answer that `npm run docs -- --examples` records. */
const wanted =
  "^(?!every row says in words of its own|every answer of the document|no text is a draft|422: show-shift names shift)";

/** The drafts, and the files that name operations and areas. */
const typed = [
  "test/functions/jobs/*",
  "test/functions/sites/*",
  "test/db/history/authors.test.ts",
  "test/system/faults/lost-answers.test.ts",
  "test/set-up/global-setup.ts",
  "infra/app.ts",
];

test("operations that are added, also in an area that is new, compile and keep the rules without an edit", async () => {
  const tool = join(copy.path, "infra/tools/new.ts");
  const written = new Set<string>();
  for (const draft of drafts) {
    const { code, stdout, stderr } = await runTool(tool, draft.split(" "), directory.path);
    expect(code, stderr).toBe(0);
    const [printed = ""] = stdout.split("\n\n");
    for (const file of printed.split("\n")) written.add(file);
  }
  expect(runInCopy("biome", "ci", "--error-on-warnings", ...written)).toMatchObject({ status: 0 });
  const config = JSON.stringify({ extends: "./tsconfig.json", include: [...typed, ...rules] });
  writeFileSync(join(copy.path, "tsconfig.new.json"), config);
  expect(runInCopy("tsc", "--project", "tsconfig.new.json")).toEqual({ status: 0, printed: "" });
  const tested = runInCopy("vitest", "run", ...rules, "-t", wanted);
  expect(tested.status, tested.printed).toBe(0);
}, 480_000);
