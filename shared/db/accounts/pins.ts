import { isLockedOut, mayBeTried, type PinHash, pinTryLimits } from "../../domain/accounts/pin.ts";
import { registeredUser } from "../../domain/accounts/registered-user.ts";
import { withAttempt } from "../../domain/accounts/throttle.ts";
import { busy } from "../table/conflicts.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { pinKey } from "../table/keys.ts";
import { getItem, type Item, updateIf } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";
import { planAttempt, type Throttled } from "./throttles.ts";
import { findUser, type StoredUser } from "./users.ts";

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
  readonly user: StoredUser;
  readonly seal: PinHash;
  /** Present when the user comes into being with this pin. */
  readonly registration: Registration | undefined;
}

/** Failed tries outlive their pin. */
const keepDays = 30;
const maxRaces = 60;

/**
 * Access pattern P1: stores the pin of a request over the pin of an older request, or over its own unspent one when the
 * request is worked on again; a pin without a registration discards one that waited. False when a newer request, or the
 * spent pin of this one, stands (D12, D16).
 */
export async function storePin(
  request: PinRequest,
  userId: number,
  seal: PinHash,
  registration?: Registration,
): Promise<boolean> {
  const stored = await updateIf({
    Key: pinKey(request.login),
    ConditionExpression:
      "attribute_not_exists(pk) OR requested_at < :requestedAt OR (request_id = :requestId AND attribute_not_exists(spent_at))",
    UpdateExpression:
      "SET user_id = :userId, hmac = :hmac, salt = :salt, request_id = :requestId, requested_at = :requestedAt, " +
      "valid_to = :validTo, tries = :none, registration = :registration, expires_at = :expiresAt REMOVE spent_at",
    ExpressionAttributeValues: {
      ":userId": userId,
      ":hmac": seal.hmac,
      ":salt": seal.salt,
      ":requestId": request.requestId,
      ":requestedAt": request.requestedAt.toISOString(),
      ":validTo": request.validTo.toISOString(),
      ":none": 0,
      ":registration": registration ?? null,
      ":expiresAt": epochSecondsAfter(request.validTo, keepDays),
    },
  });
  return stored !== undefined;
}

/**
 * Access pattern P2: counts a try of a login's live pin, for the pin, the login and the client, before anything is
 * compared; gives the pin and its user. Undefined when there is no pin, or it is expired, spent or tried too often: then
 * the try counts for the client alone. Refused as `too_many_requests` when the client tried too often. Tries in parallel
 * are counted one by one (D10). Two round trips, 2.5 read units.
 */
export async function tryPin(login: string, client: Throttled, now: Date): Promise<PinTry | undefined> {
  for (let race = 0; race < maxRaces; race += 1) {
    const [pin, clientWrite] = await Promise.all([
      getItem(pinKey(login), { consistent: true }),
      planAttempt(client, now, { consistent: race > 0 }),
    ]);
    const tried = pin && mayBeTried(pinState(pin), now) ? pin : undefined;
    const writes = tried ? [clientWrite, countTry(login, tried, now)] : [clientWrite];
    const [failed, user] = await Promise.all([transact(writes), tried && findUserOfPin(login, tried)]);
    if (failed.length === 0) return tried && user && toTry(tried, user);
  }
  throw busy();
}

/** Access pattern P5: true when a login's pin flow is closed (D10). One read unit. */
export async function isPinFlowClosed(login: string): Promise<boolean> {
  const pin = await getItem(pinKey(login), { consistent: true });
  return isLockedOut(Number(pin?.streak ?? 0));
}

/** Access pattern P6: opens the pin flow of a login and forgets its failed tries: it has succeeded by other means (D10). */
export async function reopenPinFlow(login: string): Promise<void> {
  await updateIf({
    Key: pinKey(login),
    ConditionExpression: "attribute_exists(pk)",
    UpdateExpression: "REMOVE failures, streak",
  });
}

/** The condition lets one try through at a time, and only against the pin that was read. */
function countTry(login: string, pin: Item, now: Date): TransactionWrite {
  return {
    Update: {
      Key: pinKey(login),
      ConditionExpression: "hmac = :hmac AND tries = :tries AND attribute_not_exists(spent_at)",
      UpdateExpression: "SET failures = :failures, streak = :streak ADD tries :one",
      ExpressionAttributeValues: {
        ":hmac": pin.hmac,
        ":tries": pin.tries,
        ":failures": withAttempt(pinState(pin).failures, pinTryLimits, now.getTime()),
        ":streak": pinState(pin).streak + 1,
        ":one": 1,
      },
    },
  };
}

function pinState(pin: Item) {
  return {
    validTo: new Date(String(pin.valid_to)),
    isSpent: pin.spent_at !== undefined,
    tries: Number(pin.tries),
    failures: (pin.failures ?? []) as readonly number[],
    streak: Number(pin.streak ?? 0),
  };
}

async function findUserOfPin(login: string, pin: Item): Promise<StoredUser | undefined> {
  const registration = registrationOf(pin);
  const id = Number(pin.user_id);
  return registration ? registeredUser(id, login, registration) : findUser(id);
}

function registrationOf(pin: Item): Registration | undefined {
  return (pin.registration ?? undefined) as Registration | undefined;
}

function toTry(pin: Item, user: StoredUser): PinTry {
  return { user, seal: { hmac: pin.hmac as string, salt: pin.salt as string }, registration: registrationOf(pin) };
}
