import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { demoPasscode, demoPassword } from "../../infra/local/demo/demo-people.ts";
import { machineFile } from "../../infra/local/local-aws.ts";
import { storedShapes } from "../../infra/local/stored-shapes.ts";
import { findFreePort } from "../../infra/runtime/http-service.ts";
import { operations } from "../../shared/contract/operations.ts";
import { useOwnMachine } from "../support/requests/own-machine.ts";
import { copyDemo } from "../support/service/demo-machine.ts";
import { makeDirectory, runTool } from "../support/service/local-machine.ts";

const directory = makeDirectory();
const wanted = join(directory.path, "data/demo-wanted");
beforeAll(async () => {
  await copyDemo(directory.path);
  // As after the creation of the table. The data are those that are there.
  writeFileSync(wanted, "");
}, 120_000);
const own = useOwnMachine(directory);
let first = "";

test("the machine, as a program, prints a curl line that works and no token, and ends", async () => {
  const [, url = ""] = /curl -s '(http[^']+)'/.exec(own.machine.output()) ?? [];
  first = own.machine.output();
  expect(first).not.toContain("eyJ");
  const headers = { authorization: `Bearer ${await own.machine.tokenOf("operator")}` };
  expect((await fetch(url, { headers })).status).toBe(200);
  expect(first).toContain("Loading the demo data …\n");
  expect(existsSync(wanted)).toBe(false);
  expect(await own.machine.interrupt()).toBe(0);
  expect(existsSync(machineFile(directory.path))).toBe(false);
}, 60_000);

test("it prints one screen: address, people, pages", () => {
  const [, banner = ""] = first.split(/^(?=Workforce API)/m);
  const lines = banner.split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(160);
  const { baseUrl } = own.machine;
  const [, seconds] = /^Workforce API at \S+ \(ready in (\d+\.\d) s, table on \w/.exec(banner) ?? [];
  expect(Number(seconds)).toBeGreaterThan(0.2);
  expect(Number(seconds)).toBeLessThan(90);
  expect(banner).toContain(`${operations.length}, described at ${baseUrl}/api/v1/openapi.json`);
  for (const page of ["/docs", "/_local/", "/_local/events"]) expect(banner).toContain(baseUrl + page);
  expect(banner).toMatch(/^Events .* takes PutEvents to the bus workforce-local$/m);
  expect(banner).toContain("machine.log");
  const people = Object.values(demoUsers).map(({ role, company_id, login }) => {
    const who = role + (company_id === null ? "" : ` of company ${company_id}`);
    const passcode = login === demoUsers.operatorC.login ? `, passcode: ${demoPasscode}` : "";
    return `${who.padEnd(24)}${login.padEnd(36)}password: ${demoPassword}${passcode}`;
  });
  expect(lines).toEqual(expect.arrayContaining(people));
  const token = `WORKFORCE_DIRECTORY='${directory.path}' npm run -s token -- --as ${demoUsers.operatorA.login}`;
  expect(banner).toContain(`"Authorization: Bearer $(${token})"`);
});

test.each(["0", "65536", "4200.5"])("PORT=%s is refused before anything starts", async (PORT) => {
  expect(await runTool("infra/local/start.ts", [], directory.path, { PORT })).toEqual({
    code: 2,
    stdout: "",
    stderr: `PORT is not a port: ${PORT}\n`,
  });
});

test("data of other stored shapes end the start with a sentence that names --fresh, and stay until then", async () => {
  const number = join(directory.path, "data/stored-shapes");
  writeFileSync(number, String(storedShapes + 1));
  const start = async (...parameters: string[]) => {
    const environment = { PORT: String(await findFreePort()), DYNAMODB_ENGINE: "none" };
    return runTool("infra/local/start.ts", parameters, directory.path, environment);
  };
  const refused = {
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^The data in .+ npm start -- --fresh .+\.\n$/),
  };
  const hasData = () => existsSync(join(directory.path, "data/secrets.json"));
  expect(await start()).toEqual(refused);
  expect(hasData()).toBe(true);
  const stderr = expect.stringMatching(/^Warning: with --lan .+\nUnknown DynamoDB engine .+\n$/);
  expect(await start("--fresh", "--lan")).toMatchObject({ code: 1, stderr });
  expect(hasData()).toBe(false);
}, 60_000);
