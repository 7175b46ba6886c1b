import { expect } from "vitest";

/** A server's answer over HTTP. */
export interface HttpResult {
  readonly status: number;
  readonly headers: Headers;
  // Answers are looked into field by field; their types are what the tests assert.
  // biome-ignore lint/suspicious/noExplicitAny: a parsed answer of any operation
  readonly body: any;
}

interface Sent {
  readonly body?: object | undefined;
  readonly bearer?: string | undefined;
  readonly key?: string;
}

/** Sends a request as a client app does, with a JSON body, a bearer token and an Idempotency-Key where given. */
export async function send(
  baseUrl: string,
  method: string,
  path: string,
  { body, bearer, key }: Sent = {},
): Promise<HttpResult> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      accept: "application/json",
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(key && { "idempotency-key": key }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Signs somebody in; gives the access token. */
export async function signIn(baseUrl: string, login: string, password: string): Promise<string> {
  const answer = await send(baseUrl, "POST", "/api/v1/users/sign_in", { body: { user: { login, password } } });
  expect(answer.status).toBe(200);
  return answer.body.token.access_token;
}
