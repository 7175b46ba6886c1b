import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { describeInterface } from "../../../infra/document/document.ts";
import { demoUsers } from "../../../infra/local/demo/demo.ts";
import { demoPassword } from "../../../infra/local/demo/demo-people.ts";
import { pinForm, pinIn } from "../../../infra/local/message-pin.ts";
import { root } from "../../../infra/support/root.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { outboundEventTypes } from "../../../shared/contract/outbound-events.ts";
import { openInboxes } from "../../support/requests/inboxes.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";
import { installDocumentTools } from "./install.ts";
import { uses } from "./uses.ts";

/** Types that orval may make of the document: 150 of 28 operations, and two of each kind of event that goes out. */
const mostTypes = Math.round((150 / 28) * operations.length) + 2 * outboundEventTypes.length;

const options = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  module: "ESNext",
  moduleResolution: "bundler",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

const own = useOwnMachine(await makeMachineDirectory());
const { login } = demoUsers.operatorA;
let folder: string;
let found: { redocly: string[]; score: number; spectral: string[] };

beforeAll(async () => {
  folder = dirname(installDocumentTools());
  const clients = join(folder, "clients");
  rmSync(clients, { recursive: true, force: true });
  mkdirSync(clients);
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(describeInterface()));
  for (const name of ["tools.mjs", "ruleset.mjs"]) copyFileSync(join(import.meta.dirname, name), join(folder, name));
  run(process.execPath, ["tools.mjs"]);
  found = JSON.parse(readFileSync(join(folder, "found.json"), "utf8"));
  for (const [name, source] of Object.entries(uses)) writeFileSync(join(clients, `use-${name}.ts`), source);
  writeFileSync(join(clients, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["."] }));
});

function run(program: string, parameters: string[]): void {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd: folder, encoding: "utf8" });
  expect(`${stdout}${stderr}`.replace(/^.*(orval|Cleaning).*$/gm, "").trim()).toBe("");
  expect(status).toBe(0);
}

test("Redocly's recommended rules find nothing, as errors", () => {
  expect(found.redocly).toEqual([]);
});

test("Redocly's score of how easily programs use the document is at least 88", () => {
  expect(found.score).toBeGreaterThanOrEqual(88);
});

test("Spectral's rules for OpenAPI and OWASP's for APIs find nothing", () => {
  expect(found.spectral).toEqual([]);
});

test(`orval makes fewer than ${mostTypes} types`, () => {
  const types = readFileSync(join(folder, "clients/orval.ts"), "utf8").match(/^export (type|interface) /gm) ?? [];
  expect(types.length).toBeGreaterThan(50);
  expect(types.length).toBeLessThan(mostTypes);
});

test("the generated clients and their uses compile", () => {
  run(join(root, "node_modules/.bin/tsc"), ["--project", "clients"]);
});

describe.each(Object.keys(uses))("the client by %s", (name) => {
  test("signs in, lists invoices by two states, reads an id of 49 bits, and a refusal's code", async () => {
    const outfile = join(folder, `clients/use-${name}.mjs`);
    buildSync({ entryPoints: [join(folder, `clients/use-${name}.ts`)], outfile, bundle: true, format: "esm" });
    const { use } = await import(pathToFileURL(outfile).href);
    const seen = await use(own.machine.baseUrl, login, demoPassword);
    expect(seen).toMatchObject({ total: expect.any(Number), code: "token_missing" });
    expect(seen.states).toHaveLength(2);
    expect(seen.ids[0]).toBeGreaterThan(2 ** 48);
    expect(seen.ids[1]).toBe(seen.ids[0]);
    for (const state of seen.states) expect(["pending", "overdue"]).toContain(state);
  });
});

describe("the journeys of the guides", () => {
  let published: string;

  /** The Arazzo document as the machine publishes it, beside the document that its source names. */
  beforeAll(async () => {
    published = join(folder, "journeys");
    mkdirSync(join(published, "api/v1"), { recursive: true });
    for (const path of ["/arazzo.json", "/api/v1/openapi.json"]) {
      const answer = await fetch(own.machine.baseUrl + path);
      expect(answer.status, path).toBe(200);
      writeFileSync(join(published, path), await answer.text());
    }
  });

  /** Runs Redocly's command without its telemetry and its notice of newer versions. */
  function redocly(...parameters: string[]) {
    const { status, stdout, stderr } = spawnSync(join(folder, "node_modules/.bin/redocly"), parameters, {
      cwd: published,
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
    });
    return { status, printed: stdout + stderr };
  }

  /** The pin of a registration. Within a minute the journey's own first step sends no other. */
  async function pinOfRegistration(newLogin: string): Promise<string> {
    const names = { first_name: "Robin", last_name: "Field" };
    const body = { user: { login: newLogin, password: demoPassword, ...names } };
    expect((await own.request("POST", "/api/v1/users", { body })).status).toBe(200);
    const { text } = await openInboxes([`${own.machine.baseUrl}/_local/inbox`]).messageTo(newLogin, pinForm);
    return pinIn(text) ?? "";
  }

  test("are a valid Arazzo document", () => {
    const { status, printed } = redocly("lint", "arazzo.json");
    expect(status, printed).toBe(0);
  });

  test("lead through the local machine as they are written, with every answer as the OpenAPI document says", async () => {
    const newLogin = "new.driver@workforce.example";
    const values = { login, password: demoPassword, new_login: newLogin, pin: await pinOfRegistration(newLogin) };
    const inputs = Object.entries(values).flatMap(([name, value]) => ["--input", `${name}=${value}`]);
    const server = `workforce=${own.machine.baseUrl}`;
    const { status, printed } = redocly("respect", "arazzo.json", "--server", server, ...inputs);
    expect(status, printed).toBe(0);
    expect(printed).toMatch(/Workflows: 5 passed, 5 total/);
  });
});
