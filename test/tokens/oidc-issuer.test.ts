import { createHmac } from "node:crypto";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as listHandler } from "../../functions/jobs/list-jobs.ts";
import { handler as markHandler } from "../../functions/notifications/mark-notifications.ts";
import { startHttpService } from "../../infra/runtime/http-service.ts";
import { createApiKey } from "../../shared/contract/api-keys.ts";
import { listJobs } from "../../shared/contract/jobs.ts";
import { markNotifications } from "../../shared/contract/notifications.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { verifyAccessToken } from "../../shared/tokens/access.ts";
import { useNetwork } from "../support/faults/network.ts";
import { callerLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call, type TestAnswer, type TestRequest } from "../support/requests/call.ts";
import { allowedUser, endpoints } from "../support/requests/every-operation.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";
import { type TestUser, tokenOf } from "../support/tokens/tokens.ts";

useService();
const network = useNetwork();

const issuer = "https://login.company.example";
const audience = "workforce";
const theirs = await generateKeyPair("ES256", { extractable: true });
const rsa = await generateKeyPair("RS256", { extractable: true });
const stranger = await generateKeyPair("ES256");
const keys = [
  { ...(await exportJWK(theirs.publicKey)), kid: "outside-1", alg: "ES256", use: "sig" },
  { ...(await exportJWK(rsa.publicKey)), kid: "outside-rsa", alg: "RS256", use: "sig" },
];
const goodAnswer = { status: 200, body: JSON.stringify({ keys }) };

let answer = goodAnswer;
let reads = 0;
let address = "";
let path = 0;

