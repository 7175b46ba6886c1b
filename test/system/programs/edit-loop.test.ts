import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, expect, test } from "vitest";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { copyCheckout } from "./checkout-copy.ts";

const copy = copyCheckout();
afterAll(copy.remove);
const own = useOwnMachine(await makeDemoDirectory(), [], copy.path);
/** To synthesise takes seconds, on a machine with much to do many. */
const patience = { timeout: 60_000, interval: 100 };

const get = (path: string) => fetch(`${own.machine.baseUrl}${path}`);

/** Edits a file of the copy; what is to be replaced must be there. */
function edit(file: string, from: string | RegExp, to: string): void {
  const text = copy.read(file);
  const edited = text.replace(from, to);
  expect(edited).not.toBe(text);
  copy.save(file, edited);
}

/** The lines that the machine prints of a request from now on, with those below it. */
async function printedBy(act: () => Promise<unknown>, until: string | RegExp): Promise<string> {
  const before = own.machine.output().length;
  await act();
  const since = () => own.machine.output().slice(before);
  await expect.poll(since, patience).toMatch(until);
  return since();
}

const health = "functions/service/get-health.ts";

test("a fault three calls deep stands below its request, with what was logged, in lines of the sources; query values do not", async () => {
  const source = copy.read(health);
  const deep = [
    "export const outer = () => middle();",
    "const middle = () => inner();",
    "const inner = () => {",
    '  throw new RangeError("three\\u001b[2Jdeep");',
    "};",
  ];
  copy.save("shared/deep.ts", `${deep.join("\n")}\n`);
  edit(health, /^/, 'import { outer } from "../../shared/deep.ts";\n');
  edit(health, "  const keys", '  console.log("looking", { keys: 1 });\n  outer();\n  const keys');
  const printed = await printedBy(() => get("/api/v1/health?_token=secret&_a%1bb=1"), /three.*\n.*deep\.ts:4/);
  const [line = "", ...below] = printed.split("\n");
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d GET \/api\/v1\/health\?_token&_a\\u001bb 500 internal_error get-health \d+ ms [0-9a-f-]{36}$/,
  );
  expect(below[0]).toBe("  looking { keys: 1 }");
  expect(below[1]).toContain("RangeError: three\\u001b[2Jdeep");
  expect(below[2]).toMatch(/^ +at inner \(shared\/deep\.ts:4:9\)$/);
  expect(below.slice(3, 6).join("\n")).toMatch(
    /middle \(shared\/deep\.ts:2:\d+\)\n.*outer \(shared\/deep\.ts:1:\d+\)\n.*get-health\.ts:9:/,
  );
  expect(printed).not.toContain("secret");
  copy.save(health, source);
  expect((await get("/api/v1/health")).status).toBe(200);
});

test("an edit of a shared file is in the next answers of two functions, and in the next call of a consumer of the stream, which an event led to", async () => {
  const show = 'console.log("edit", Reflect.get(globalThis, "edit"))';
  edit(health, "  const keys", `  ${show};\n  const keys`);
  edit("functions/service/get-key-set.ts", "=> ({", `=> (${show}, {`);
  edit("functions/workers/keep-history.ts", "(keepHistory)", `((changes) => (${show}, keepHistory(changes)))`);
  expect(await printedBy(() => get("/api/v1/health"), /edit/)).toContain("  edit undefined\n");
  copy.save("shared/run/log.ts", `${copy.read("shared/run/log.ts")}\nObject.assign(globalThis, { edit: "seven" });\n`);
  expect(await printedBy(() => get("/api/v1/health"), /get-health/)).toContain("  edit seven\n");
  expect(await printedBy(() => get("/.well-known/jwks.json"), /get-key-set/)).toContain("  edit seven\n");
  const detail = { event_id: "job-90008-1", type: "job", id: 90_008, version: 1, company_id: 1, title: "Driver" };
  const rest = { number: 4_008, industries: ["logistics"], job_type: "part_time", postcode: "M1 2AB" };
  const Detail = JSON.stringify({ ...detail, ...rest });
  const entry = { EventBusName: "workforce-local", Source: "rota.example", DetailType: "Record", Detail };
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new EventBridgeClient({
    endpoint: `${own.machine.baseUrl}/_local/events`,
    region: "eu-west-2",
    credentials,
  });
  const printed = await printedBy(() => client.send(new PutEventsCommand({ Entries: [entry] })), /keep-history/);
  client.destroy();
  expect(printed).toMatch(/keep-history with \d+ records? \d+ ms\n {2}edit seven\n/);
  const headers = { "x-amz-target": "secretsmanager.GetSecretValue" };
  const refused = await fetch(`${own.machine.baseUrl}/_local/events`, { method: "POST", headers, body: "{}" });
  expect(refused.status).toBe(404);
}, 120_000);

test("a new operation, and a changed setting of the stage, work without a restart, and the console says so", async () => {
  const entry = `export const countJobs = operation({ name: "count-jobs", summary: "Counts", method: "GET",
    path: "/api/v1/jobs/count", access: "anyone", answer: v.object({ count: v.number() }) });`;
  const handler = `import { countJobs } from "../../shared/contract/jobs.ts";
    import { anonymous } from "../../shared/http/endpoint.ts";
    export const handler = anonymous(countJobs, async () => ({ count: 42 }));`;
  const register = () => own.request("POST", "/api/v1/users", { body: {} });
  expect((await register()).status).toBe(400);
  copy.save("shared/contract/jobs.ts", `${copy.read("shared/contract/jobs.ts")}\n${entry}\n`);
  copy.save("functions/jobs/count-jobs.ts", handler);
  edit(
    "infra/functions/functions.ts",
    '  "sign-in": {',
    '"count-jobs": { area: "jobs", impact: "None.", access: "anyone" },\n"sign-in": {',
  );
  edit("infra/stages/stages.ts", 'registration: "open"', 'registration: "closed"');
  await expect.poll(async () => (await get("/api/v1/jobs/count")).status, patience).toBe(200);
  expect(await (await get("/api/v1/jobs/count")).json()).toEqual({ count: 42 });
  expect((await register()).status).toBe(404);
  expect(own.machine.output()).toMatch(/\.ts changed: synthesising the stack again …/);
  expect(own.machine.output()).toContain("The changed stack is in use.");
}, 120_000);
