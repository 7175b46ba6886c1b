import type { Operation } from "../contract/operation.ts";
import { acquireRun, handOnRun, keepAnswer, releaseRun } from "../db/idempotent-runs.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, log } from "../logger.ts";
import { hmacKey } from "../secrets.ts";
import { answerHeaders } from "./answer.ts";
import { type HttpAnswer, type HttpEvent, type HttpRequest, requireCaller, requireChange } from "./http-event.ts";

/** A request's way through the service, which its answer and its log lines belong to. */
type Passage = Pick<HttpRequest, "event" | "context">;

/**
 * Middleware: carries out a request with an `Idempotency-Key` once in 24 hours, and gives repetitions the first answer
 * again (D32). It comes last, when all else about the request is in order, what `authorize` asks of the caller included:
 * whether a key is known must not say whether a passcode is right (D19). Without a key nothing is read or written.
 */
export function carryOutOnce({ name }: Pick<Operation, "name">, authorize: (passage: Passage) => Promise<void>) {
  return {
    async before(request: HttpRequest): Promise<void> {
      const key = idempotencyKeyOf(request.event);
      if (key === undefined) return;
      await authorize(request);
      await begin(name, key, request);
    },
    after(request: HttpRequest): Promise<void> | undefined {
      const { run } = request.event;
      const { body, headers } = request.response ?? {};
      return run && end("idempotent_answer_not_kept", () => keepAnswer(run, JSON.stringify({ body, headers })));
    },
    onError(request: HttpRequest): Promise<void> | undefined {
      const { run } = request.event;
      const release = isOutcomeKnown(request.error) ? releaseRun : handOnRun;
      return run && end("idempotency_key_not_released", () => release(run));
    },
  };
}

/** True for a refusal, and where AWS says that it did not do what was asked; after a lost answer nobody knows. */
function isOutcomeKnown(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
  return error instanceof Refusal || (status !== undefined && status >= 400 && status < 500);
}

function idempotencyKeyOf({ headers }: HttpEvent): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal("fields_invalid", "Invalid: Idempotency-Key", {
    errors: [{ header: "Idempotency-Key", code: "invalid", detail: "must be 1 to 255 visible ASCII characters" }],
  });
}

/** The request gets a run of its own, or the answer of an earlier run. */
async function begin(operation: string, key: string, { event, context }: Passage): Promise<void> {
  const caller = requireCaller(event);
  const known = await fingerprintsOf(caller, operation, event.input);
  const asked = { userId: caller.userId, operation, key, ...known, change: requireChange(event) };
  const acquired = await acquireRun(asked, new Date());
  if ("run" in acquired) event.run = acquired.run;
  else event.keptAnswer = replay(acquired.answer, { event, context });
}

/**
 * The keyed hash of who sent what, after validation: the same however the JSON was written. A user in another role or company
 * is another caller; the passcode was checked, and is not compared.
 */
async function fingerprintsOf(caller: Caller, operation: string, input: HttpEvent["input"]) {
  const { userId, role, companyId } = caller;
  const key = await hmacKey();
  const sent = `${userId}|${role}|${companyId}|${operation}|${JSON.stringify({ ...input, body: withoutPasscode(input?.body) })}`;
  return {
    fingerprint: key.sign("idempotency", sent),
    matches: (stored: string) => key.verify("idempotency", sent, stored),
  };
}

function withoutPasscode(body: unknown): unknown {
  const { passcode: _checked, ...fields } = (body ?? {}) as Record<string, unknown>;
  return fields;
}

function replay(kept: string, passage: Passage): HttpAnswer {
  const { body, headers } = JSON.parse(kept) as Required<Pick<HttpAnswer, "body" | "headers">>;
  return {
    statusCode: 200,
    headers: { ...headers, ...answerHeaders(passage), "idempotency-replayed": "true" },
    body,
  };
}

/** The outcome of the request is final; when it cannot be stored, the lease expires and a repetition takes the run over. */
async function end(message: string, note: () => Promise<unknown>): Promise<void> {
  try {
    await note();
  } catch (error) {
    log("error", message, faultFields(error));
  }
}
