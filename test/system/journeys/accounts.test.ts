import { expect, test } from "vitest";
import { pinForm, pinIn } from "../../../infra/local/message-pin.ts";
import { userLine } from "../../support/records/records.ts";
import type { HttpResult } from "../../support/requests/http-client.ts";
import { newEmail, newId, newPhone, useTarget } from "./target.ts";

const target = useTarget();

const channels = [
  { by: "e-mail", channel: "email", newLogin: newEmail },
  { by: "phone", channel: "sms", newLogin: newPhone },
] as const;

function post(path: string, user: object): Promise<HttpResult> {
  return target.request("POST", `/api/v1/users${path}`, { body: { user } });
}

function setPassword(reset_password_token: string, password: string): Promise<HttpResult> {
  const user = { reset_password_token, password, password_confirmation: password };
  return target.request("PUT", "/api/v1/users/password", { body: { user } });
}

function refresh(refresh_token: string): Promise<HttpResult> {
  return target.request("POST", "/api/v1/users/token", { body: { token: { refresh_token } } });
}

/** Confirms a login with the pin it was sent; gives the user and the reset token. */
async function confirm(login: string, channel: string) {
  const message = await target.inboxes.messageTo(login, pinForm);
  expect(message.channel).toBe(channel);
  const pin = pinIn(message.text);
  const confirmed = await post("/confirmation", { login, pin });
  expect(confirmed.status).toBe(200);
  const repeated = await post("/confirmation", { login, pin });
  expect([repeated.status, repeated.body]).toEqual([200, confirmed.body]);
  return confirmed.body.user as { id: number; reset_password_token: string };
}

/** Sets another password with a reset token, which works for that one alone; the old password counts no more. */
async function changePassword(login: string, token: string, old: string): Promise<string> {
  const password = "a harbour after dusk";
  expect(await setPassword(token, password)).toMatchObject({ status: 200 });
  await target.inboxes.messageTo(login, /password/i);
  expect(await setPassword(token, password)).toMatchObject({ status: 200 });
  expect(await setPassword(token, old)).toMatchObject({ status: 422, body: { code: "reset_token_invalid" } });
  const refused = await post("/sign_in", { login, password: old });
  expect(refused).toMatchObject({ status: 401, body: { code: "login_invalid" } });
  return password;
}

/** From sign-in over the profile and a fresh token to a session that has ended. */
async function walkSession(id: number, login: string, password: string): Promise<void> {
  const signedIn = await post("/sign_in", { login, password });
  const answer = { user: { id }, token: { token_type: "Bearer", expires_in: 900 } };
  expect(signedIn).toMatchObject({ status: 200, body: answer });
  const { token } = signedIn.body;
  expect(signedIn.headers.get("authorization")).toBe(`Bearer ${token.access_token}`);
  const profile = await target.request("GET", "/api/v1/users/me", { bearer: token.access_token });
  expect(profile).toMatchObject({ status: 200, body: { user: { id, role: "driver" } } });
  const renewed = await refresh(token.refresh_token);
  expect(renewed.status).toBe(200);
  const next = renewed.body.token;
  const bearer = next.access_token;
  expect((await target.request("GET", "/api/v1/users/notifications", { bearer })).status).toBe(200);
  const signedOut = await target.request("DELETE", "/api/v1/users/sign_out", { bearer });
  expect(signedOut).toMatchObject({ status: 200, body: {} });
  for (const spent of [next.refresh_token, token.refresh_token]) {
    expect(await refresh(spent)).toMatchObject({ status: 401, body: { code: "refresh_token_invalid" } });
  }
}

test.for(channels)(
  "D4, D5, D13, D14, D16: by $by: from registration over pin, password and tokens to a dead refresh token",
  { timeout: 60_000 },
  async ({ channel, newLogin }, { skip }) => {
    skip(target.registration === "closed", "registration is closed on this stage");
    skip(!target.inboxes.channels.has(channel), `no inbox shows what is sent by ${channel} (--inbox)`);
    const login = newLogin();
    const first = "a harbour before dawn";
    const registered = await post("", { login, password: first, first_name: "Robin", last_name: "Journey" });
    expect(registered).toMatchObject({ status: 200, body: { user: { first_name: "Robin", role: "driver" } } });
    const early = await post("/sign_in", { login, password: first });
    expect(early).toMatchObject({ status: 401, body: { code: "login_invalid" } });
    const { id, reset_password_token } = await confirm(login, channel);
    target.removeAtEnd({ type: "user", id });
    await walkSession(id, login, await changePassword(login, reset_password_token, first));
  },
);

test.for(channels)(
  "D9, D13, D14: by $by: a forgotten password is reset with a pin, after which the old one is refused",
  { timeout: 60_000 },
  async ({ channel, newLogin }, { skip }) => {
    skip(!target.inboxes.channels.has(channel), `no inbox shows what is sent by ${channel} (--inbox)`);
    const login = newLogin();
    const [id, old] = [newId(), "a harbour at noon"];
    const logins = channel === "email" ? { email: login } : { email: null, phone_number: login };
    await target.importLines([userLine(id, { ...logins, role: "driver", password: old })]);
    expect(await post("/password", { login })).toMatchObject({ status: 200 });
    const confirmed = await confirm(login, channel);
    expect(confirmed.id).toBe(id);
    await walkSession(id, login, await changePassword(login, confirmed.reset_password_token, old));
  },
);

test("D4, D5: an imported user signs in, refreshes, and signs out for good", async () => {
  const { id, email, password } = target.people.driver;
  await walkSession(id, email, password);
}, 60_000);

test("D6: the key set that others verify our tokens with is public, and names the key of a token", async () => {
  const { email, password } = target.people.admin;
  const signedIn = await post("/sign_in", { login: email, password });
  const [encoded = ""] = signedIn.body.token.access_token.split(".");
  const { kid } = JSON.parse(Buffer.from(encoded, "base64url").toString());
  const keys = await target.request("GET", "/.well-known/jwks.json");
  expect(keys.status).toBe(200);
  expect(keys.body.keys.map((key: { kid: string }) => key.kid)).toContain(kid);
  expect(JSON.stringify(keys.body)).not.toContain('"d"');
});
