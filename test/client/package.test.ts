import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import * as v from "valibot";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonSchema } from "../../infra/document/schemas.ts";
import { root } from "../../infra/support/root.ts";
import { declareClient } from "../../infra/tools/client/declarations.ts";
import { usualName } from "../../infra/tools/client/package.ts";
import { commentOf, typeScriptOf } from "../../infra/tools/client/schema-types.ts";
import { client } from "../../infra/tools/client.ts";
import { bulkUpdateTimesheets, listInvoices } from "../../shared/contract/finance.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import { refusalCodes } from "../../shared/contract/refusals.ts";
import { openApi } from "../support/requests/described-answers.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { runTool } from "../tools/machine.ts";
import { buildClientPackage, type ClientPackage } from "./built-client.ts";

const name = "@acme/workforce";
let built: ClientPackage;
let declarations: string;
beforeAll(async () => {
  built = await buildClientPackage(name);
  declarations = readFileSync(join(built.folder, "index.d.ts"), "utf8");
});

test("the whole entry, minified, has at most 5 KB by gzip -9, and imports nothing", () => {
  expect(built.gzipped).toBeLessThanOrEqual(5 * 1024);
  expect(readFileSync(join(built.folder, "index.js"), "utf8")).not.toMatch(/\bimport\b|\brequire\b/);
});

test("an error prints its name, and with it a line of the entry that people can read", () => {
  const { ProblemError, TimeoutError } = built.module;
  const facts = { status: 422, requestId: undefined, retryAfter: undefined };
  expect(inspect(new ProblemError({ code: "too_long", detail: "Too many." }, facts))).toMatch(
    /^ProblemError: Too many\.\n/,
  );
  expect(inspect(new TimeoutError("No answer"))).toMatch(/^TimeoutError: No answer\n/);
  const lines = readFileSync(join(built.folder, "index.js"), "utf8").split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(500);
});

test("the package has the name that it was built with, no dependency, and in its packed file what apps need", () => {
  const manifest = JSON.parse(readFileSync(join(built.folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name, type: "module", license: "MIT" });
  expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
  const { stdout } = spawnSync("tar", ["-tzf", built.packed], { encoding: "utf8" });
  const files = ["LICENSE", "README.md", "index.d.ts", "index.js", "index.js.map", "package.json"];
  expect(stdout.trim().split("\n").toSorted()).toEqual(files.map((file) => `package/${file}`));
  expect(readFileSync(join(built.folder, "README.md"), "utf8")).toContain(`from "${name}"`);
});

const usage = `import { createClient, memoryStore, ProblemError, type Invoice, type TokenStore } from "${name}";
declare function show(...values: unknown[]): void;
const store: TokenStore = memoryStore();
const client = createClient({ baseUrl: "", store, fetch: (url, init) => fetch(url, init) });
const { user } = await client.signIn({ login: "a", password: "b" });
show(user.first_name.length, user.company?.name);
for await (const page of client.listInvoices({ by_state: ["paid"] }, { signal: new AbortController().signal })) {
  const invoices: readonly Invoice[] = page.invoices;
  show(invoices, page.total, page.next?.());
}
const first = await client.listTimesheets();
const paid = await client.bulkUpdateTimesheets({ timesheet_ids: first.timesheets.map(({ id }) => id), state: "paid" });
show(paid.total, (await client.getProfile()).user.role === "driver");
try {
  await client.getInvoice({ id: 7 });
} catch (error) {
  if (error instanceof ProblemError && error.code === "record_not_found") show(error.errors[0]?.pointer);
}
for (const { params } of (await client.listNotifications()).notifications) {
  show(params.text.length, params.type === "submitted" || params.type === "made_up", params.number ?? params.title);
}
// @ts-expect-error no such state
client.listInvoices({ by_state: ["late"] });
// @ts-expect-error no such parameter
client.listInvoices({ by_stat: ["paid"] });
// @ts-expect-error an id is missing
client.getInvoice({});
// @ts-expect-error no such operation
client.removeInvoice;
// @ts-expect-error no such field
(await client.getInvoice({ id: 7 })).invoice.amount;
const { code, errors } = new ProblemError({}, { status: 1, requestId: "", retryAfter: 0 });
show(code === "of_a_newer_service", errors[0]?.code === "of_a_newer_service");
client.listInvoices({ by_state: "paid" });
await client.bulkUpdateTimesheets({ timesheet_ids: [1], state: "paid" }, { idempotencyKey: "k", retries: 1 });
const session = await client.session();
const stop: () => void = client.onSessionEnd(() => show(session?.userId, session?.role === "driver"));
stop();
// @ts-expect-error no such role
show(session?.role === "visitor");
// @ts-expect-error it takes no key
client.signIn({ login: "a", password: "b" }, { idempotencyKey: "k" });
// @ts-expect-error no read takes one
client.listInvoices({}, { idempotencyKey: "k" });
// @ts-expect-error a single record has no pages
for await (const page of client.getInvoice({ id: 7 })) show(page);
`;

/** The samples of a page as one module; a page without any fails. */
function samplesOf(markdown: string): string {
  const samples = [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, sample]) => sample);
  expect(samples.length).toBeGreaterThan(1);
  return samples.join("\n");
}

