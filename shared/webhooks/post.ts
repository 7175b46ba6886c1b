import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { resolvePublic } from "./resolve.ts";

/** An address, headers and the exact bytes to send. */
export interface Posting {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A receiver's answer. */
export interface Answer {
  readonly status: number;
  /** The header as received. */
  readonly retryAfter: string | undefined;
}

/** The limit of a posting, and replacements for name resolution and request, for tests. */
export interface PostOptions {
  /** Milliseconds for name resolution, connection and answer together. */
  readonly limitMs: number;
  readonly resolve?: (host: string, options: { readonly signal: AbortSignal }) => Promise<string | undefined>;
  readonly request?: (url: URL, options: RequestOptions) => ClientRequest;
}

/** The reason why a posting got no answer. */
export type PostFault = "timed_out" | "host_unknown" | "address_not_public" | "connection_failed";

/** A posting that got no answer. The cause is Node's own error. */
export class PostError extends Error {
  readonly code: PostFault;

  constructor(code: PostFault, cause?: unknown) {
    super("The webhook's receiver gave no answer", { cause });
    this.code = code;
  }
}

/** More than any receiver's headers need; a longer head is a fault. */
const mostHeaderBytes = 8 * 1024;
/** So much of an answer's body is read, and dropped, before the connection ends. */
const mostBodyBytes = 8 * 1024;

/**
 * Posts to a host at its one checked public address, and returns the answer with any status. It does not follow
 * redirects, and reads a few KB of the answer's body without keeping them. Throws `PostError` if no answer comes within
 * the limit.
 */
export async function post(posting: Posting, { limitMs, ...options }: PostOptions): Promise<Answer> {
  const { resolve = resolvePublic, request = httpsRequest } = options;
  const signal = AbortSignal.timeout(limitMs);
  const failWith = (code: PostFault) => (error: unknown) => {
    throw new PostError(signal.aborted ? "timed_out" : code, error);
  };
  const address = await resolve(posting.url.hostname, { signal }).catch(failWith("host_unknown"));
  if (address === undefined) throw new PostError("address_not_public");
  return exchange(posting, { address, request, signal }).catch(failWith("connection_failed"));
}

type Exchange = Required<Pick<PostOptions, "request">> & { readonly address: string; readonly signal: AbortSignal };

function exchange({ url, headers, body }: Posting, { address, request, signal }: Exchange): Promise<Answer> {
  return new Promise((settle, fail) => {
    const call = request(url, {
      method: "POST",
      headers: { ...headers, "content-length": String(body.length) },
      agent: false,
      family: 4,
      // The checked address, even if the name resolves to another by now.
      lookup: (_host, _options, found) => found(null, address, 4),
      maxHeaderSize: mostHeaderBytes,
      signal,
    });
    let answer: Answer | undefined;
    const end = (error: unknown) => (answer ? settle(answer) : fail(error));
    call.on("response", (response) => {
      answer = answerOf(response);
      skipBody(response, () => call.destroy());
    });
    // A receiver that switches protocols causes neither a response nor an error.
    call.on("upgrade", (response, socket) => {
      socket.destroy();
      settle(answerOf(response));
    });
    call.on("error", end);
    call.on("close", () => end(new Error("The connection closed")));
    call.end(body);
  });
}

/** Reads until the body ends, breaks off, or exceeds the limit. */
function skipBody(response: IncomingMessage, done: () => void): void {
  let read = 0;
  response.on("data", ({ length }: Buffer) => {
    read += length;
    if (read > mostBodyBytes) done();
  });
  response.on("end", done);
  // The status is known; an aborted body adds nothing.
  response.on("error", done);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): Answer {
  return { status: statusCode, retryAfter: headers["retry-after"] };
}
