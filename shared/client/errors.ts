import type { ProblemCode } from "../contract/refusals.ts";

/** The reason why a field is invalid. */
export type FieldCode =
  | "missing"
  | "wrong_type"
  | "not_allowed"
  | "out_of_range"
  | "too_short"
  | "too_long"
  | "too_broad"
  | "invalid"
  | "required"
  | "unknown"
  | "common";

/** One invalid field, named by `pointer` (in the body), `parameter` or `header`. */
export interface FieldFault {
  /** Stable: branch on it. A newer service may send others. */
  readonly code: FieldCode | (string & {});
  /** A sentence for people. */
  readonly detail: string;
  /** JSON Pointer (RFC 6901) into the body. */
  readonly pointer?: string;
  /** Name of the parameter in the query or path. */
  readonly parameter?: string;
  /** Name of the header. */
  readonly header?: string;
}

/** The facts about an answer that do not depend on its body. */
export interface AnswerFacts {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
}

/** A call that failed: the base of all errors except those of your own signal, store and `fetch`. */
export class ClientError extends Error {
  // The names of classes are minified: these are what consoles print. As fields, they would throw where a build assigns fields.
  static override get name(): string {
    return "ClientError";
  }
  override get name(): string {
    return this.constructor.name;
  }
  /** The number of times the request was sent; 0 if nobody is signed in, which needs no request. */
  attempts = 1;
}

/** An answer that is not a success. */
export class AnswerError extends ClientError {
  /** HTTP status; 0 if a browser hides it, as for redirects. */
  readonly status: number;
  /** Include it in support requests. */
  readonly requestId: string | undefined;
  /** Seconds to wait before another try. */
  readonly retryAfter: number | undefined;

  constructor(message: string, { status, requestId, retryAfter }: AnswerFacts) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** The service refused the call or failed, and said why. */
export class ProblemError extends AnswerError {
  static override get name(): string {
    return "ProblemError";
  }
  /** Stable: branch on it. A newer service may send others. `gateway`: refused before the service ran. */
  readonly code: ProblemCode | "gateway" | (string & {});
  /** The invalid fields; empty for most codes. */
  readonly errors: readonly FieldFault[];
  /** The ids that do not exist, with `records_not_found`; empty for other codes. */
  readonly missingIds: readonly number[];
  /** The ids of records that were changed since, with `changed_since`; empty for other codes. */
  readonly changedIds: readonly number[];

  constructor(problem: Readonly<Record<string, unknown>>, facts: AnswerFacts) {
    const { detail, title, message, code } = problem;
    super(String([detail, title, message, code].find((text) => typeof text === "string")), facts);
    this.code = (code ?? "gateway") as string;
    this.errors = Array.isArray(problem.errors) ? problem.errors : [];
    this.missingIds = Array.isArray(problem.missing_ids) ? problem.missing_ids : [];
    this.changedIds = Array.isArray(problem.changed_ids) ? problem.changed_ids : [];
  }
}

/** The answer is not from this service: a redirect, HTML, an empty body, JSON of another shape. */
export class ProtocolError extends AnswerError {
  static override get name(): string {
    return "ProtocolError";
  }
}

/** No answer arrived: offline, refused, broken off, or blocked by CORS. `cause` is the error of `fetch`. */
export class NetworkError extends ClientError {
  static override get name(): string {
    return "NetworkError";
  }
}

/** The call took longer than its `timeout`. */
export class TimeoutError extends ClientError {
  static override get name(): string {
    return "TimeoutError";
  }
}
