import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";

/** A request as the service got it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** An answer: JSON, or text as it is; `hang` never answers, `drop` closes the connection. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly instead?: "hang" | "drop";
}

/** A server that answers as a test says, and remembers what it was asked. */
export interface FakeService {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Answers the next requests with these, one each, and all after them with the last one. */
  answers(...answers: readonly FakeAnswer[]): void;
  /** Answers every request by what it is. */
  answersBy(answer: (request: Received) => FakeAnswer | Promise<FakeAnswer>): void;
  /** Takes one access token, with the answer of `profile`, and answers renewals as the service does (D5). */
  takes(accessToken: string, renewal: () => FakeAnswer | Promise<FakeAnswer>): void;
}

/** The answer of a call that is taken. */
export const profile: FakeAnswer = { body: { user: { id: 1 } } };

/** The answer with the tokens of a number, such as `a1` and `r1`. */
export function tokens(at: number, user?: object): FakeAnswer {
  return {
    body: { token: { access_token: `a${at}`, refresh_token: `r${at}`, expires_in: 900 }, ...(user && { user }) },
  };
}

/** True for the exchange of a refresh token. */
export function isRenewal({ url }: Received): boolean {
  return url === "/api/v1/users/token";
}

/** A problem document, as the service sends one. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): FakeAnswer {
  const body = { type: "about:blank", title: code, status, detail: `Because of ${code}`, instance: "/", code };
  return { status, body, headers: { "x-request-id": "req-1", ...headers } };
}

/** Runs a fake service for a test file. */
export function useFakeService(): FakeService {
  let answer: (request: Received) => FakeAnswer | Promise<FakeAnswer>;
  const fake = { received: [] as Received[] } as { -readonly [K in keyof FakeService]: FakeService[K] };
  fake.answersBy = (next) => {
    answer = next;
  };
  fake.answers = (...answers) => {
    const left = [...answers];
    answer = () => (left.length > 1 ? left.shift() : left[0]) ?? {};
  };
  fake.takes = (accessToken, renewal) =>
    fake.answersBy((request) => {
      if (isRenewal(request)) return renewal();
      return request.headers.authorization === `Bearer ${accessToken}` ? profile : problem(401, "token_expired");
    });
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { method = "", url = "", headers } = request;
    const received = { method, url, headers, body: sent ? JSON.parse(sent) : undefined };
    fake.received.push(received);
    reply(response, await answer(received));
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    fake.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    fake.received.length = 0;
    fake.answers({ status: 500, body: { code: "internal_error", title: "No answer was set" } });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return fake;
}

function reply(response: ServerResponse, { status = 200, headers = {}, body = "", instead }: FakeAnswer): void {
  if (instead === "drop") response.destroy();
  if (instead) return;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