const bundler = { module: "esnext", moduleResolution: "bundler" };
const node16 = { module: "node16", moduleResolution: "node16" };

describe("the declarations", () => {
  test.each(
    usualOrFull([bundler], [bundler, node16]),
  )("compile with an app in the mode $moduleResolution, strict, with library checks, and so do the samples of its README and guide", (mode) => {
    const app = join(dirname(built.folder), mode.moduleResolution);
    mkdirSync(app);
    cpSync(built.folder, join(app, "node_modules", name), { recursive: true });
    writeFileSync(join(app, "package.json"), '{ "type": "module" }');
    const readme = readFileSync(join(built.folder, "README.md"), "utf8");
    const guide = readFileSync(join(root, "infra/document/guides/9-client.md"), "utf8").replaceAll(
      "@acme/workforce",
      name,
    );
    const files = { "app.ts": usage, "samples.ts": samplesOf(readme), "guide.ts": samplesOf(guide) };
    for (const [file, source] of Object.entries(files)) writeFileSync(join(app, file), source);
    const compilerOptions = {
      ...mode,
      target: "es2022",
      lib: ["es2022", "dom"],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      // The package's declarations are checked, not those of the language and the browser.
      skipDefaultLibCheck: true,
      noEmit: true,
    };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "--project", app], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });

  test("are one file without imports, with each operation's summary and codes", () => {
    const code = declarations.replaceAll(/\/\*\*.*?\*\//gs, "");
    expect(code).not.toMatch(/^import |import\(|\brequire\(|\bany\b/m);
    for (const { summary } of operations) expect(declarations).toContain(`${summary}.`);
    for (const code of Object.keys(refusalCodes)) expect(declarations).toContain(`"${code}"`);
    expect(declarations).toMatch(/@throws \{ProblemError\} .*`cursor_invalid`/);
  });

  test("name at an operation the codes that say something of it, and the others once", () => {
    const methods = declarations.slice(declarations.indexOf("export interface Client extends"));
    const thrown = [...methods.matchAll(/@throws \{ProblemError\} (.*)\n/g)].map(([, codes = ""]) => codes);
    const undo = /@throws \{ProblemError\} (.*)\n.*?\n {2}undoChange\(/.exec(methods)?.[1];
    const own =
      "role_not_allowed company_required key_not_allowed fields_invalid idempotency_key_reused record_not_found";
    const undone = "changed_since change_undone change_expired passcode_invalid passcode_locked";
    expect(undo?.replaceAll(/[`,]/g, "")).toBe(`${own} ${undone}`);
    const shared = ["token_missing", "token_expired", "malformed_json", "unknown_parameter", "busy", "internal_error"];
    for (const code of shared) {
      expect(thrown.filter((codes) => codes.includes(`\`${code}\``))).toEqual([]);
      expect(declarations).toMatch(new RegExp(`Besides the codes of its own, each may throw.*\`${code}\``));
    }
  });

  test("name as values what the entry exports", () => {
    const declared = [...declarations.matchAll(/^export declare (?:class|function) (\w+)/gm)].map(([, each]) => each);
    expect(declared.toSorted()).toEqual(Object.keys(built.module).toSorted());
  });

  test("have the text of every field, parameter and shape that the document describes", () => {
    const texts = new Set<string>();
    const resolve = ($ref: string) =>
      $ref
        .slice(2)
        .split("/")
        .reduce((at, part) => at[part], openApi);
    const read = (schema: JsonSchema) => {
      if (schema.description) texts.add(schema.description);
      if (schema.$ref) return read(resolve(schema.$ref));
      const { properties = {}, items, anyOf = [], allOf = [] } = schema;
      for (const part of [...Object.values(properties), ...anyOf, ...allOf, items]) {
        if (typeof part === "object" && !Array.isArray(part)) read(part as JsonSchema);
      }
    };
    for (const { path, method } of operations) {
      const { parameters = [], requestBody, responses } = openApi.paths[path][method.toLowerCase()];
      for (const given of parameters) {
        const each = given.$ref ? resolve(given.$ref) : given;
        if (each.in !== "header") read({ ...each.schema, description: each.description });
      }
      for (const each of [requestBody, responses[200]]) if (each) read(each.content["application/json"].schema);
    }
    expect(texts.size).toBeGreaterThan(5);
    const missing = [...texts].filter((text) => text.split("\n").some((line) => !declarations.includes(line.trim())));
    expect(missing).toEqual([]);
  });
});

test.each([
  ["a query beside its body", { query: listInvoices.query }],
  ["a name in its path and its body", { path: "/api/v1/{state}", parameters: v.object({ state: v.string() }) }],
])("an operation with %s has no declarations, because the client takes both in one object", (_, more) => {
  const given = operations as Operation[];
  given.push({ ...bulkUpdateTimesheets, name: "strange", path: "/api/v1/strange", ...more } as Operation);
  try {
    expect(declareClient).toThrow("strange has a query beside its body, or a name twice");
  } finally {
    given.pop();
  }
});

test.each<[string, JsonSchema, string]>([
  ["a choice or null", { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] }, '"a" | "b" | null'],
  ["several types", { type: ["integer", "null"] }, "number | null"],
  ["a list of choices", { type: "array", items: { enum: [1, 2] } }, "readonly (1 | 2)[]"],
  [
    "all of some",
    { allOf: [{ $ref: "#/components/schemas/A" }, { type: "object" }] },
    "A & Readonly<Record<string, unknown>>",
  ],
  [
    "known values that others join",
    { type: "string", "x-extensible-enum": ["a", "b"] } as JsonSchema,
    '"a" | "b" | (string & {})',
  ],
  ["a constant", { const: "ok" }, '"ok"'],
  ["anything", {}, "unknown"],
  [
    "an open object",
    { type: "object", properties: { a: { type: "boolean" } }, additionalProperties: true },
    "{\n  readonly a?: boolean | undefined;\n  readonly [key: string]: unknown;\n}",
  ],
])("%s becomes a type", (_, schema, type) => expect(typeScriptOf(schema)).toBe(type));

test("a text that would end its comment does not", () => {
  const comment = commentOf({ description: "a */ b\n\nc", examples: ["*/"], format: "date" }, "  ");
  expect(comment).toBe('  /**\n   * a *\\/ b\n   *\n   * c\n   * @format date\n   * @example "*\\/"\n   */\n');
});

describe("npm run client", () => {
  const run = (...parameters: string[]) => runTool(async () => client(parameters));

  test("names the package after the project, unless it is named", async () => {
    expect(usualName).toBe("workforce-api-client");
    const old = join(root, ".local/client/old.tgz");
    mkdirSync(dirname(old), { recursive: true });
    writeFileSync(old, "");
    expect(await run("--name", "@acme/one")).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^@acme\/one: \.local\/client, \d\.\d KB gzipped\nnpm install \S+\/acme-one-\S+\.tgz\n$/,
      ),
    });
    expect(existsSync(old)).toBe(false);
  });

  test.each([
    "Acme",
    "@acme",
    "../up",
    "a b",
    "",
    "a".repeat(215),
  ])("refuses a name that npm does not take: %o", async (wrong) => {
    await expect(run("--name", wrong)).rejects.toThrow("is no name of an npm package");
  });

  test("refuses an option that it does not know, and says where help is", async () => {
    await expect(run("--scope", "x")).rejects.toThrow("npm run client -- --help");
  });
});
