import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { findFreePort } from "../../infra/local/http-service.ts";
import { storedShapes } from "../../infra/local/stored-shapes.ts";
import { useOwnMachine } from "../support/requests/own-machine.ts";
import { copyDemo } from "../support/service/demo-machine.ts";
import { makeDirectory, runTool } from "../support/service/local-machine.ts";

const directory = makeDirectory();
beforeAll(() => copyDemo(directory.path), 120_000);
const own = useOwnMachine(directory);

test("the machine, as a program, prints a curl line that works and no token, and ends", async () => {
  const [, url = ""] = /curl -s '(http[^']+)'/.exec(own.machine.output()) ?? [];
  expect(own.machine.output()).not.toContain("eyJ");
  const headers = { authorization: `Bearer ${await own.machine.tokenOf("operator")}` };
  expect((await fetch(url, { headers })).status).toBe(200);
  expect(await own.machine.interrupt()).toBe(0);
}, 60_000);

test("data of other stored shapes end the start with a sentence that names --fresh, and stay", async () => {
  const number = join(directory.path, "data/stored-shapes");
  writeFileSync(number, String(storedShapes + 1));
  const start = async () => runTool("infra/local/start.ts", [], directory.path, { PORT: String(await findFreePort()) });
  const refused = {
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^The data in .+ npm start -- --fresh .+\.\n$/),
  };
  expect(await start()).toEqual(refused);
  expect(existsSync(join(directory.path, "data/secrets.json"))).toBe(true);
}, 60_000);
