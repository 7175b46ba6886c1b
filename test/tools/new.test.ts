import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addOperation } from "../../infra/tools/new.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { expectMistake, runProgram, runTool } from "./machine.ts";

const checkout = join(import.meta.dirname, "../..");
const sources = ["functions/jobs/*", "events/{accounts/get-profile,jobs/*}.json", "shared/contract/**/*.ts"];
let root: string;

beforeAll(() => {
  root = newFolder();
  for (const file of globSync([...sources, "infra/functions/*.ts"], { cwd: checkout })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(checkout, file), join(root, file));
  }
});

/** Without the formatter, which only gates install: the gate of programs holds what it makes. */
const asDrafted = (_: string, text: string) => text;
const run = (...parameters: string[]) => runTool(async () => addOperation(parameters, root, asDrafted));

const files = () => globSync("{functions,events,shared,infra,test}/**/*.*", { cwd: root }).sort();
/** The lines of an operation in the contract of jobs. */
const entryOf = (identifier: string) => {
  const [, from = ""] = textOf("shared/contract/jobs.ts").split(`export const ${identifier} = operation({\n`);
  return from
    .slice(0, from.indexOf("\n});"))
    .split("\n")
    .map((line) => line.trim());
};
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const snapshot = () => files().map((file) => [file, textOf(file)]);

