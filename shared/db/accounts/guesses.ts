import {
  type ClientGuess,
  type ClientGuesses,
  clientAdmittedAt,
  noClientGuesses,
  withClientGuess,
} from "../../domain/guessing/client-guesses.ts";
import { type GuessingClient, type LoginGuesses, noLoginGuesses } from "../../domain/guessing/login-guesses.ts";
import { deleteItemAt, putIf } from "../table/conditional-writes.ts";
import { ifUnchanged, type PutWrite } from "../table/conditions.ts";
import { defineEntity, type Entity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { paces, retry } from "../table/retry.ts";
import type { Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { type PlanOptions, planAttempt, requireAdmitted, type Throttled } from "./throttles.ts";

/** What every item of guesses has. */
interface StoredGuesses extends StoredItem {
  readonly revision: number;
  readonly expires_at: number;
}

/** The entity of guesses at logins, known and unknown ones alike; the key holds the login's hash. */
export const loginGuesses = defineEntity<StoredGuesses & LoginGuesses>(
  "login guesses",
  ({ pk, sk }) => sk === "GUESSES" && pk.startsWith("THROTTLE#LOGIN#"),
);

/** The entity of guesses of clients; the key holds the hash of the client's address. */
export const clientGuesses = defineEntity<StoredGuesses & ClientGuesses>(
  "client guesses",
  ({ pk, sk }) => sk === "GUESSES" && pk.startsWith("THROTTLE#CLIENT#"),
);

/** Who guesses at which login; only keyed hashes of either are stored. */
export interface Guesser extends GuessingClient {
  readonly loginHash: string;
  /** The login as the client's own guesses name it. */
  readonly on: string;
  readonly clientHash: string;
  /** The network of an IPv6 client, which is counted beside it. */
  readonly network: Throttled | undefined;
}

/** An item of guesses as it was read or written; its revision is 0 while there is none. */
export interface Kept<T> {
  readonly value: T;
  readonly revision: number;
}

/** The guesses at a login and those of a client. */
export interface Guesses {
  readonly login: Kept<LoginGuesses>;
  readonly client: Kept<ClientGuesses>;
}

/** An entity of guesses: what there is without an item, and how long an item is kept. */
interface Kind<T extends object> {
  readonly entity: Entity<StoredGuesses & T>;
  readonly none: T;
  readonly days: number;
}

/** Pins in a row outlast their pins. */
const ofLogin: Kind<LoginGuesses> = { entity: loginGuesses, none: noLoginGuesses, days: 30 };
const ofClient: Kind<ClientGuesses> = { entity: clientGuesses, none: noClientGuesses, days: 2 };

/** The key of the guesses at a login, by its hash. */
export function loginGuessesKey(loginHash: string): Key {
  return { pk: `THROTTLE#LOGIN#${loginHash}`, sk: "GUESSES" };
}

/** Access pattern G1: the guesses at a login and of a client. Half a read unit for 4 KB of each, twice that when consistent. */
export async function findGuesses(guesser: Guesser, { consistent }: { consistent: boolean }): Promise<Guesses> {
  const [login, client] = await Promise.all([
    loginGuesses.find(loginGuessesKey(guesser.loginHash), { consistent }),
    clientGuesses.find(clientKey(guesser), { consistent }),
  ]);
  return { login: keptOf(login, noLoginGuesses), client: keptOf(client, noClientGuesses) };
}

/**
 * Access pattern G2: the writes that count a guess of a client, for a transaction, and the client's guesses with it.
 * Refused as `too_many_requests` when the client or its network has guessed too often, unless it is exempt, as the login knows
 * it: strangers at its address keep it out of nothing (D10, D15). Two write units for 1 KB: 20 guesses; 8 for the 100
 * of 5 minutes, and two for a network.
 */
export async function planGuess(
  guesser: Guesser,
  { client }: Guesses,
  guess: ClientGuess,
  { consistent, isExempt }: PlanOptions,
): Promise<{ readonly writes: TransactionWrite[]; readonly client: Kept<ClientGuesses> }> {
  const now = new Date(guess.at);
  if (!isExempt) requireAdmitted(clientAdmittedAt(client.value, guess.on, guess.at), now);
  const network = guesser.network && (await planAttempt(guesser.network, now, { consistent, isExempt }));
  const next = { value: withClientGuess(client.value, guess), revision: client.revision + 1 };
  const write = replace(ofClient, clientKey(guesser), client, next.value, now);
  return { writes: [write, ...(network ? [network] : [])], client: next };
}

/** The write that puts other guesses at a login in place of those that were read. */
export function replaceLoginGuesses(loginHash: string, read: Kept<LoginGuesses>, next: LoginGuesses, now: Date) {
  return replace(ofLogin, loginGuessesKey(loginHash), read, next, now);
}

/** The write that puts guesses at a login in place of whatever there is. */
export function overwriteLoginGuesses(loginHash: string, next: LoginGuesses, now: Date): TransactionWrite {
  // The clock leads every count of writes, so that no write that was planned before finds its revision.
  const item = { ...loginGuessesKey(loginHash), ...next, revision: now.getTime(), expires_at: loginExpiry(now) };
  return { Put: { Item: loginGuesses.encode(item) } };
}

/** Access pattern G3: changes the guesses of a client after a success. One write unit where they are as they were left. */
export async function changeClientGuesses(
  guesser: Guesser,
  left: Kept<ClientGuesses>,
  change: (client: ClientGuesses) => ClientGuesses,
  now: Date,
): Promise<void> {
  await changeKept(ofClient, clientKey(guesser), { left, change }, now);
}

/** Access pattern G4: the same for the guesses at a login. */
export async function changeLoginGuesses(
  loginHash: string,
  left: Kept<LoginGuesses>,
  change: (login: LoginGuesses) => LoginGuesses,
  now: Date,
): Promise<void> {
  await changeKept(ofLogin, loginGuessesKey(loginHash), { left, change }, now);
}

/** Access pattern G5: forgets all guesses at a login. One write unit. */
export async function forgetLoginGuesses(loginHash: string): Promise<void> {
  await deleteItemAt(loginGuessesKey(loginHash));
}

/** When the guesses at a login are forgotten, for the table's time to live. */
export function loginExpiry(now: Date): number {
  return epochSecondsAfter(now, ofLogin.days);
}

interface KeptUpdate<T> {
  readonly left: Kept<T>;
  readonly change: (value: T) => T;
}

/** What cannot be changed in a crowd of others stays as it is: the guesses then count as failed. */
async function changeKept<T extends object>(
  kind: Kind<T>,
  key: Key,
  { left, change }: KeptUpdate<T>,
  now: Date,
): Promise<void> {
  const changeOnce = async (count: number) => {
    const kept = count === 0 ? left : keptOf(await kind.entity.find(key, { consistent: true }), kind.none);
    if (kept.revision === 0) return true;
    return (await putIf(replace(kind, key, kept, change(kept.value), now).Put)) || undefined;
  };
  await retry(paces.crowd, changeOnce, () => true);
}

function replace<T extends object>({ entity, days }: Kind<T>, key: Key, read: Kept<T>, next: T, now: Date): PutWrite {
  const expires_at = epochSecondsAfter(now, days);
  const item = entity.encode({ ...next, ...key, revision: read.revision + 1, expires_at });
  return { Put: { Item: item, ...ifUnchanged(read.revision === 0 ? undefined : read) } };
}

function keptOf<T>(stored: (StoredGuesses & T) | undefined, none: T): Kept<T> {
  return { value: { ...none, ...stored }, revision: stored?.revision ?? 0 };
}

function clientKey({ clientHash }: Guesser): Key {
  return { pk: `THROTTLE#CLIENT#${clientHash}`, sk: "GUESSES" };
}
