import { Refusal } from "../contract/refusals.ts";
import { findCompany } from "../records/companies.ts";
import { byUser } from "../run/change.ts";
import { count } from "../run/log.ts";
import type { WriteContext } from "../table/plans.ts";
import { paces, retry } from "../table/retry.ts";
import { keyOf, queryItems } from "../table/table.ts";
import { type TransactionWrite, transact, updateIf, updateOf } from "../table/writes.ts";
import { hashToken, hmacKey } from "../tokens/secrets.ts";
import { clientOfSubject, countFailure, findCount, subjectOf } from "./limits.ts";
import { createLogin, markLoginConfirmed } from "./logins.ts";
import {
  allLogins,
  isLong,
  mayTry,
  pinKey,
  pinRules,
  pins,
  type StoredPin,
  type TriedPin,
  unusablePinHash,
  verifyPin,
} from "./pins.ts";
import { putResetToken, resetTokenOf } from "./reset.ts";
import { registeredUser, type ShownUser } from "./shown-user.ts";
import type { Login } from "./typed-login.ts";
import {
  createUser,
  findAccount,
  findStoredUser,
  giveResetToken,
  nobody,
  type StoredUser,
  toUser,
  type User,
} from "./users.ts";

/** Tries of a login's short pins in a day; `wrongPins` limits those of all logins (D10). */
const { triesADay } = pinRules;

/** The time during which the client that spent a pin gets the same answer again (D13). */
export const pinRepeatMs = 60_000;

/** A user whose login was confirmed, with the token that sets their password (D13, D14). */
type ConfirmedUser = ShownUser & { readonly reset_password_token: string };

/**
 * Confirms a login with its pin, or refuses every fault as `pin_invalid`. A try of a short pin is counted, right or wrong; the
 * right pin again from the same client within a minute is answered again (D10, D13). Three round trips, 3 read units.
 */
export async function confirm(
  login: Login,
  pin: string,
  address: string,
  context: WriteContext,
): Promise<ConfirmedUser> {
  const { now } = context;
  const key = await hmacKey();
  const client = await clientOfSubject("pin", login.value, address);
  const isRight: PinCompare = (stored) => verifyPin(pin, stored?.user_id ?? nobody, stored ?? unusablePinHash, key);
  const guess = { login: await subjectOf("pin", login.value), client, isRight };
  const tried = await tryPins(guess, now);
  const [isAdmitted, confirmed] = await Promise.all([tried.isAdmitted, tried.pin && findConfirmed(login, tried.pin)]);
  if (!isAdmitted || !confirmed) refusePin();

  const { user } = confirmed;
  const resetToken = resetTokenOf(pin, user.id, confirmed.pin, key);
  const [isAnswered, company] = await Promise.all([
    spendOnce(login.value, confirmed, client, hashToken(resetToken), context),
    findCompany(user.financial_company_id),
  ]);
  if (!isAnswered) refusePin();
  return { ...user, company, reset_password_token: resetToken };
}

/** Compares the pin that was sent with a stored one, and takes as long if there is none. */
export type PinCompare = (pin: StoredPin | undefined) => boolean;

/** A try of the pins of a login: the keyed hashes of the login and of the client, and the comparison. */
interface PinGuess {
  readonly login: string;
  readonly client: string;
  readonly isRight: PinCompare;
}

/** The right pin, and the end of its counting: true if it may be answered. */
interface RightPin {
  readonly pin: StoredPin | undefined;
  readonly isAdmitted: Promise<boolean>;
}

/**
 * Access pattern P2: tries the pins of a login. The comparison comes before the count, so that the reads of the right pin's user
 * can run beside it; nothing may be answered before the count. 1.5 read units. A wrong short pin costs 2 write units, a right
 * one 1, a long one none.
 */
export async function tryPins({ login, client, isRight }: PinGuess, now: Date): Promise<RightPin> {
  const [stored, wrongPins] = await Promise.all([findPins(login), findCount(allLogins, now)]);
  const tried = stored.map((pin) => ({ pin, kind: tryOf(pin, { wrongPins, client, now }) }));
  const compared = tried.filter(({ kind }) => kind !== "none");
  const matches = compared.length === 0 ? [isRight(undefined)] : compared.map(({ pin }) => isRight(pin));
  const right = compared[matches.indexOf(true)];
  const counted = compared.flatMap(({ pin, kind }) => (kind === "counted" ? [pin] : []));
  return { pin: right?.pin, isAdmitted: countTries(counted, right?.pin, now) };
}

async function findPins(login: string): Promise<StoredPin[]> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :login",
    ExpressionAttributeValues: { ":login": pinKey(login, "PIN").pk },
    ConsistentRead: true,
  });
  return items.map(pins.decode);
}

/** The moment and the origin of a try. */
interface PinTry {
  readonly wrongPins: number;
  /** The client, by a keyed hash. */
  readonly client: string;
  readonly now: Date;
}

/**
 * Decides a try of a pin: compared and counted, compared alone, or neither. A short pin counts each try, a long one none. The
 * client that spent a pin may try it again for a minute (D9, D10, D13).
 */
