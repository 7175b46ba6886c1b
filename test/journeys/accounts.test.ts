import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpResult, messageTo, send } from "../support/http-client.ts";
import { makeDirectory, type StartedMachine, startLocalMachine } from "../support/local-machine.ts";

const directory = makeDirectory();
let machine: StartedMachine;

beforeAll(async () => {
  machine = await startLocalMachine(directory.path);
}, 120_000);

afterAll(async () => {
  await machine?.interrupt();
  directory.remove();
});

function request(method: string, path: string, options: { body?: object; bearer?: string } = {}) {
  return send(machine.baseUrl, method, path, options);
}

test.each([
  ["e-mail", "email", "Robin.Journey@example.com", "robin.journey@example.com"],
  ["phone", "sms", "07400 123456", "+447400123456"],
])(
  "D4, D5, D13, D14, D16: by %s: from registration over pin, password and tokens to a dead refresh token",
  async (_, channel, typed, login) => {
    const first = "a harbour before dawn";
    const registration = { login: typed, password: first, first_name: "Robin", last_name: "Journey" };
    const registered = await request("POST", "/api/v1/users", { body: { user: registration } });
    expect(registered).toMatchObject({ status: 200, body: { user: { first_name: "Robin", role: "driver" } } });
    const early = await request("POST", "/api/v1/users/sign_in", { body: { user: { login: typed, password: first } } });
    expect(early).toMatchObject({ status: 401, body: { code: "login_invalid" } });

    const message = await messageTo(machine.baseUrl, login, /\b[0-9]{6}\b/);
    expect(message.channel).toBe(channel);
    const pin = /\b[0-9]{6}\b/.exec(message.text ?? "")?.[0];
    const confirmed = await request("POST", "/api/v1/users/confirmation", { body: { user: { login: typed, pin } } });
    expect(confirmed.status).toBe(200);
    const { id, reset_password_token } = confirmed.body.user;

    const password = "a harbour after dusk";
    const set = { reset_password_token, password, password_confirmation: password };
    expect((await request("PUT", "/api/v1/users/password", { body: { user: set } })).body.user.id).toBe(id);
    await messageTo(machine.baseUrl, login, /password/i);
    const spent = await request("PUT", "/api/v1/users/password", { body: { user: set } });
    expect(spent).toMatchObject({ status: 422, body: { code: "reset_token_invalid" } });

    const old = await request("POST", "/api/v1/users/sign_in", { body: { user: { login: typed, password: first } } });
    expect(old).toMatchObject({ status: 401, body: { code: "login_invalid" } });
    const signedIn = await request("POST", "/api/v1/users/sign_in", { body: { user: { login: typed, password } } });
    expect(signedIn).toMatchObject({
      status: 200,
      body: { user: { id }, token: { token_type: "Bearer", expires_in: 900 } },
    });
    const { token } = signedIn.body;
    expect(signedIn.headers.get("authorization")).toBe(`Bearer ${token.access_token}`);

    const profile = await request("GET", "/api/v1/users/me", { bearer: token.access_token });
    expect(profile).toMatchObject({ status: 200, body: { user: { id, first_name: "Robin", role: "driver" } } });
    const renewed = await request("POST", "/api/v1/users/token", {
      body: { token: { refresh_token: token.refresh_token } },
    });
    expect(renewed.status).toBe(200);
    const next = renewed.body.token;
    expect((await request("GET", "/api/v1/users/notifications", { bearer: next.access_token })).status).toBe(200);

    expect(await request("DELETE", "/api/v1/users/sign_out", { bearer: next.access_token })).toMatchObject({
      status: 200,
      body: {},
    });
    for (const refresh_token of [next.refresh_token, token.refresh_token]) {
      const dead = await request("POST", "/api/v1/users/token", { body: { token: { refresh_token } } });
      expect(dead).toMatchObject({ status: 401, body: { code: "refresh_token_invalid" } });
    }
  },
  60_000,
);

test("D4: two Authorization headers reach the service joined, as API Gateway joins them, and are refused with 401", async () => {
  const bearer = machine.tokenOf("operator");
  const { status } = await request("GET", "/api/v1/users/notifications/unread_count", { bearer });
  expect(status).toBe(200);
  // fetch joins them itself: node:http sends a line for each.
  const twice = await new Promise<HttpResult>((resolve, reject) => {
    const headers = { Authorization: [`Bearer ${bearer}`, `Bearer ${bearer}`] };
    const sent = get(`${machine.baseUrl}/api/v1/users/notifications/unread_count`, { headers }, async (answer) => {
      const body = (await answer.toArray()).join("");
      resolve({ status: answer.statusCode ?? 0, headers: new Headers(), body: JSON.parse(body) });
    });
    sent.on("error", reject);
  });
  expect(twice).toMatchObject({ status: 401, body: { code: "token_invalid" } });
});

test("D6: the key set that others verify our tokens with is public, and names the key of a token", async () => {
  const keys = await request("GET", "/.well-known/jwks.json");
  expect(keys.status).toBe(200);
  const header = JSON.parse(Buffer.from(machine.tokenOf("admin").split(".")[0] ?? "", "base64url").toString());
  expect(keys.body.keys.map(({ kid }: { kid: string }) => kid)).toContain(header.kid);
  expect(JSON.stringify(keys.body)).not.toContain('"d"');
});