beforeAll(async () => {
  const { port, close } = await startHttpService((_, response) => {
    reads += 1;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  address = `http://127.0.0.1:${port}`;
  return close;
});

beforeEach(() => {
  answer = goodAnswer;
  reads = 0;
  // A key set of its own for each test: nothing is left of the last one's.
  path += 1;
  trust(`${address}/keys/${path}`);
});

afterEach(() => {
  vi.useRealTimers();
  delete process.env.OIDC_ISSUER;
});

function trust(jwksUrl: string): void {
  const claims = { user: "workforce_user", role: "workforce_role", company: "workforce_company" };
  process.env.OIDC_ISSUER = JSON.stringify({ issuer, audience, jwksUrl, claims });
}

interface Made {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey;
}

function claimsNow(): Record<string, unknown> {
  const seconds = Math.floor(Date.now() / 1000);
  const mapped = { workforce_user: 903, workforce_role: "operator", workforce_company: 1 };
  return { iss: issuer, aud: audience, sub: "auth0|5f7c", iat: seconds, exp: seconds + 600, ...mapped };
}

function made({ claims, header, key = theirs.privateKey }: Made = {}): Promise<string> {
  return new SignJWT({ ...claimsNow(), ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "outside-1", ...header })
    .sign(key);
}

function send(token: string): Promise<TestAnswer> {
  return call(listHandler, listJobs, { headers: { authorization: `Bearer ${token}` } });
}

test("D4: a token of the outside issuer speaks for the user, role and company that its claims name", async () => {
  const caller = await verifyAccessToken(await made(), new Date());
  expect(caller).toMatchObject({ userId: 903, role: "operator", companyId: 1 });
  const text = await made({ claims: { workforce_user: "904", workforce_role: "admin", workforce_company: undefined } });
  expect(await verifyAccessToken(text, new Date())).toMatchObject({ userId: 904, role: "admin", companyId: null });
  const rsaSigned = await made({ header: { alg: "RS256", kid: "outside-rsa" }, key: rsa.privateKey });
  expect((await send(rsaSigned)).status).toBe(200);
  const among = await made({ claims: { aud: ["another", audience] } });
  expect((await send(among)).status).toBe(200);
});

test("D4: 403: what an outside token may do is its role's", async () => {
  expectProblem(await send(await made({ claims: { workforce_role: "driver" } })), 403, "role_not_allowed");
});

test("D4: 401: what is not a read needs a user, with the role and company of the outside token", async () => {
  const bearer = { authorization: `Bearer ${await made({ claims: { workforce_user: 907 } })}` };
  const mark = () =>
    call(markHandler, markNotifications, { headers: bearer, body: { notification: { up_to_id: 1, read: true } } });
  expectProblem(await mark(), 401, "token_invalid");
  const user = { id: 907, role: "operator", company_id: 1 } as const;
  await store([callerLine(user)]);
  expect((await mark()).status).toBe(200);
  for (const changes of [{ role: "client" }, { company_id: 2 }, { company_id: null }] as const) {
    await store([callerLine({ ...user, ...changes })]);
    expectProblem(await mark(), 401, "token_invalid");
  }
  await store([{ type: "user", id: user.id, deleted: true }]);
  expectProblem(await mark(), 401, "token_invalid");
});

const isClosed = ({ path }: Operation) => path.startsWith(createApiKey.path);
const writes = endpoints.filter(
  ({ operation }) =>
    operation.access !== "anyone" &&
    operation.method !== "GET" &&
    operation.needsSession !== false &&
    !isClosed(operation),
);

test.each(writes)("D4: 401: $name by an outside token without a user writes nothing", async (endpoint) => {
  const { operation, handler, sample } = endpoint;
  const { role, company_id } = allowedUser(operation) as TestUser;
  const claims = { workforce_user: 908, workforce_role: role, workforce_company: company_id ?? undefined };
  const headers = { authorization: `Bearer ${await made({ claims })}` };
  network.reset();
  expectProblem(await call(handler, operation, { ...sample, headers } as TestRequest), 401, "token_invalid");
  const actions = [...network.calls.keys()];
  expect(actions.filter((action) => !/^(TransactGet|BatchGet|Get|Query)/.test(action))).toEqual([]);
});

test("D4: 401: the service's own tokens count no more where an outside issuer is trusted", async () => {
  expectProblem(await send(await tokenOf({ id: 903, role: "operator", company_id: 1 })), 401, "token_invalid");
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function hmacToken(): Promise<string> {
  const signed = `${part({ alg: "HS256", kid: "outside-1" })}.${part(claimsNow())}`;
  const secret = await exportSPKI(theirs.publicKey);
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** A right token with another header or payload. */
async function changed(header?: object, payload?: object): Promise<string> {
  const [oldHeader, oldPayload, signature] = (await made()).split(".");
  return `${header ? part(header) : oldHeader}.${payload ? part(payload) : oldPayload}.${signature}`;
}

const byStranger = { key: stranger.privateKey };
const unknownKey = { kid: "unknown" };
const jwk = await exportJWK(theirs.publicKey);

test.each<[string, () => Promise<string>]>([
  ...[`${issuer}/`, "https://attacker.example", undefined].map(claimed("iss")),
  ...["another", undefined].map(claimed("aud")),
  ...[undefined].map(claimed("exp")),
  ...[9_999_999_999].map(claimed("nbf")),
  ...["root", undefined, ["admin", "operator"]].map(claimed("workforce_role")),
  ...[undefined, "auth0|5f7c", 0, 1.5].map(claimed("workforce_user")),
  ...["Harbour", [1, 2]].map(claimed("workforce_company")),
  ["the role in the service's own claim", () => made({ claims: { workforce_role: undefined, role: "admin" } })],
  ["5 KB", () => made({ claims: { padding: "x".repeat(5_000) } })],
  ["another key's signature", () => made(byStranger)],
  ["an unknown key", () => made({ header: unknownKey, ...byStranger })],
  ["a key in its header", () => made({ header: { jwk, ...unknownKey }, ...byStranger })],
  ["a key of another algorithm", () => made({ header: { kid: "outside-rsa" } })],
  ["a critical extension", () => changed({ alg: "ES256", kid: "outside-1", crit: ["unknown"], unknown: 1 })],
  ["HS256 with the public key", hmacToken],
  ["the algorithm none", async () => `${part({ alg: "none" })}.${part(claimsNow())}.AAAA`],
  ["a changed payload", () => changed(undefined, { ...claimsNow(), workforce_role: "admin" })],
  ["a padded signature", async () => `${await made()}==`],
])("D4: 401: an outside token is token_invalid with %s", async (_, make) => {
  expectProblem(await send(await make()), 401, "token_invalid");
});

function claimed(name: string) {
  return (value: unknown): [string, () => Promise<string>] => [
    `the claim ${name}: ${JSON.stringify(value)}`,
    () => made({ claims: { [name]: value } }),
  ];
}

test("D4: 401: an expired outside token is token_expired, also when it was accepted before", async () => {
  const start = Math.ceil(Date.now() / 1_000) * 1_000;
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  const token = await made();
  for (const lived of [0, 599_999]) {
    vi.setSystemTime(start + lived);
    expect((await send(token)).status).toBe(200);
  }
  vi.setSystemTime(start + 600_000);
  expectProblem(await send(token), 401, "token_expired");
});

test("D4: the outside key set is read once for many tokens, and at most once a minute for unknown keys", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  for (let index = 0; index < 20; index += 1)
    expect((await send(await made({ claims: { jti: `${index}` } }))).status).toBe(200);
  expect(reads).toBe(1);
  const unknown = (index: number) => made({ header: { kid: `unknown-${index}` }, key: stranger.privateKey });
  for (let index = 0; index < 20; index += 1) expect((await send(await unknown(index))).status).toBe(401);
  await Promise.all(Array.from({ length: 20 }, async (_, index) => send(await unknown(100 + index))));
  expect(reads).toBe(1);
  vi.setSystemTime(start + 61_000);
  for (let index = 0; index < 20; index += 1) expect((await send(await unknown(index))).status).toBe(401);
  expect(reads).toBe(2);
});

test("D4: a key that the outside issuer adds is accepted a minute later at most", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  answer = { status: 200, body: JSON.stringify({ keys: keys.slice(1) }) };
  expect((await send(await made())).status).toBe(401);
  answer = goodAnswer;
  vi.setSystemTime(start + 61_000);
  expect((await send(await made())).status).toBe(200);
});

test("D4: a token that was verified is good for 5 minutes, then by the keys that the issuer has", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  const token = await made({ claims: { exp: Math.floor(start / 1_000) + 3_600 } });
  for (const elapsed of [0, 60_000, 299_999]) {
    vi.setSystemTime(start + elapsed);
    expect((await send(token)).status).toBe(200);
  }
  expect(reads).toBe(1);
  vi.setSystemTime(start + 300_000);
  expect((await send(token)).status).toBe(200);
  expect(reads).toBe(2);
  answer = { status: 200, body: JSON.stringify({ keys: keys.slice(1) }) };
  vi.setSystemTime(start + 599_999);
  expect((await send(token)).status).toBe(200);
  vi.setSystemTime(start + 600_000);
  expectProblem(await send(token), 401, "token_invalid");
});

test.each<[string, number, string]>([
  ["cannot be reached", 0, ""],
  ["answers 500", 500, "{}"],
  ["answers 404", 404, "{}"],
  ["answers with a page", 200, "<html></html>"],
  ["answers with no keys member", 200, "{}"],
])("D4: 5xx, never 401: no good token is called bad while the outside key set %s", async (_, status, body) => {
  if (status === 0) trust("http://127.0.0.1:9/keys");
  else answer = { status, body };
  expect((await send(await made())).status).toBeGreaterThanOrEqual(500);
});
