import type { Change } from "../domain/records/change.ts";
import { Refusal } from "../domain/refusal.ts";
import { dropPieces, findPieces, keepInPieces } from "./answer-pieces.ts";
import { deleteIf, putIf, updateIf } from "./table/conditional-writes.ts";
import { anyOf, has, isAbsent } from "./table/conditions.ts";
import { defineEntity, type StoredItem } from "./table/entity.ts";
import { epochSeconds } from "./table/expiry.ts";
import { paces, retry } from "./table/retry.ts";
import type { Item, Key } from "./table/table.ts";

/** The run of a request as the table has it, then its answer. */
interface StoredRun extends StoredItem {
  readonly body_hmac: string;
  readonly run_id: string;
  readonly request_token: string;
  readonly asked_at: string;
  /** What the writes of the first run say of themselves. */
  readonly asked_change?: Change | undefined;
  /** Present while the run is under way. */
  readonly leased_to?: string;
  /** Compressed; what does not fit goes into `further_pieces` items. */
  readonly kept_answer?: Uint8Array;
  readonly further_pieces?: number;
  readonly valid_to: string;
  readonly expires_at: number;
}

/** The entity of the runs of requests with an Idempotency-Key. */
export const idempotentRuns = defineEntity<StoredRun>(
  "idempotent run",
  ({ pk, sk }) => pk.startsWith("IDEMPOTENCY#") && sk === "IDEMPOTENCY",
);

/** A request with an Idempotency-Key: its user, its operation, its key, and what it is recognised by. */
export interface IdempotentRequest {
  readonly userId: number;
  readonly operation: string;
  readonly key: string;
  /** Keyed hash of who sent what. */
  readonly fingerprint: string;
  /** True for a stored fingerprint of the same request: the same key with another one is another request. */
  readonly matches: (fingerprint: string) => boolean;
  /** The change that the request begins, unless another run has begun one. */
  readonly change: Change;
}

/** One run of a request: only it may store an answer or release the key. */
export interface Run {
  readonly record: Key;
  readonly id: string;
  /** Names the request's first transaction, the same in every run. */
  readonly token: string;
  /** When the first run began. */
  readonly requestedAt: Date;
  /** The change that the first run began, where this is another one: its writes are the very same. */
  readonly continues?: Change | undefined;
  readonly validTo: Date;
}

/** What `acquireRun` gives: a run of its own, or the answer of an earlier run. */
export type AcquiredRun = { readonly run: Run } | { readonly answer: string };

/** Conditions on a stored run. */
const isUnderWay = has("leased_to");
const hasExpired = "valid_to <= :now";
const isThisRun = "run_id = :run";

/** How long a run has its lease; longer than any function may run. */
export const leaseSeconds = 60;

export const idempotencyMs = 24 * 60 * 60_000;
const retryAfterSeconds = 1;
/** A lease that has ended, whatever the clock. */
const handedOn = new Date(0).toISOString();

/**
 * Access pattern IK1: acquires the run of a request, for 24 hours (D32). Refuses as `idempotency_key_reused` when the key
 * belongs to another request, and as `request_in_progress` while another run has the lease, or after 5 lost races; when the
 * lease expires, the run is taken over. One write unit for a new key; for a known one a write unit for each KB of the kept answer, and a read unit
 * for every 4 KB.
 */
export async function acquireRun(request: IdempotentRequest, now: Date): Promise<AcquiredRun> {
  const { userId, operation, key } = request;
  const record = { pk: `IDEMPOTENCY#${userId}#${operation}#${key}`, sk: "IDEMPOTENCY" };
  return retry(
    paces.sameRequest,
    () => tryToAcquire(request, record, now),
    () => {
      throw inProgress();
    },
  );
}

/** Undefined where the run was changed by others between the reads and the writes. */
async function tryToAcquire(request: IdempotentRequest, record: Key, now: Date): Promise<AcquiredRun | undefined> {
  const run = newRun(record, now);
  if (await orHandOn(run, () => openRun(run, request, now))) return { run };
  const stored = await idempotentRuns.find(record, { consistent: true });
  if (!stored || stored.valid_to <= now.toISOString()) return undefined;
  if (!request.matches(stored.body_hmac)) {
    throw new Refusal("idempotency_key_reused", "The Idempotency-Key belongs to another request of yours");
  }
  if (stored.kept_answer) {
    const answer = await findPieces(record, stored.run_id, stored);
    return answer === undefined ? undefined : { answer };
  }
  if (!stored.leased_to || stored.leased_to > now.toISOString()) throw inProgress();
  const taken = await orHandOn(run, () => takeOver(run, stored, now));
  return taken && { run: taken };
}

