import { get } from "node:http";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { type StartedMachine, startLocalMachine } from "../../support/service/local-machine.ts";

const directory = await makeDemoDirectory();
const addresses = Object.values(networkInterfaces()).flatMap((each = []) =>
  each.filter(({ family }) => family === "IPv4"),
);
let machine: StartedMachine;
let port: string;

beforeAll(async () => {
  machine = await startLocalMachine(directory.path, ["--lan"]);
  port = new URL(machine.baseUrl).port;
}, 120_000);
afterAll(async () => {
  await machine?.interrupt();
  directory.remove();
});

/** The status of a page at an address of this computer, asked for by whatever name. */
function statusAt(address: string, path: string, host = `${address}:${port}`): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: address, port, path, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

test("--lan is warned of before anything answers, by what it gives away", () => {
  const [warning] = machine.output().split("\n");
  expect(warning).toMatch(/^Warning: with --lan everyone on this network can call the API and use the desk, .*tokens/);
});

test.each(
  addresses.map(({ address }) => address),
)("with --lan the API and the desk answer at %s, the desk to no other name", async (address) => {
  expect(await statusAt(address, "/api/v1/health")).toBe(200);
  for (const path of ["/_local/", "/_local/inbox", "/_local/desk/people", "/_local/events"]) {
    for (const host of [`evil.example:${port}`, "evil.example", "192.0.2.7", `192.0.2.7:${port}`, address]) {
      expect([path, host, await statusAt(address, path, host)]).toEqual([path, host, 403]);
    }
  }
  expect(await statusAt(address, "/_local/")).toBe(200);
  expect(await statusAt(address, "/api/v1/health", `evil.example:${port}`)).toBe(200);
});
