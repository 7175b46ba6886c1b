import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { readDraft } from "../../infra/tools/new/draft.ts";
import { writeAll } from "../../infra/tools/new/write.ts";
import { addOperation } from "../../infra/tools/new.ts";
import { runProgram, runTool } from "./machine.ts";

const checkout = join(import.meta.dirname, "../..");
let root: string;

/** A copy of what an operation consists of. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "workforce-new-"));
  const sources = [
    "{functions,events,shared,infra,test/support,test/functions/jobs}/**/*",
    ".biome.json",
    "tsconfig.json",
  ];
  for (const file of globSync([...sources, "package.json", ".gitignore"], { cwd: checkout, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name).slice(checkout.length);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(checkout, path), join(root, path));
  }
  symlinkSync(join(checkout, "node_modules"), join(root, "node_modules"));
});

afterAll(() => rmSync(root, { recursive: true }));

const run = (...parameters: string[]) => runTool(async () => addOperation(parameters, root));

const files = () => globSync("{functions,events,shared,infra,test}/**/*.*", { cwd: root }).sort();
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const snapshot = () => files().map((file) => [file, textOf(file)]);

describe("an operation that is added", () => {
  let before: string[];

  beforeAll(async () => {
    before = files();
    expect(await run("show-shift", "GET", "/api/v1/jobs/{id}/shifts/{shift}", "--area", "jobs")).toMatchObject({
      code: 0,
    });
    expect(await run("create-shifts", "POST", "/api/v1/jobs/{id}/shifts", "--area", "jobs")).toMatchObject({ code: 0 });
  });

  test("has its six places, and no others", () => {
    const added = files().filter((file) => !before.includes(file));
    expect(added).toEqual(
      ["create-shifts", "show-shift"]
        .flatMap((name) => [
          `events/jobs/${name}.json`,
          `functions/jobs/${name}.ts`,
          `test/functions/jobs/${name}.test.ts`,
        ])
        .sort(),
    );
    for (const name of ["create-shifts", "show-shift"]) {
      expect(textOf("shared/contract/jobs.ts")).toContain(`name: "${name}"`);
      expect(textOf("infra/functions/functions.ts")).toContain(`"${name}": {`);
    }
    const edited = ["shared/contract/jobs.ts", "shared/contract/texts/jobs.ts", "infra/functions/functions.ts"];
    const kept = before.filter((file) => !edited.includes(file));
    for (const file of kept) expect(textOf(file), file).toBe(readFileSync(join(checkout, file), "utf8"));
  });

  test("lets in admins alone until it says otherwise", () => {
    const [, entry = ""] = textOf("shared/contract/jobs.ts").split('name: "create-shifts"');
    expect(entry).toContain('access: ["admin"]');
    const [, row = ""] = textOf("infra/functions/functions.ts").split('"create-shifts": {');
    expect(row).toContain('access: { admin: "all" }');
  });

  test("has drafts of its texts, with what to write there", () => {
    const [, first = "", second = ""] = textOf("shared/contract/texts/jobs.ts").split("// A draft: write for");
    expect(first).toMatch(/describes\(showShift, \{\n {2}description: .*\n {2}parameters: \{\n? *id: .*\n? *shift: /);
    expect(second).toMatch(
      /describes\(createShifts, \{\n {2}description: .*\n {2}parameters: .*\n {2}body: [\s\S]*answer: /,
    );
  });

  test("has a sample event that API Gateway would send", () => {
    const event = JSON.parse(textOf("events/jobs/create-shifts.json"));
    expect(event).toMatchObject({
      routeKey: "POST /api/v1/jobs/{id}/shifts",
      rawPath: "/api/v1/jobs/1/shifts",
      pathParameters: { id: "1" },
      body: '{"shift":{"id":1}}',
    });
    expect(Number(event.headers["content-length"])).toBe(Buffer.byteLength(event.body));
  });

  test("has a test that says what to fill in", () => {
    const text = textOf("test/functions/jobs/show-shift.test.ts");
    expect(text).toContain('parameters: { id: "1", shift: "1" }');
    expect(text).toMatch(/expect\.fail\(`show-shift is a draft; fill in/);
    for (const place of ["shared/contract/jobs.ts", "infra/functions/functions.ts", "npm run docs"]) {
      expect(text).toContain(place);
    }
  });

  test("cannot be added twice: nothing changes", async () => {
    const written = snapshot();
    await expect(run("show-shift", "GET", "/api/v1/jobs/{id}/rota", "--area", "jobs")).rejects.toThrow(
      "There is a file functions/jobs/show-shift.ts already.",
    );
    expect(snapshot()).toEqual(written);
  });
});

test.each([
  [["list-jobs", "GET", "/api/v1/rota", "--area", "jobs"], "There is a function list-jobs already."],
  [["send-pushes", "GET", "/api/v1/rota", "--area", "jobs"], "There is a function send-pushes already."],
  [["show-jobs", "GET", "/api/v1/jobs", "--area", "jobs"], "GET /api/v1/jobs is list-jobs already."],
  [["show-it", "GET", "/api/v1/jobs/{job}", "--area", "jobs"], "GET /api/v1/jobs/{id} is get-job already."],
  [["put-it", "PUT", "/api/v1/jobs/{job}", "--area", "jobs"], "Write the path as get-job does: /api/v1/jobs/{id}"],
  [["show-it", "GET", "/api/v1/it", "--area", "job"], 'There is no area "job". Did you mean jobs?'],
  [["show-it", "GET", "/api/v1/it", "--area", "workers"], 'There is no area "workers".'],
  [["show-it", "get", "/api/v1/it", "--area", "jobs"], 'There is no method "get".'],
  [["ShowIt", "GET", "/api/v1/it", "--area", "jobs"], '"ShowIt" is no name of an operation'],
  [["show", "GET", "/api/v1/it", "--area", "jobs"], '"show" is no name of an operation'],
  [["../x-y", "GET", "/api/v1/it", "--area", "jobs"], '"../x-y" is no name of an operation'],
  [["show-it", "GET", "/jobs/{id}", "--area", "jobs"], '"/jobs/{id}" is no path of an operation'],
  [["show-it", "GET", "/api/v1/it/", "--area", "jobs"], '"/api/v1/it/" is no path of an operation'],
  [["show-it", "GET", "/api/v1/it"], "Say NAME METHOD PATH --area AREA"],
  [["show-it", "GET", "/api/v1/it", "more", "--area", "jobs"], "Say NAME METHOD PATH --area AREA"],
  [
    ["show-something-of-thirty-four-char", "GET", "/api/v1/it", "--area", "jobs"],
    '"show-something-of-thirty-four-char" is too long a name: take at most 33 characters.',
  ],
  [
    ["show-it", "GET", "/api/v1/it/{id}/of/{id}", "--area", "jobs"],
    '"/api/v1/it/{id}/of/{id}" has a placeholder twice: give each a name of its own.',
  ],
  [["show-it", "GET", "/api/v1/it", "--folder", "jobs"], "Unknown option '--folder'"],
])("%j is refused in a sentence, and nothing is written", async (parameters, message) => {
  const written = snapshot();
  await expect(run(...parameters)).rejects.toThrow(message);
  await expect(run(...parameters)).rejects.toThrow(UsageError);
  expect(snapshot()).toEqual(written);
});

test("what cannot be written whole is not written in part", async () => {
  const rows = join(root, "infra/functions/functions.ts");
  const text = readFileSync(rows, "utf8");
  writeFileSync(rows, text.replace("const operationRows", "const otherRows"));
  const written = snapshot();
  await expect(run("show-it", "GET", "/api/v1/it", "--area", "jobs")).rejects.toThrow("has no operationRows");
  expect(snapshot()).toEqual(written);
  writeFileSync(rows, text);
});

test("when a new file cannot be written, those before it are removed", async () => {
  const written = snapshot();
  // The copy has no folder of tests for this area: its test is the third file.
  await expect(run("show-it", "GET", "/api/v1/it", "--area", "finance")).rejects.toThrow(/ENOENT.*show-it\.test\.ts/);
  expect(snapshot()).toEqual(written);
});

test("when a file cannot be edited, those before it are restored; a file that is there is never overwritten", () => {
  const [entries, rows] = ["shared/contract/jobs.ts", "infra/functions/functions.ts"];
  const written = snapshot();
  const added = new Map([["functions/jobs/show-it.ts", "new"]]);
  const write = (texts: Parameters<typeof writeAll>[1]) => () => writeAll(root, texts);
  const edited = new Map([entries, "functions"].map((file) => [file, "edited"]));
  expect(write({ added, edited })).toThrow("EISDIR");
  expect(snapshot()).toEqual(written);
  expect(write({ added: new Map([...added, [rows, "new"]]), edited: new Map() })).toThrow("EEXIST");
  expect(snapshot()).toEqual(written);
});

test.each([
  ["new-class", "class"],
  ["add-addresses", "address"],
  ["create-companies", "company"],
  ["set-status", "status"],
  ["create-shifts", "shift"],
])("the body of %s has the object %s", (name, object) => {
  expect(readDraft([name, "POST", "/api/v1/it"], "jobs").object).toBe(object);
});

test("a wrong call ends with 2; --help ends with 0 and names the areas", async () => {
  const err = "Say NAME METHOD PATH --area AREA (npm run new -- --help)\n";
  expect(await runProgram(() => addOperation(["list-jobs"], root))).toEqual({ code: 2, out: "", err });
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("accounts, sessions, ") });
});