/**
 * Access pattern IK2: stores the answer of a run, compressed; what one item cannot hold goes into further ones. False when
 * another run took over: its answer is stored then. One write unit a KB.
 */
export async function keepAnswer(run: Run, answer: string): Promise<boolean> {
  const { first, further } = await keepInPieces(run, answer);
  const set = { kept_answer: first, further_pieces: further };
  const changes = { where: { run_id: run.id }, set, remove: ["leased_to"] };
  return (await updateIf(run.record, changes)) !== undefined;
}

/** Access pattern IK3: releases the key of a run, as if it had never been used. One write unit. */
export async function releaseRun(run: Run): Promise<void> {
  await deleteIf({
    Key: { ...run.record },
    ConditionExpression: isThisRun,
    ExpressionAttributeValues: { ":run": run.id },
  });
}

/**
 * Access pattern IK4: ends the lease of a run whose outcome is unknown, as the answer of a call was lost. A repetition takes
 * it over at once, with its token and its moment, so that what it did is not done twice. One write unit.
 */
export async function handOnRun(run: Run): Promise<void> {
  const changes = { where: { run_id: run.id }, when: isUnderWay, set: { leased_to: handedOn } };
  await updateIf(run.record, changes);
}

/** A run that may have begun without anybody knowing must not keep its key from the next one. */
async function orHandOn<T>(run: Run, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    await handOnRun(run);
    throw error;
  }
}

function newRun(record: Key, now: Date): Run {
  const validTo = new Date(now.getTime() + idempotencyMs);
  return { record, id: crypto.randomUUID(), token: crypto.randomUUID(), requestedAt: now, validTo };
}

function openRun(run: Run, { fingerprint, change }: IdempotentRequest, now: Date): Promise<boolean> {
  const opened = {
    ...run.record,
    body_hmac: fingerprint,
    run_id: run.id,
    request_token: run.token,
    asked_at: run.requestedAt.toISOString(),
    asked_change: change,
    leased_to: leaseFrom(now),
    valid_to: run.validTo.toISOString(),
    expires_at: epochSeconds(run.validTo),
  };
  return putIf({
    Item: idempotentRuns.encode(opened),
    ConditionExpression: anyOf(isAbsent, hasExpired),
    ExpressionAttributeValues: { ":now": now.toISOString() },
  });
}

/** Takes over an interrupted run with its token and its moment: what it did is not done twice. */
async function takeOver(run: Run, stored: StoredRun, now: Date): Promise<Run | undefined> {
  const [where, set] = [{ run_id: stored.run_id }, { run_id: run.id, leased_to: leaseFrom(now) }];
  const item = await updateIf(run.record, { where, when: isUnderWay, set });
  if (!item) return undefined;
  const { request_token: token, asked_at, asked_change: continues, valid_to } = idempotentRuns.decode(item);
  return { ...run, token, requestedAt: new Date(asked_at), continues, validTo: new Date(valid_to) };
}

function leaseFrom(now: Date): string {
  return new Date(now.getTime() + leaseSeconds * 1000).toISOString();
}

function inProgress(): Refusal {
  return new Refusal("request_in_progress", "The request of this Idempotency-Key is under way", { retryAfterSeconds });
}

/**
 * Replaces the kept answer of a run as it was read; `rewrite` gives the next one, or undefined where it stays. At each moment it is one
 * of the two. True where it is another; false where there is none that can be read, it stays, or another run has begun meanwhile.
 */
export async function rewriteAnswer(
  item: Item,
  rewrite: (answer: string) => string | undefined,
  isDryRun: boolean,
): Promise<boolean> {
  const { pk, sk, run_id, valid_to, ...stored } = idempotentRuns.decode(item);
  if (!stored.kept_answer) return false;
  const record = { pk, sk };
  const answer = await findPieces(record, run_id, stored);
  const next = answer === undefined ? undefined : rewrite(answer);
  if (next === undefined || isDryRun) return next !== undefined;
  // Under another name: what is read meanwhile finds all pieces of the one or of the other.
  const id = crypto.randomUUID();
  const { first, further } = await keepInPieces({ record, id, validTo: new Date(valid_to) }, next);
  const set = { run_id: id, kept_answer: first, further_pieces: further };
  const isReplaced = (await updateIf(record, { where: { run_id }, set })) !== undefined;
  await (isReplaced ? dropPieces(record, run_id, stored.further_pieces ?? 0) : dropPieces(record, id, further));
  return isReplaced;
}
