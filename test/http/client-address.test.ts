import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { handler as askPinHandler } from "../../functions/accounts/request-password-reset.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf } from "../../shared/http/event.ts";
import { settings } from "../../shared/run/settings.ts";
import { readSecret, writeSecret } from "../../shared/tokens/secrets.ts";
import { useNetwork } from "../support/faults/network.ts";
import { call } from "../support/requests/call.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { sample } from "./sample-operation.ts";

useService();
const network = useNetwork();

const [current, previous] = ["c".repeat(64), "p".repeat(64)];
const viewer = "198.51.100.10";
let kept: string;

// Any secret will do that is not asked for here: the local machine has none of an edge.
beforeAll(async () => {
  kept = settings.signingSecretArn();
  await writeSecret(kept, { current, previous });
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => void vi.unstubAllEnvs());

async function addressOf(headers: Record<string, string>, secret: string | undefined = kept): Promise<string> {
  vi.stubEnv("EDGE_SECRET_ARN", secret);
  let seen = "";
  const handler = anonymous(sample, async ({ sender }) => {
    seen = await clientAddressOf(sender);
    return { shown: "well" };
  });
  expect((await call(handler, sample, { headers })).status).toBe(200);
  return seen;
}

// Each call of a test comes from another address of this network.
const own = /^10\.0\.0\.\d+$/;
const from = (secret: string, address = `${viewer}:46532`) => ({
  "X-Origin-Secret": secret,
  "CloudFront-Viewer-Address": address,
});

test("the address behind the edge is what CloudFront says, with the secret of today or the one before", async () => {
  expect(await addressOf({})).toMatch(own);
  expect(await addressOf(from(current))).toBe(viewer);
  expect(await addressOf(from(previous))).toBe(viewer);
});

test.each([
  ["without the secret", { "CloudFront-Viewer-Address": `${viewer}:46532` }],
  ["with a wrong secret", from("x".repeat(64))],
  ["with an empty secret", from("")],
  ["with a part of the secret", from(current.slice(0, 63))],
])("a header that a client makes up %s changes no address", async (_, headers) => {
  expect(await addressOf(headers)).toMatch(own);
});

test("a secret that neither is nor was the edge's is reported: CloudFront may send one that was replaced twice", async () => {
  loggedLines.length = 0;
  await addressOf({});
  await addressOf(from(previous));
  expect(loggedLines.join("")).not.toContain("edge_secret_unknown");
  await addressOf(from("x".repeat(64)));
  expect(loggedLines.join("")).toMatch(/"level":"warn".*"code":"edge_secret_unknown"/);
  expect(loggedLines.join("")).not.toContain("xxxx");
});

test("where no secret was replaced yet, an empty one opens nothing", async () => {
  await writeSecret(kept, { current, previous: "" });
  expect(await addressOf(from(""))).toMatch(own);
  expect(await addressOf(from(current))).toBe(viewer);
  await writeSecret(kept, { current, previous });
});

test("a stage without an edge knows no such header", async () => {
  expect(await addressOf(from(current), "")).toMatch(own);
});

test.each([
  ["2001:db8:85a3::8a2e:370:7334:46532", "2001:db8:85a3::8a2e:370:7334"],
  ["[2001:db8::1]:443", "2001:db8::1"],
])("an address of IPv6 is read without its port: %s", async (named, address) => {
  expect(await addressOf(from(current, named))).toBe(address);
});

test.each([
  "",
  "nowhere:1",
  "198.51.100.10",
])("where CloudFront says no address, it is what API Gateway saw: %j", async (named) => {
  expect(await addressOf(from(current, named))).toMatch(own);
});

test("D18: a request for a pin reads its proof once it has the address: until then nothing waits for a fault of that", async () => {
  // A secret that the function may read.
  const secret = settings.hmacSecretArn();
  await writeSecret(secret, { ...Object(await readSecret(secret)), current, previous });
  vi.stubEnv("EDGE_SECRET_ARN", secret);
  network.reset();
  const goOn = network.hold("GetSecretValue");
  const asked = call(askPinHandler, requestPasswordReset, {
    headers: { ...from(current), "known-client": "a device" },
    body: { user: { login: "ines@example.com" } },
  });
  await network.held("GetSecretValue");
  await pause(100);
  expect(network.calls.get("GetItem")).toBeUndefined();
  goOn();
  expect((await asked).status).toBe(200);
});
