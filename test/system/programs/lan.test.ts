import { get } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";

const own = useOwnMachine(await makeDemoDirectory(), ["--lan"]);
const addresses = Object.values(networkInterfaces()).flatMap((each = []) =>
  each.filter(({ family }) => family === "IPv4"),
);

/** The status of a page at an address of this computer, asked for by whatever name. */
function statusAt(address: string, path: string, name: string): Promise<number | undefined> {
  const { port } = new URL(own.machine.baseUrl);
  return new Promise((resolve, reject) => {
    get({ host: address, port, path, headers: { host: name } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

test("--lan is warned of before anything answers, by what it gives away", () => {
  const [warning] = own.machine.output().split("\n");
  expect(warning).toMatch(/^Warning: with --lan everyone on this network can call the API and use the desk, .*tokens/);
});

test.each(
  addresses.map(({ address }) => address),
)("with --lan the API and the desk answer at %s, the desk to no other name", async (address) => {
  const { port } = new URL(own.machine.baseUrl);
  for (const path of ["/api/v1/health", "/_local/"]) {
    expect([path, await statusAt(address, path, `${address}:${port}`)]).toEqual([path, 200]);
  }
  for (const path of ["/_local/", "/_local/inbox", "/_local/desk/people", "/_local/events"]) {
    for (const host of [`evil.example:${port}`, "evil.example", "192.0.2.7", `192.0.2.7:${port}`, address]) {
      expect([path, host, await statusAt(address, path, host)]).toEqual([path, host, 403]);
    }
  }
  expect(await statusAt(address, "/api/v1/health", `evil.example:${port}`)).toBe(200);
});
