import { createHmac } from "node:crypto";
import type { IdempotentOperation } from "../contract/operation.ts";
import { acquireRun, keepAnswer, type Run, releaseRun } from "../db/idempotency.ts";
import { Refusal } from "../domain/refusal.ts";
import { faultFields, log } from "../logger.ts";
import { hmacKey } from "../secrets.ts";
import { settings } from "../settings.ts";
import { answerHeaders, type Reply, successAnswer } from "./answer.ts";
import { forSignedInAnswer, type Passage, type SignedInRequest } from "./endpoint.ts";
import { type HttpAnswer, requestIdOf } from "./request.ts";

/** What the function of a idempotent operation gets beside a signed-in user's request. */
export interface IdempotentInput<O extends IdempotentOperation> extends SignedInRequest<O> {
  /** When the caller first asked for this: earlier than `now` where a run that broke off is taken over. */
  readonly requestedAt: Date;
  /** Names the first transaction, so that it is carried out once in all runs; undefined without an Idempotency-Key. */
  readonly token: string | undefined;
}

/**
 * The handler of an operation that carries out a request with an `Idempotency-Key` once in 24 hours, and gives repetitions
 * the first answer again (D32). The key is looked at when all else about the request is in order; without one nothing is
 * read or written.
 */
export function idempotent<O extends IdempotentOperation>(
  operation: O,
  handle: (request: IdempotentInput<O>) => Promise<Reply<O>>,
) {
  return forSignedInAnswer(operation, async (request: SignedInRequest<O>, passage) => {
    const answer = async ({ requestedAt, token }: Pick<IdempotentInput<O>, "requestedAt" | "token">) =>
      successAnswer(operation, await handle({ ...request, requestedAt, token }), passage);
    const key = idempotencyKeyOf(passage);
    if (key === undefined) return answer({ requestedAt: request.now, token: undefined });
    const { userId } = request.caller;
    const seal = await sealOf(userId, operation.name, passage);
    const claimed = await acquireRun({ userId, operation: operation.name, key, seal }, request.now);
    return "run" in claimed ? runOnce(claimed.run, answer, passage) : replay(claimed.answer, passage);
  });
}

function idempotencyKeyOf({ event }: Passage): string | undefined {
  const key = event.headers["idempotency-key"];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal("fields_invalid", "Invalid: Idempotency-Key", {
    errors: [{ header: "Idempotency-Key", code: "invalid", detail: "must be 1 to 255 visible ASCII characters" }],
  });
}

/** What was sent is known again by its keyed hash alone. It is taken once validated, however the JSON was written. */
async function sealOf(userId: number, operation: string, { event }: Passage): Promise<string> {
  return createHmac("sha256", await hmacKey())
    .update(`idempotency|${userId}|${operation}|${JSON.stringify(event.input)}`)
    .digest("base64url");
}

async function runOnce(run: Run, answer: (run: Run) => Promise<HttpAnswer>, passage: Passage): Promise<HttpAnswer> {
  let given: HttpAnswer;
  try {
    given = await answer(run);
  } catch (error) {
    await endRun("idempotency_key_not_released", passage, () => releaseRun(run));
    throw error;
  }
  const { body, headers } = given;
  await endRun("idempotent_answer_not_kept", passage, () => keepAnswer(run, JSON.stringify({ body, headers })));
  return given;
}

/** What became of the request stands; when it cannot be noted, the lease ends and a repetition takes the run over. */
async function endRun(message: string, passage: Passage, end: () => Promise<unknown>): Promise<void> {
  try {
    await end();
  } catch (error) {
    const fields = { operation: settings.operation(), request_id: requestIdOf(passage) };
    log("error", message, { ...fields, ...faultFields(error) });
  }
}

function replay(kept: string, passage: Passage): HttpAnswer {
  const { body, headers } = JSON.parse(kept) as Required<Pick<HttpAnswer, "body" | "headers">>;
  return {
    statusCode: 200,
    headers: { ...headers, ...answerHeaders(passage), "idempotency-replayed": "true" },
    body,
  };
}
