import { importJWK, SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as confirmHandler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { handler as profileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as passwordHandler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import {
  confirmLoginByBody,
  getProfile,
  requestPasswordReset,
  setPassword,
} from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { readSigningKeys } from "../../../shared/tokens/signing-keys.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { signedInEndpoints } from "../../support/requests/every-operation.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins, newestPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { payloadOf, sign } from "../../support/tokens/tokens.ts";

const service = useService();
const login = "ines@example.com";
const password = "a harbour before dawn";
const minute = 60_000;

interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly reset: string;
}

let tokens: Tokens;

beforeAll(async () => {
  await rotate();
  await store([
    userLine(10, { email: login, password, role: "operator" }),
    userLine(11, { email: "tom@example.com", password, role: "operator" }),
  ]);
});

beforeEach(async () => {
  await forgetLimits(service);
  tokens = { ...(await signInAs(login)), reset: await resetTokenOf(login) };
});

afterEach(() => void vi.useRealTimers());

async function signInAs(name: string): Promise<Omit<Tokens, "reset">> {
  const { status, body } = await call(signInHandler, signIn, { body: { user: { login: name, password } } });
  expect(status).toBe(200);
  return { access: body.token.access_token, refresh: body.token.refresh_token };
}

async function resetTokenOf(name: string): Promise<string> {
  await call(resetHandler, requestPasswordReset, { body: { user: { login: name } } });
  await deliverPins();
  const body = { user: { login: name, pin: newestPin(service.inbox, name) } };
  return (await call(confirmHandler, confirmLoginByBody, { body })).body.user.reset_password_token;
}

function asBearer(token: string): Promise<TestAnswer> {
  return call(profileHandler, getProfile, { headers: { authorization: `Bearer ${token}` } });
}

function asReset(reset_password_token: unknown, chosen = password): Promise<TestAnswer> {
  const user = { reset_password_token, password: chosen, password_confirmation: chosen };
  return call(passwordHandler, setPassword, { body: { user } });
}

/** Every way to spoil an opaque token that a careless store, parser or comparison might let through. */
function spoilt(token: string): Record<string, unknown> {
  const half = token.length >> 1;
  const other = token.at(half) === "A" ? "B" : "A";
  return {
    "one letter changed": token.slice(0, half) + other + token.slice(half + 1),
    "its last letter missing": token.slice(0, -1),
    "its first letter missing": token.slice(1),
    "a letter more": `${token}A`,
    "itself twice": token + token,
    "other letters": token.toUpperCase(),
    "a space before": ` ${token}`,
    "a space after": `${token} `,
    "a space within": `${token.slice(0, half)} ${token.slice(half)}`,
    "a line end after": `${token}\n`,
    "NUL after": `${token}\u0000`,
    padding: `${token}=`,
    "escaped letters": `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
    "spare bits": token.slice(0, -1) + (token.endsWith("B") ? "C" : "B"),
    "SQL around": `' OR '1'='1' -- ${token}`,
    "a wildcard": "*",
    "nothing but a dot": ".",
    "1 MB": "a".repeat(1_000_000),
    "200 letters": "a".repeat(200),
    "an empty text": "",
    "nothing (null)": null,
    "a list": [token],
    "an object": { $eq: token },
    "a number": 7,
    true: true,
  };
}

async function expectStillGood({ access, refresh, reset }: Tokens): Promise<void> {
  expect((await asBearer(access)).status).toBe(200);
  expect((await refreshWith(refresh)).status).toBe(200);
  expect((await asReset(reset)).status).toBe(200);
}

test("D4, D5, D14: each token does its own work, so that the refusals below mean something", () =>
  expectStillGood(tokens));

test("401: a refresh or reset token is no access token, and trying it spends neither", async () => {
  expectProblem(await asBearer(tokens.refresh), 401, "token_invalid");
  expectProblem(await asBearer(tokens.reset), 401, "token_invalid");
  await expectStillGood(tokens);
});

test("401: an access or reset token is no refresh token, and trying it spends neither", async () => {
  expectProblem(await refreshWith(tokens.reset), 401, "refresh_token_invalid");
  expectProblem(await refreshWith(tokens.access), 401, "refresh_token_invalid");
  await expectStillGood(tokens);
});

test("422: an access or refresh token is no reset token, and trying it spends neither", async () => {
  expectProblem(await asReset(tokens.refresh), 422, ["reset_token_invalid", "fields_invalid"]);
  expectProblem(await asReset(tokens.access), 422, ["reset_token_invalid", "fields_invalid"]);
  await expectStillGood(tokens);
});

test("401: a spoilt access token is refused, whatever was done to it", async () => {
  for (const [name, token] of Object.entries(spoilt(tokens.access))) {
    if (typeof token !== "string") continue;
    const answer = await asBearer(token);
    // A space at an end is no part of a header's value: HTTP drops it, and so may the service.
    if (!/space (before|after)/.test(name)) expect(answer.status, name).toBe(401);
    expect([200, 401], name).toContain(answer.status);
  }
  await expectStillGood(tokens);
});

test("401: a spoilt refresh token is refused, whatever was done to it, and spends nothing", async () => {
  for (const [name, token] of Object.entries(spoilt(tokens.refresh))) {
    const answer = await refreshWith(token);
    // 1 MB meets the limit of a body, and what is no text of that length the contract, before anything is looked up.
    expect([401, 413, 422], name).toContain(answer.status);
    expectProblem(answer, answer.status, ["refresh_token_invalid", "body_too_large", "fields_invalid"]);
  }
  await expectStillGood(tokens);
});

test("422: a spoilt reset token is refused, whatever was done to it, and spends nothing", async () => {
  for (const [name, token] of Object.entries(spoilt(tokens.reset))) {
    const answer = await asReset(token);
    expect([413, 422], name).toContain(answer.status);
    expectProblem(answer, answer.status, ["reset_token_invalid", "body_too_large", "fields_invalid"]);
  }
  await expectStillGood(tokens);
});

test("422: a spent reset token is refused, and one that a newer pin replaced", async () => {
  expect((await asReset(tokens.reset)).status).toBe(200);
  expectProblem(await asReset(tokens.reset, "another quiet harbour"), 422, "reset_token_invalid");
  await forgetLimits(service);
  const older = await resetTokenOf(login);
  await forgetLimits(service);
  const newer = await resetTokenOf(login);
  expectProblem(await asReset(older), 422, "reset_token_invalid");
  expect((await asReset(newer)).status).toBe(200);
});

test("401: a refresh token that was spent before its successor was is refused, and ends its family", async () => {
  const next = (await refreshWith(tokens.refresh)).body.token.refresh_token;
  const last = (await refreshWith(next)).body.token.refresh_token;
  expectProblem(await refreshWith(tokens.refresh), 401, "refresh_token_invalid");
  expectProblem(await refreshWith(last), 401, "refresh_token_invalid");
});

test("401: a refresh token that names another user or another family is refused, and ends nobody's session", async () => {
  const other = await signInAs("tom@example.com");
  const [, family, n, version, mac] = tokens.refresh.split(".");
  const [, otherFamily] = other.refresh.split(".");
  for (const forged of [
    `11.${family}.${n}.${version}.${mac}`,
    `10.${otherFamily}.${n}.${version}.${mac}`,
    `11.${otherFamily}.${n}.${version}.${mac}`,
    `11.${otherFamily?.toLowerCase()}.${n}.${version}.${mac}`,
    `10.${family}.${Number(n) + 1}.${version}.${mac}`,
    `10.${family}.${n}.${version}.${"A".repeat(22)}`,
  ])
    expectProblem(await refreshWith(forged), 401, "refresh_token_invalid");
  expect((await refreshWith(other.refresh)).status).toBe(200);
  await expectStillGood(tokens);
});

test("D4, D5, D14: each kind counts to its very last millisecond and no longer", async () => {
  const start = Date.now();
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  await forgetLimits(service);
  const reset = await resetTokenOf(login);
  vi.setSystemTime(start + 15 * minute);
  expectProblem(await asReset(reset), 422, "reset_token_invalid");
  vi.setSystemTime(start + 15 * minute - 1);
  expect((await asReset(reset)).status).toBe(200);

  vi.setSystemTime(start);
  const { access, refresh } = await signInAs(login);
  // A token's times are whole seconds: it ends 15 minutes after the second in which it was made began.
  const expiry = Math.floor(start / 1000) * 1000 + 15 * minute;
  vi.setSystemTime(expiry - 1);
  expect((await asBearer(access)).status).toBe(200);
  vi.setSystemTime(expiry);
  expectProblem(await asBearer(access), 401, "token_expired");
  vi.setSystemTime(start + 30 * 24 * 60 * minute - 1);
  expect((await refreshWith(refresh)).status).toBe(200);
  vi.setSystemTime(start);
  const second = await signInAs(login);
  vi.setSystemTime(start + 30 * 24 * 60 * minute);
  expectProblem(await refreshWith(second.refresh), 401, "refresh_token_invalid");
});

test("D6: a retired key's token counts until its end; one made with that key after its overlap does not", async () => {
  const start = Date.now();
  const retiredAt = start + 31 * 24 * 60 * minute;
  const [old] = await readSigningKeys();
  if (!old) throw new Error("There is no signing key");
  vi.useFakeTimers({ now: retiredAt, toFake: ["Date"] });
  await rotate();
  const keys = await readSigningKeys();
  expect(keys.map(({ jwk }) => jwk.kid)).toEqual([old.jwk.kid, expect.any(String)]);
  const madeWith = async (jwk: typeof old.jwk, moment: number) =>
    new SignJWT(payloadOf({ id: 10, role: "operator", company_id: 1 }, new Date(moment)))
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: jwk.kid })
      .sign(await importJWK(jwk, "ES256"));
  // The old key signs for 10 more minutes; its last token ends 15 minutes later.
  const last = await madeWith(old.jwk, retiredAt + 10 * minute - 1_000);
  vi.setSystemTime(retiredAt + 24 * minute);
  expect((await asBearer(last)).status).toBe(200);
  vi.setSystemTime(retiredAt + 36 * minute);
  const late = await madeWith(old.jwk, retiredAt + 36 * minute);
  expectProblem(await asBearer(late), 401, "token_invalid");
  const newest = keys.at(-1);
  if (!newest) throw new Error("There is no new key");
  expect((await asBearer(await madeWith(newest.jwk, retiredAt + 36 * minute))).status).toBe(200);
});

