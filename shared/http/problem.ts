import { busy, internalError, Refusal, type RefusalFacts, refusalCodes } from "../contract/refusals.ts";
import { isThrottled } from "../run/limits.ts";
import { commonHeaders } from "./answer.ts";
import { type HttpAnswer, type HttpRequest, requestIdOf } from "./http-event.ts";

/**
 * Middleware: turns every thrown error into a problem document (RFC 9457, D31). A call of AWS that is throttled, of whatever
 * service, is the refusal `busy` from here on.
 */
export function answerProblems() {
  return {
    onError(request: HttpRequest): void {
      const { error } = request;
      if (isThrottled(error)) request.error = busy("AWS throttles a call of the request", error.name);
      request.response = problemAnswer(request);
    },
  };
}

function problemAnswer(request: HttpRequest): HttpAnswer {
  const { error } = request;
  const isRefusal = error instanceof Refusal;
  const code = isRefusal ? error.code : internalError.code;
  const { status, title } = isRefusal ? refusalCodes[error.code] : internalError;
  const facts = isRefusal ? error.facts : {};
  const document = {
    type: `urn:workforce:problem:${code}`,
    title,
    status,
    detail: status < 500 ? error?.message : undefined,
    instance: request.event.rawPath,
    code,
    request_id: requestIdOf(request.event),
    errors: facts.errors,
    changed_ids: facts.changedIds,
    missing_ids: facts.missingIds,
  };
  return {
    statusCode: status,
    headers: {
      ...commonHeaders(request.event),
      "content-type": "application/problem+json; charset=utf-8",
      ...factHeaders(status, code, facts),
    },
    body: JSON.stringify(document),
  };
}

function factHeaders(status: number, code: string, facts: RefusalFacts): Record<string, string> {
  const { allowedMethods, retryAfterSeconds } = facts;
  const isOfToken = code.startsWith("token_") && code !== "token_missing";
  return {
    ...(status === 401 && { "www-authenticate": isOfToken ? 'Bearer error="invalid_token"' : "Bearer" }),
    ...(allowedMethods && { allow: allowedMethods.join(", ") }),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
}
