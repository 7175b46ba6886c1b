import type { InboxEntry } from "../../../infra/local/aws/inbox.ts";

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

/** The newest message to someone in the machine's inbox; it travels through a queue, so it is waited for. */
export async function messageTo(baseUrl: string, to: string, about = /./): Promise<InboxEntry> {
  for (let tries = 0; tries < 100; tries += 1) {
    const entries = (await send(baseUrl, "GET", "/_local/inbox")).body as InboxEntry[];
    const message = entries.find((entry) => entry.to === to && about.test(entry.text ?? ""));
    if (message) return message;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No message to ${to} arrived`);
}