describe.each(signedInEndpoints)("$name", ({ operation, handler, sample }) => {
  const send = (headers: Record<string, string>, query = sample.query) =>
    call(handler, operation, { ...sample, query, headers });

  test("401: a live refresh or reset token in the Authorization header is refused", async () => {
    for (const token of [tokens.refresh, tokens.reset])
      expectProblem(await send({ authorization: `Bearer ${token}` }), 401, "token_invalid");
  });

  test("401: a live access token in the query, a cookie or another header is not read, nor one of two joined", async () => {
    const { access } = tokens;
    for (const name of ["access_token", "token", "authorization", "Authorization", "bearer"])
      expectProblem(await send({}, { ...sample.query, [name]: access }), 401, "token_missing");
    for (const name of ["cookie", "x-authorization", "proxy-authorization", "x-access-token", "x-amz-security-token"])
      expectProblem(await send({ [name]: `Bearer ${access}` }), 401, "token_missing");
    expectProblem(await send({ cookie: `access_token=${access}` }), 401, "token_missing");
    const garbage = await sign(payloadOf({ id: 10, role: "admin", company_id: null }), { kid: "unknown" });
    for (const authorization of [
      `Bearer ${access},Bearer ${access}`,
      `Bearer ${access}, Bearer ${access}`,
      `Bearer ${garbage},Bearer ${access}`,
      `Bearer ${access},Bearer ${garbage}`,
      `Basic dXNlcjpwYXNz,Bearer ${access}`,
      `Bearer Bearer ${access}`,
      `Bearer  ${access}`,
      `Bearer\t${access}`,
      `Bearer ${access}\n`,
      `DPoP ${access}`,
      access,
    ])
      expectProblem(await send({ authorization }), 401, "token_invalid");
  });
});