describe("an operation that is added", () => {
  let before: string[];

  beforeAll(async () => {
    before = files();
    const shifts = "/api/v1/jobs/{id}/shifts";
    expect(await run("show-shift", "GET", `${shifts}/{shift}`, "--area", "jobs")).toMatchObject({ code: 0 });
    expect(await run("create-shifts", "POST", shifts, "--area", "jobs")).toMatchObject({ code: 0 });
  });

  test("has its six places, and no others", () => {
    const added = files().filter((file) => !before.includes(file));
    const own = (name: string) => [`events/jobs/${name}.json`, `functions/jobs/${name}.ts`];
    const names = ["create-shifts", "show-shift"];
    expect(added).toEqual(names.flatMap((name) => [...own(name), `test/functions/jobs/${name}.test.ts`]).sort());
    for (const name of names) {
      expect(textOf("shared/contract/jobs.ts")).toContain(`name: "${name}"`);
      expect(textOf("infra/functions/functions.ts")).toContain(`"${name}": {`);
    }
    const edited = ["shared/contract/jobs.ts", "shared/contract/texts/jobs.ts", "infra/functions/functions.ts"];
    const kept = before.filter((file) => !edited.includes(file));
    for (const file of kept) expect(textOf(file), file).toBe(readFileSync(join(checkout, file), "utf8"));
  });

  test("has a contract that takes what its path and method say, and lets in admins alone until it says otherwise", () => {
    expect(entryOf("createShifts")).toEqual([
      'name: "create-shifts",',
      'summary: "Draft of createShifts",',
      'method: "POST",',
      'path: "/api/v1/jobs/{id}/shifts",',
      'access: ["admin"],',
      "needsSession: true,",
      "companyBound: true,",
      "parameters: v.object({ id: recordId }),",
      'body: { object: "shifts", fields: v.object({ id }) },',
      "answer: v.object({}),",
      'refusals: ["record_not_found"],',
    ]);
    expect(textOf("functions/jobs/create-shifts.ts")).toContain("export const handler = inSession(createShifts,");
    const [, row = ""] = textOf("infra/functions/functions.ts").split('"create-shifts": {');
    expect(row).toContain('access: { admin: "all" }');
  });

  test("has drafts of its texts, with what to write there", () => {
    const [, imported] = /import \{([^}]*)\} from "..\/jobs.ts";/.exec(textOf("shared/contract/texts/jobs.ts")) ?? [];
    for (const name of ["listJobs", "showShift", "createShifts"]) expect(imported?.split(name), name).toHaveLength(2);
    const [, first = "", second = ""] = textOf("shared/contract/texts/jobs.ts").split("// A draft: write for");
    expect(first).toMatch(
      /describes\(showShift, \{\n {2}description: .*\n {2}parameters: \{ id: .* shift: .*\n {2}answer: .* answers\."/,
    );
    expect(second).toMatch(
      /describes\(createShifts, \{\n {2}description: .*\n {2}parameters: .*\n {2}body: .*\n {2}answer: .* succeeds\."/,
    );
  });

  test("has a sample event that API Gateway would send", () => {
    const event = JSON.parse(textOf("events/jobs/create-shifts.json"));
    expect(event).toMatchObject({
      routeKey: "POST /api/v1/jobs/{id}/shifts",
      rawPath: "/api/v1/jobs/1/shifts",
      pathParameters: { id: "1" },
      body: '{"shifts":{"id":1}}',
    });
    expect(Number(event.headers["content-length"])).toBe(Buffer.byteLength(event.body));
  });

  test("refuses text that is no id, so that the ids behind it are numbers", () => {
    const absent = "if (id === undefined || shift === undefined) throw recordNotFound();";
    expect(textOf("functions/jobs/show-shift.ts")).toContain(absent);
  });

  test("has a test that says what to fill in", () => {
    const text = textOf("test/functions/jobs/show-shift.test.ts");
    expect(text).toContain('call(handler, showShift, { as: admin, parameters: { id: "1", shift: "1" } })');
    const sent = '{ as: admin, parameters: { id: "1" }, body: { shifts: { id: 1 } } }';
    expect(textOf("test/functions/jobs/create-shifts.test.ts")).toContain(`call(handler, createShifts, ${sent})`);
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

test("an operation in a new area makes the area in the contract, its texts and the list of areas, as the last one", async () => {
  const added = await run("get-depots", "GET", "/api/v1/depots", "--new-area", "depots");
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining("infra/functions/function-row.ts") });
  // Without parameters and a body it has nothing of either.
  expect(textOf("shared/contract/depots.ts")).toBe(`import * as v from "valibot";
import { operation } from "./operation.ts";

/** GET depots. */
export const getDepots = operation({
  name: "get-depots",
  summary: "Draft of getDepots",
  method: "GET",
  path: "/api/v1/depots",
  access: ["admin"],
  companyBound: true,
  answer: v.object({}),
});
`);
  expect(textOf("shared/contract/texts/depots.ts")).toMatch(
    /describes\(getDepots, \{\n {2}description: .*\n {2}answer: /,
  );
  expect(textOf("functions/depots/get-depots.ts")).toContain("authenticated(getDepots, async () => ({}));");
  expect(textOf("test/functions/depots/get-depots.test.ts")).toContain("call(handler, getDepots, { as: admin })");
  const event = JSON.parse(textOf("events/depots/get-depots.json"));
  expect([event.pathParameters, event.body, event.headers["content-type"]]).toEqual([undefined, undefined, undefined]);
  const named = [
    ["infra/functions/function-row.ts", /operationAreas = \[[^\]]*"service",\s+"depots",\s+\]/],
    ["shared/contract/operations.ts", /const areas = \{[^}]*service,\s+depots,\s+\}/],
    ["shared/contract/texts/texts.ts", /\(sessions\),\s+\.\.\.Object\.values\(depots\),\s+\];/],
    ["shared/contract/texts/interface.ts", /service: ".*",\s+depots: "A draft.*",\s+\} as const/],
  ] as const;
  for (const [file, place] of named) expect(textOf(file)).toMatch(place);
});

test("a GET named list-* is a list: a page, and cursors that hold for the parameters of its path", async () => {
  await run("list-night-shifts", "GET", "/api/v1/jobs/{id}/night_shifts", "--area", "jobs");
  expect(entryOf("listNightShifts").slice(6)).toEqual([
    "parameters: v.object({ id: recordId }),",
    "query: v.object(paging),",
    "answer: v.object({}),",
    'list: "night_shifts",',
    'refusals: ["record_not_found"],',
  ]);
  const [, text = ""] = textOf("shared/contract/texts/jobs.ts").split("describes(listNightShifts");
  expect(text).toMatch(/query: \{\},\n {2}answer: \{ .*, fields: \{ night_shifts: \["/);
  const read = "readPage(listNightShifts, { ...query, id }, () => nothingFound)";
  expect(textOf("functions/jobs/list-night-shifts.ts")).toContain(read);
  await run("list-shifts", "GET", "/api/v1/shifts", "--area", "jobs");
  const plain = "authenticated(listShifts, ({ query }) => readPage(listShifts, query, () => nothingFound));";
  expect(textOf("functions/jobs/list-shifts.ts")).toContain(plain);
});

const notSaid = "Say NAME METHOD PATH --area AREA";
const noName = "is no name of an operation";

test.each([
  ["list-jobs GET /api/v1/rota --area jobs", "There is a function list-jobs already."],
  ["send-pushes GET /api/v1/rota --area jobs", "There is a function send-pushes already."],
  ["show-jobs GET /api/v1/jobs --area jobs", "GET /api/v1/jobs is list-jobs already."],
  ["show-it GET /api/v1/jobs/{job} --area jobs", "GET /api/v1/jobs/{id} is get-job already."],
  ["put-it PUT /api/v1/jobs/{job} --area jobs", "Write the path as get-job does: /api/v1/jobs/{id}"],
  ["show-it GET /api/v1/it --area job", 'There is no area "job". Did you mean jobs?'],
  ["show-it GET /api/v1/it --area yards", "--new-area yards makes it."],
  ["show-it GET /api/v1/it --new-area workers", "There is an area workers already."],
  ["show-it GET /api/v1/it --new-area ../x", '"../x" is no name of an area'],
  ["show-it GET /api/v1/it --new-area plan", "There is a file shared/contract/plan.ts already."],
  ["show-it GET /api/v1/it --area jobs --new-area yards", notSaid],
  ["show-it get /api/v1/it --area jobs", 'There is no method "get".'],
  ["ShowIt GET /api/v1/it --area jobs", `"ShowIt" ${noName}`],
  ["../x-y GET /api/v1/it --area jobs", `"../x-y" ${noName}`],
  ["show-it GET /api/v1/its/{id}/parts/{id} --area jobs", "each {name} once"],
  ["show-it GET /jobs/{id} --area jobs", '"/jobs/{id}" is no path of an operation'],
  ["show-it GET /api/v1/it", notSaid],
  ["show-it GET /api/v1/it more --area jobs", notSaid],
])("%s is refused in a sentence, and nothing is written", async (line, message) => {
  const written = snapshot();
  await expectMistake(run(...line.split(" ")), message);
  expect(snapshot()).toEqual(written);
});

test("what cannot be written whole is not written in part", async () => {
  const rows = join(root, "infra/functions/functions.ts");
  const text = readFileSync(rows, "utf8");
  writeFileSync(rows, text.replace("const operationRows", "const otherRows"));
  const written = snapshot();
  await expect(run("show-it", "GET", "/api/v1/it", "--area", "jobs")).rejects.toThrow("has the place");
  expect(snapshot()).toEqual(written);
  writeFileSync(rows, text);
});

test("a wrong call ends with 2; --help ends with 0 and names the areas", async () => {
  const err = "Say NAME METHOD PATH --area AREA (npm run new -- --help)\n";
  expect(await runProgram(() => addOperation(["list-jobs"], root))).toEqual({ code: 2, out: "", err });
  expect(await runProgram(() => addOperation(["--help"], root))).toMatchObject({
    code: 0,
    out: expect.stringContaining("accounts, sessions, "),
  });
});
