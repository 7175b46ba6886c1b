import { jitter } from "../run/backoff.ts";
import type { ClientSettings } from "./client-settings.ts";
import type { Clock } from "./clock.ts";
import { AnswerError, ClientError, NetworkError, ProblemError, ProtocolError } from "./errors.ts";
import type { ClientRequest } from "./request.ts";

/** The fields of a JSON object. The declarations of the package name those of each operation. */
export type Fields = Readonly<Record<string, unknown>>;

/** A success: the JSON object of its body, and its headers. */
export interface ClientAnswer {
  readonly body: Fields;
  readonly headers: Headers;
}

/** A person waits: the first retry is within a second, and all of them within the time of a call. */
const [firstPauseMs, longestPauseMs] = [800, 8_000];

/** Sends a request. Retries after 429, 503 and network errors if that is safe and the time allows it. */
export async function send(
  request: ClientRequest,
  settings: ClientSettings,
  clock: Clock,
  retries: number,
): Promise<ClientAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await exchange(request, settings, clock);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      error.attempts = attempt;
      const pause = request.isRepeatable && attempt <= retries ? pauseAfter(error, attempt) : undefined;
      if (pause === undefined || !clock.has(pause)) throw error;
      await clock.sleep(pause);
    }
  }
}

/** Milliseconds until the next try; undefined if no retry would help. */
function pauseAfter(error: ClientError, attempt: number): number | undefined {
  const pause = jitter(attempt - 1, firstPauseMs, longestPauseMs);
  if (error instanceof NetworkError) return pause;
  if (!(error instanceof AnswerError)) return undefined;
  if (error.status !== 429 && error.status !== 503) return undefined;
  return error.retryAfter === undefined ? pause : error.retryAfter * 1_000 + pause;
}

async function exchange(request: ClientRequest, settings: ClientSettings, clock: Clock): Promise<ClientAnswer> {
  const { url, isRepeatable: _, answers, ...init } = request;
  const doFetch = settings.fetch ?? fetch;
  const address = settings.baseUrl.replace(/\/*(\/api\/v1)?\/*$/, "") + url;
  const answered = (async () => {
    const response = await doFetch(address, { ...init, redirect: "manual", signal: clock.signal });
    return { response, text: await response.text() };
  })();
  const { response, text } = await clock.within(answered).catch((error) => {
    if (clock.signal.aborted) throw error;
    // Apps log messages, and a query may contain a login and a pin.
    throw new NetworkError(`No answer to ${request.method} ${address.split("?")[0]}`, { cause: error });
  });
  return read(response, text, answers);
}

function read(response: Response, text: string, names: readonly string[]): ClientAnswer {
  const { status, headers } = response;
  const facts = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: secondsOf(headers.get("retry-after")),
  };
  if (response.redirected || response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    throw new ProtocolError("The service redirects, which this one never does: look at baseUrl", facts);
  }
  const body = objectIn(text);
  if (body && response.ok && names.every((name) => name in body)) return { body, headers };
  if (!response.ok && typeof (body?.code ?? body?.message) === "string") throw new ProblemError(body ?? {}, facts);
  throw new ProtocolError(`The answer (${status}) is not of this service`, facts);
}

/** The seconds of a `Retry-After`, which is a number of seconds or a date (RFC 9110). */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number.isNaN(Number(header)) ? (Date.parse(header) - Date.now()) / 1_000 : Number(header);
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function objectIn(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    // Not JSON, such as HTML or an empty body. The caller reports it with the status.
    return undefined;
  }
}
