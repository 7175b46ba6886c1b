import { beforeAll, expect, test } from "vitest";
import { useOwnMachine } from "../support/requests/own-machine.ts";
import { copyDemo } from "../support/service/demo-machine.ts";
import { makeDirectory } from "../support/service/local-machine.ts";

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
