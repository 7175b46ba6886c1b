import { isLockedOut, mayBeTried, type PinHash, type PinStanding, pinTryLimits } from "../../domain/accounts/pin.ts";
import { withAttempt } from "../../domain/accounts/throttle.ts";
import { registeredUser } from "../../domain/accounts/users.ts";
import { type RacePace, retryRaces } from "../table/conflicts.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { type Key, updateIf } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";
import { planAttempt, type Throttled } from "./throttles.ts";
import { findUser, type User } from "./users.ts";

/** The live pin of a login as the table has it, with the login's failed tries over all its pins. */
interface StoredPin extends StoredItem, PinHash {
  readonly user_id: number;
  readonly request_id: string;
  readonly requested_at: string;
  readonly valid_to: string;
  readonly expires_at: number;
  readonly tries: number;
  readonly spent_at?: string;
  /** Null where a known user asked; absent once the pin is spent. */
  readonly registration?: Registration | null;
  readonly failures?: readonly number[];
  readonly streak?: number;
}

/** The entity of pins. */
export const pins = defineEntity<StoredPin>("pin", ({ pk, sk }) => sk === "PIN" && pk.startsWith("LOGIN#"));

/** The request that a pin answers: a newer one replaces an older one (D9, D12). */
export interface PinRequest {
  readonly login: string;
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly validTo: Date;
}

/** What someone registered with, waiting for the pin that makes it count (D16). */
export interface Registration {
  readonly first_name: string;
  readonly last_name: string;
  readonly password_hash: string;
}

/** A pin that may be compared: one of its tries has been spent on it. */
export interface PinTry {
  readonly user: User;
  readonly hash: PinHash;
  /** Present when the user comes into being with this pin. */
  readonly registration: Registration | undefined;
}

/** Failed tries outlive their pin. */
const keepDays = 30;

/** Tries of one login come in parallel, and each of them is counted. */
const pace: RacePace = { races: 60, firstPauseMs: 1, longestPauseMs: 50 };

/** Key of the live pin of a login. */
export function pinKey(login: string): Key {
  return { pk: `LOGIN#${login}`, sk: "PIN" };
}

/**
 * Access pattern P1: stores the pin of a request over the pin of an older request, or over its own unspent one when the
 * request is processed again; a pin without a registration discards one that waited. False when the pin of a newer request,
 * or the spent pin of this one, is stored (D12, D16). All but the failed tries is replaced, so that the pin is of this
 * version, whatever the one before was.
 */
export async function storePin(
  request: PinRequest,
  userId: number,
  hash: PinHash,
  registration?: Registration,
): Promise<boolean> {
  const { requestId: request_id, validTo } = request;
  const requested_at = request.requestedAt.toISOString();
  const when =
    "attribute_not_exists(pk) OR requested_at < :requestedAt OR (request_id = :requestId AND attribute_not_exists(spent_at))";
  const values = { ":requestedAt": requested_at, ":requestId": request_id };
  const life = { valid_to: validTo.toISOString(), expires_at: epochSecondsAfter(validTo, keepDays) };
  const of = { user_id: userId, hmac: hash.hmac, salt: hash.salt, request_id, requested_at, ...life };
  const set = { ...of, tries: 0, registration: registration ?? null, schema_version: pins.version };
  const changes = { when, values, set, remove: ["spent_at", "schema_readable_from"] };
  const stored = await updateIf(updateOf(pinKey(request.login), changes));
  return stored !== undefined;
}

/**
 * Access pattern P2: counts a try of a login's live pin, for the pin, the login and the client, before anything is
 * compared; gives the pin and its user. Undefined when there is no pin, or it is expired, spent or tried too often: then
 * the try counts for the client alone. Refused as `too_many_requests` when the client tried too often. Tries in parallel
 * are counted one by one (D10). Two round trips, 2.5 read units.
 */
export async function tryPin(login: string, client: Throttled, now: Date): Promise<PinTry | undefined> {
  const counted = await retryRaces(async (race) => {
    const [pin, clientWrite] = await Promise.all([
      pins.find(pinKey(login), { consistent: true }),
      planAttempt(client, now, { consistent: race > 0 }),
    ]);
    const tried = pin && mayBeTried(standingOf(pin), now) ? pin : undefined;
    const writes = tried ? [clientWrite, countTry(login, tried, now)] : [clientWrite];
    const [failed, user] = await Promise.all([transact(writes), tried && findUserOfPin(login, tried)]);
    return failed.length === 0 ? { pinTry: tried && user && toTry(tried, user) } : undefined;
  }, pace);
  return counted.pinTry;
}

/** Access pattern P5: true when a login's pin flow is closed (D10). One read unit. */
export async function isPinFlowClosed(login: string): Promise<boolean> {
  const pin = await pins.find(pinKey(login), { consistent: true });
  return isLockedOut(pin?.streak ?? 0);
}

/** Access pattern P6: opens the pin flow of a login and forgets its failed tries: it has succeeded by other means (D10). */
export async function reopenPinFlow(login: string): Promise<void> {
  await updateIf(updateOf(pinKey(login), { when: "attribute_exists(pk)", remove: ["failures", "streak"] }));
}

/** The write that spends a pin, while it is the one that was compared. */
export function spend(login: string, { hash }: PinTry, now: Date): TransactionWrite {
  const where = { hmac: hash.hmac, spent_at: undefined };
  const changes = { set: { spent_at: now.toISOString() }, remove: ["registration", "failures", "streak"] };
  return { Update: updateOf(pinKey(login), { where, ...changes }) };
}

/** The condition lets one try through at a time, and only against the pin that was read. */
function countTry(login: string, pin: StoredPin, now: Date): TransactionWrite {
  const { failures, streak } = standingOf(pin);
  const where = { hmac: pin.hmac, tries: pin.tries, spent_at: undefined };
  const set = { failures: withAttempt(failures, pinTryLimits, now.getTime()), streak: streak + 1 };
  return { Update: updateOf(pinKey(login), { where, set, add: { tries: 1 } }) };
}

function standingOf({ valid_to, spent_at, tries, failures = [], streak = 0 }: StoredPin): PinStanding {
  return { validTo: new Date(valid_to), isSpent: spent_at !== undefined, tries, failures, streak };
}

async function findUserOfPin(login: string, { user_id: id, registration }: StoredPin): Promise<User | undefined> {
  return registration ? registeredUser(id, login, registration) : findUser(id);
}

function toTry({ hmac, salt, registration }: StoredPin, user: User): PinTry {
  return { user, hash: { hmac, salt }, registration: registration ?? undefined };
}
