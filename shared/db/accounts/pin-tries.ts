import type { PinHash } from "../../domain/accounts/pin.ts";
import { registeredUser } from "../../domain/accounts/shown-users.ts";
import { isTestUser } from "../../domain/accounts/test-user.ts";
import { triesOfPin, triesPerPin } from "../../domain/guessing/client-guesses.ts";
import type { LoginGuesses } from "../../domain/guessing/login-guesses.ts";
import { livePin, triesApart, tryLivePin } from "../../domain/guessing/pin-flow.ts";
import { paces, retry } from "../table/retry.ts";
import { transact } from "../table/transaction.ts";
import { findGuesses, type Guesser, type Guesses, planGuess, replaceLoginGuesses } from "./guesses.ts";
import { pinKey, pins, repeatMs, type StoredPin } from "./pins.ts";
import { findStoredUser, type StoredUser, toUser, type User } from "./users.ts";

/** A pin that may be compared and is the right one: one of its tries has been spent on it. */
export interface PinTry {
  readonly user: User;
  /** The same as the table has it; undefined when the user comes into being with this pin. */
  readonly stored: StoredUser | undefined;
  readonly hash: PinHash;
  readonly askedAt: number;
  /** True when the user comes into being with this pin. */
  readonly registers: boolean;
  /** True where the same client spent it within the last minute (D13). */
  readonly isRepeated: boolean;
  /** The company of the test logins, if it is their pin (D9). */
  readonly testCompanyId?: number | undefined;
}

/** A try that was counted, with the pin where it is the right one. */
export interface CountedTry {
  readonly pinTry: PinTry | undefined;
  readonly client: Guesses["client"];
}

/** Compares the pin that was sent with a login's, and takes as long where there is none to compare it with. */
export type PinCompare = (pin: StoredPin | undefined) => boolean;

/**
 * Access pattern P2: counts a try of a login's pin, for the client and for the login; gives the pin and its user where it is
 * the right one. It is compared before the try is counted, so that a wrong pin reads no user and takes as long for a login
 * that nobody has; nothing of that gets out of here before the count is stored. Refused as `too_many_requests` when the client
 * tried too often. Tries in parallel are counted one by one (D10). Two round trips, 2 read units and half of one for the user.
 */
export async function tryPin(login: string, guesser: Guesser, isRight: PinCompare, now: Date): Promise<CountedTry> {
  return retry(paces.crowd, async (count) => {
    const consistent = count > 0;
    const [pin, guesses] = await Promise.all([
      pins.find(pinKey(login), { consistent: true }),
      findGuesses(guesser, { consistent }),
    ]);
    const { askedAt, compared, isRepeated, isExempt, next } = decide(pin, guesses, guesser, now);
    const guess = { at: now.getTime(), on: guesser.on, ...(askedAt !== undefined && { pin: askedAt }) };
    const { writes, client } = await planGuess(guesser, guesses, guess, { consistent, isExempt });
    if (next) writes.push(replaceLoginGuesses(guesser.loginHash, guesses.login, next, now));
    const right = isRight(compared) ? compared : undefined;
    const [failed, pinTry] = await Promise.all([transact(writes), right && toTry(login, right, isRepeated)]);
    return failed.length === 0 ? { pinTry, client } : undefined;
  });
}

/** Access pattern P5: true when a pin was spent by this client within the last minute (D13). One read unit. */
export async function wasSpentBy(login: string, { hash }: PinTry, guesser: Guesser, now: Date): Promise<boolean> {
  const pin = await pins.find(pinKey(login), { consistent: true });
  return pin?.hmac === hash.hmac && isRepeat(pin, guesser, now);
}

interface Decided {
  /** When the pin was asked for that the try counts against. */
  readonly askedAt?: number | undefined;
  readonly compared?: StoredPin | undefined;
  readonly isRepeated: boolean;
  readonly isExempt?: boolean;
  /** What the login's figures are then, where they change. */
  readonly next?: LoginGuesses | undefined;
}

function decide(pin: StoredPin | undefined, { login, client }: Guesses, guesser: Guesser, now: Date): Decided {
  const triesOf = (askedAt: number) => triesOfPin(client.value, guesser.on, askedAt);
  if (pin && isRepeat(pin, guesser, now)) {
    const askedAt = Date.parse(pin.requested_at);
    const isExempt = triesApart(login.value, guesser, now.getTime());
    return { askedAt, compared: triesOf(askedAt) < triesPerPin ? pin : undefined, isRepeated: true, isExempt };
  }
  const asked = livePin(login.value, now.getTime());
  if (!asked) return { isRepeated: false };
  const tries = triesOf(asked.asked_at);
  const { isCompared, isExempt = false, next } = tryLivePin(login.value, asked, { ...guesser, tries }, now.getTime());
  if (pin?.test_company_id !== undefined && isLive(pin, now)) {
    // Nobody guesses twelve digits: a try counts for its client alone, and writes what it writes for any other login.
    return { askedAt: asked.asked_at, compared: pin, isRepeated: false, isExempt, next: next && login.value };
  }
  // A pin of fewer digits than were counted for is another request's.
  const compared = isCompared && pin && isLive(pin, now) && pin.digits === asked.digits ? pin : undefined;
  return { askedAt: asked.asked_at, compared, isRepeated: false, isExempt, next };
}

function isLive({ spent_at, valid_to }: StoredPin, now: Date): boolean {
  return spent_at === undefined && now.toISOString() < valid_to;
}

function isRepeat({ spent_at, spent_by }: StoredPin, { by }: Guesser, now: Date): boolean {
  return spent_at !== undefined && spent_by === by && now.getTime() - Date.parse(spent_at) < repeatMs;
}

async function toTry(login: string, pin: StoredPin, isRepeated: boolean): Promise<PinTry | undefined> {
  const { user_id, hmac, salt, test_company_id: testCompanyId } = pin;
  const registers = pin.registers === true;
  // Who registered with this pin may have come into being a moment ago.
  const stored = registers ? undefined : await findStoredUser(user_id, { consistent: isRepeated });
  const user = registers ? registeredUser(user_id, login) : stored && toUser(stored);
  if (!user || (testCompanyId !== undefined && !isTestUser(testCompanyId, user))) return undefined;
  const askedAt = Date.parse(pin.requested_at);
  return { user, stored, hash: { hmac, salt }, askedAt, registers, isRepeated, testCompanyId };
}
