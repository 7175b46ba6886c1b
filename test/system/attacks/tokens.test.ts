import { createHmac } from "node:crypto";
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { callerLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { allowedUser, signedInEndpoints } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { payloadOf, sign, type TestUser, testKeyId, testKeys, tokenOf } from "../../support/tokens/tokens.ts";
import { encode } from "../../tokens/forged-tokens.ts";

useService();
beforeAll(() => store([userLine(900)]));

const admin: TestUser = { id: 900, role: "admin", company_id: null };
const operator: TestUser = { id: 900, role: "operator", company_id: 1 };

async function withHeader(header: Record<string, unknown>): Promise<string> {
  const [, payload, signature] = (await sign(payloadOf(admin))).split(".");
  return `${encode({ alg: "ES256", typ: "at+jwt", kid: testKeyId, ...header })}.${payload}.${signature}`;
}

function compactSigned(payload: string): Promise<string> {
  const header = { alg: "ES256", typ: "at+jwt", kid: testKeyId };
  return new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(testKeys.privateKey);
}

async function hmacSigned(): Promise<string> {
  const publicKey = await exportSPKI(testKeys.publicKey);
  const signed = `${encode({ alg: "HS256", typ: "at+jwt", kid: testKeyId })}.${encode(payloadOf(admin))}`;
  return `${signed}.${createHmac("sha256", publicKey).update(signed).digest("base64url")}`;
}

async function foreignKeySigned(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256");
  const header = { alg: "ES256", typ: "at+jwt", kid: testKeyId };
  return new SignJWT(payloadOf(admin)).setProtectedHeader(header).sign(privateKey);
}

const attacks: Record<string, () => Promise<string>> = {
  garbage: async () => "garbage",
  "two parts": async () => (await tokenOf(admin)).split(".").slice(0, 2).join("."),
  "four parts": async () => `${await tokenOf(admin)}.AAAA`,
  "five parts": async () => `${await tokenOf(admin)}.AAAA.AAAA`,
  "an empty signature": async () => (await tokenOf(admin)).replace(/[^.]*$/, ""),
  "a changed signature": async () => (await tokenOf(admin)).replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
  "a padded signature": async () => `${await tokenOf(admin)}=`,
  "an embedded line break": async () => (await tokenOf(admin)).replace(/^.{9}/, "$&\n"),
  "plain base64 letters": async () => (await tokenOf(admin)).replace(/^.{9}/, "$&+/"),
  "the wrong audience": () => tokenOf(admin, { aud: "another-api" }),
  "no audience": () => tokenOf(admin, { aud: undefined }),
  "the wrong issuer": () => tokenOf(admin, { iss: "another-issuer" }),
  "no expiry": () => tokenOf(admin, { exp: undefined }),
  "a time of use to come": () => tokenOf(admin, { nbf: Math.floor(Date.now() / 1000) + 3_600 }),
  "an expiry that is text": () => tokenOf(admin, { exp: "never" } as unknown as JWTPayload),
  "an unknown role": () => tokenOf(admin, { role: "root" }),
  "two roles": () => tokenOf(admin, { role: ["admin", "operator"] }),
  "a company that is text": () => tokenOf(operator, { company: "1" }),
  "a fractional subject": () => tokenOf(admin, { sub: "1.5" }),
  "a subject that is a name": () => tokenOf(admin, { sub: "__proto__" }),
  "no subject": () => tokenOf(admin, { sub: undefined }),
  "the type JWT": () => sign(payloadOf(admin), { typ: "JWT" }),
  "no type": () => sign(payloadOf(admin), { typ: undefined }),
  "no key id": () => withHeader({ kid: undefined }),
  "an unknown key id": () => sign(payloadOf(admin), { kid: "unknown" }),
  "a key id that climbs folders": () => withHeader({ kid: "../../etc/passwd" }),
  "a key id with SQL": () => withHeader({ kid: "' OR 1=1 --" }),
  "a key id with NUL": () => withHeader({ kid: "test-key\u0000" }),
  "a key id that is a list": () => withHeader({ kid: [testKeyId] }),
  "a key in the header": async () => withHeader({ jwk: await exportJWK(testKeys.publicKey) }),
  "a key address in the header": () => withHeader({ jku: "https://example.com/keys" }),
  "a critical extension": () => withHeader({ crit: ["b64"], b64: false }),
  "another key's signature": foreignKeySigned,
  "HS256 with the public key": hmacSigned,
  "the algorithm none": async () =>
    `${encode({ alg: "none", typ: "at+jwt", kid: testKeyId })}.${encode(payloadOf(admin))}.`,
  "the algorithm NoNe": () => withHeader({ alg: "NoNe" }),
  "the algorithm ES512": () => withHeader({ alg: "ES512" }),
  "a header that is no JSON": async () => (await tokenOf(admin)).replace(/^[^.]+/, encode("{")),
  "a payload that is a list": () => compactSigned("[]"),
  "a payload that is no JSON": () => compactSigned("{"),
  "5 KB": () => tokenOf(admin, { padding: "x".repeat(4_000) }),
  "1 MB": async () => "a".repeat(1_000_000),
};

let tokens: Record<string, string> = {};
beforeAll(async () => {
  const made = await Promise.all(Object.entries(attacks).map(async ([name, make]) => [name, await make()] as const));
  tokens = Object.fromEntries(made);
});

describe.each(signedInEndpoints)("401: $name", ({ operation, handler, sample }) => {
  const user = allowedUser(operation);
  const send = (authorization?: string) =>
    call(handler, operation, { ...sample, ...(authorization && { headers: { authorization } }) });

  test("a valid token is accepted, so that the refusals below mean something", async () => {
    await store([callerLine(user ?? admin)]);
    expect((await send(`Bearer ${await tokenOf(user ?? admin)}`)).status).not.toBe(401);
  });

  test("no token is token_missing, with a challenge", async () => {
    const answer = await send();
    expectProblem(answer, 401, "token_missing");
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  test("an expired token is token_expired, also when it was accepted before", async () => {
    const past = new Date(Date.now() - 15 * 60_000 - 1_000);
    expectProblem(await send(`Bearer ${await tokenOf(user ?? admin, {}, past)}`), 401, "token_expired");
  });

  test.each(Object.keys(attacks))("a token with %s is token_invalid", async (name) => {
    const answer = await send(`Bearer ${tokens[name]}`);
    expectProblem(answer, 401, "token_invalid");
    expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
  });

  test.each([
    "Basic dXNlcjpwYXNz",
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "token",
  ])("the Authorization header %j is refused", async (authorization) =>
    expectProblem(await send(authorization), 401, "token_invalid"));
});