export function tryOf(pin: TriedPin, { wrongPins, client, now }: PinTry): "counted" | "free" | "none" {
  const isOpen = pin.spent_at === undefined ? now.toISOString() < pin.valid_to : isRepeated(pin, client, now);
  if (!isOpen) return "none";
  if (isLong(pin)) return "free";
  return mayTry(pin, wrongPins) ? "counted" : "none";
}

/** True for the client that spent a pin within the last minute (D13). */
function isRepeated({ spent_at, spent_from }: TriedPin, client: string, now: Date): boolean {
  return spent_at !== undefined && spent_from === client && now.getTime() - Date.parse(spent_at) < pinRepeatMs;
}

/** Counts a try at each short pin; false if the right one has no tries left. */
async function countTries(short: readonly StoredPin[], right: StoredPin | undefined, now: Date): Promise<boolean> {
  const [counts] = await Promise.all([
    Promise.all(short.map(countTry)),
    right || short.length === 0 ? undefined : countFailure(allLogins, now),
  ]);
  return short.every((pin, at) => pin !== right || counts[at]);
}

async function countTry(pin: StoredPin): Promise<boolean> {
  const ifTriesLeft = { when: "tries < :most", values: { ":most": triesADay } };
  const changes = { where: { request_id: pin.request_id }, ...ifTriesLeft, add: { tries: 1 } };
  return (await updateIf(keyOf(pin), changes)) !== undefined;
}

/** The right pin of a login, and its user. */
interface ConfirmedPin {
  readonly pin: StoredPin;
  readonly user: User;
  /** The same as the table has it; undefined if the user comes into being with this pin. */
  readonly stored: StoredUser | undefined;
  /** True if the same client spent it within the last minute (D13). */
  readonly isRepeated: boolean;
}

/** Finds the user of the right pin, or the one that comes into being with it; undefined if there is none (D9, D16). */
async function findConfirmed({ value }: Login, pin: StoredPin): Promise<ConfirmedPin | undefined> {
  const { sk, user_id: id = nobody, spent_at } = pin;
  const isRepeated = spent_at !== undefined;
  const registers = sk === "REGISTRATION" && !isRepeated;
  // Who registered with this pin may have come into being a moment ago.
  const stored = registers ? undefined : await findStoredUser(id, { consistent: isRepeated });
  const user = registers ? registeredUser(id, value) : stored && toUser(stored);
  return user && { pin, user, stored, isRepeated };
}

/** Spends a pin. True as well if this client spent it within the last minute and its reset token still counts (D13). */
async function spendOnce(
  login: string,
  confirmed: ConfirmedPin,
  client: string,
  resetHash: string,
  context: WriteContext,
): Promise<boolean> {
  const { pin, user, isRepeated } = confirmed;
  const writing = { ...context, change: byUser(context.change, user.id) };
  if (!isRepeated && (await spendPin(login, confirmed, { client, resetHash }, writing))) return true;
  const [isOwn, account] = await Promise.all([wasSpentFrom(pin, client, context.now), findAccount(user.id)]);
  return isOwn && account?.resetHash === resetHash;
}

/** The client that spends a pin, by a keyed hash, and the hash of the reset token that it gets. */
interface Spending {
  readonly client: string;
  readonly resetHash: string;
}

/**
 * Access pattern P8: spends a pin that fits, and stores the reset token that replaces the user's earlier one; confirms the login,
 * or with the pin of a registration makes its user, all or nothing. False if the pin was spent or replaced meanwhile, or the
 * login of a registration was taken (D13, D14, D16). One transaction of 4 writes; if others write the user meanwhile, one more
 * each time, and one read unit.
 */
export async function spendPin(
  login: string,
  { pin, user, stored: read }: ConfirmedPin,
  { client, resetHash }: Spending,
  context: WriteContext,
): Promise<boolean> {
  const { id } = user;
  const { now } = context;
  return retry(paces.record, async (count) => {
    const stored = !read || count === 0 ? read : await findStoredUser(id);
    if (read && !stored) return false;
    const ofLogin = stored ? markLoginConfirmed(login, id, now) : createLogin(login, id, now);
    const ofUser = stored ? giveResetToken(stored, resetHash, context) : createUser(user, resetHash, context);
    const token = putResetToken(id, resetHash, now);
    const failed = await transact([ofUser, ofLogin, spend(pin, client, now), token]);
    const isUserAlone = failed.length === 1 && failed[0] === 0;
    return isUserAlone && stored ? undefined : failed.length === 0;
  });
}

/** The write that spends a pin, while it is the one that was compared. */
function spend(pin: StoredPin, spent_from: string, now: Date): TransactionWrite {
  const where = { request_id: pin.request_id, hmac: pin.hmac, spent_at: undefined };
  return { Update: updateOf(keyOf(pin), { where, set: { spent_at: now.toISOString(), spent_from } }) };
}

/** Access pattern P3: true if a pin was spent by this client within the last minute (D13). One read unit. */
async function wasSpentFrom(pin: StoredPin, client: string, now: Date): Promise<boolean> {
  const found = await pins.find(keyOf(pin), { consistent: true });
  return found !== undefined && found.hmac === pin.hmac && isRepeated(found, client, now);
}

/** Every kind of wrong pin counts as one failure: guessing shows in their number. */
function refusePin(): never {
  count("PinFailures", {});
  throw new Refusal("pin_invalid", "The pin is wrong, expired or spent; check the digits, or request a pin");
}
