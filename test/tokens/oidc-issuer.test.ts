import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as unreadHandler } from "../../functions/notifications/get-unread-counts.ts";
import { getUnreadCounts } from "../../shared/contract/notifications.ts";
import { verifyAccessToken } from "../../shared/tokens/verify-access-token.ts";
import { call, type TestAnswer } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";
import { tokenOf } from "../support/tokens/tokens.ts";

useService();

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
const server = createServer((_, response) => {
  reads += 1;
  response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
});

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
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

function answerWith(next: typeof goodAnswer): void {
  answer = next;
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
  return call(unreadHandler, getUnreadCounts, { headers: { authorization: `Bearer ${token}` } });
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

test("D4: 401: the service's own tokens count no more where an outside issuer is trusted", async () => {
  expectProblem(await send(await tokenOf({ id: 903, role: "operator", company_id: 1 })), 401, "token_invalid");
});

async function hmacToken(): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", kid: "outside-1" })}.${part(claimsNow())}`;
  const secret = await exportSPKI(theirs.publicKey);
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

async function unsignedToken(): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claimsNow())}.AAAA`;
}

describe("D4: 401: an outside token is token_invalid with", () => {
  const flaws: Record<string, () => Promise<string>> = {
    "another issuer": () => made({ claims: { iss: "https://attacker.example" } }),
    "its issuer and a slash": () => made({ claims: { iss: `${issuer}/` } }),
    "no issuer": () => made({ claims: { iss: undefined } }),
    "another audience": () => made({ claims: { aud: "another" } }),
    "no audience": () => made({ claims: { aud: undefined } }),
    "no expiry": () => made({ claims: { exp: undefined } }),
    "a time of use to come": () => made({ claims: { nbf: 9_999_999_999 } }),
    "another key's signature": () => made({ key: stranger.privateKey }),
    "an unknown key": () => made({ header: { kid: "unknown" }, key: stranger.privateKey }),
    "a key of another algorithm": () => made({ header: { kid: "outside-rsa" } }),
    "a key in its header": async () =>
      made({ header: { jwk: await exportJWK(theirs.publicKey), kid: "unknown" }, key: stranger.privateKey }),
    "a critical extension": async () => {
      const [, payload, signature] = (await made()).split(".");
      const header = { alg: "ES256", kid: "outside-1", crit: ["unknown"], unknown: 1 };
      return `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${payload}.${signature}`;
    },
    "HS256 with the public key": hmacToken,
    "the algorithm none": unsignedToken,
    "an unknown role": () => made({ claims: { workforce_role: "root" } }),
    "no role": () => made({ claims: { workforce_role: undefined } }),
    "two roles": () => made({ claims: { workforce_role: ["admin", "operator"] } }),
    "the role in the service's own claim": () => made({ claims: { workforce_role: undefined, role: "admin" } }),
    "no user": () => made({ claims: { workforce_user: undefined } }),
    "a user that is no id": () => made({ claims: { workforce_user: "auth0|5f7c" } }),
    "the user 0": () => made({ claims: { workforce_user: 0 } }),
    "a fractional user": () => made({ claims: { workforce_user: 1.5 } }),
    "a company that is no id": () => made({ claims: { workforce_company: "Harbour" } }),
    "a list of companies": () => made({ claims: { workforce_company: [1, 2] } }),
    "a changed payload": async () => {
      const [header, , signature] = (await made()).split(".");
      const payload = Buffer.from(JSON.stringify({ ...claimsNow(), workforce_role: "admin" })).toString("base64url");
      return `${header}.${payload}.${signature}`;
    },
    "a padded signature": async () => `${await made()}==`,
    "5 KB": () => made({ claims: { padding: "x".repeat(5_000) } }),
  };

  test.each(Object.entries(flaws))("%s", async (_, make) => {
    expectProblem(await send(await make()), 401, "token_invalid");
  });
});

test("D4: 401: an expired outside token is token_expired, also when it was accepted before", async () => {
  const start = Date.now();
  const token = await made();
  expect((await send(token)).status).toBe(200);
  vi.useFakeTimers({ now: start + 601_000, toFake: ["Date"] });
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

test("D4: a token that was verified is taken for less than 5 minutes more once its issuer withdraws the key", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  const token = await made({ claims: { exp: Math.floor(start / 1_000) + 3_600 } });
  expect((await send(token)).status).toBe(200);
  answer = { status: 200, body: JSON.stringify({ keys: keys.slice(1) }) };
  vi.setSystemTime(start + 299_999);
  expect((await send(token)).status).toBe(200);
  vi.setSystemTime(start + 300_000);
  expectProblem(await send(token), 401, "token_invalid");
});

test("D4: a token that was verified is not verified again for 5 minutes, and by the issuer's keys then", async () => {
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
});

describe("D4: 5xx, never 401: no good token is called bad while the outside key set", () => {
  test.each<[string, () => void]>([
    ["cannot be reached", () => trust("http://127.0.0.1:9/keys")],
    ["answers 500", () => answerWith({ status: 500, body: "{}" })],
    ["answers 404", () => answerWith({ status: 404, body: "{}" })],
    ["answers with a page", () => answerWith({ status: 200, body: "<html></html>" })],
    ["answers with no keys member", () => answerWith({ status: 200, body: "{}" })],
  ])("%s", async (_, breakIt) => {
    breakIt();
    expect((await send(await made())).status).toBeGreaterThanOrEqual(500);
  });
});
