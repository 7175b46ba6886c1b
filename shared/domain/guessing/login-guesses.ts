import { admittedAt, type Limit, withAttempt } from "./throttle.ts";

/** A moment in milliseconds, and the client whose it is: a keyed hash of its address. */
export interface ByClient {
  readonly at: number;
  readonly by: string;
}

/** A request for a pin that one was sent for. */
export interface PinRequested extends ByClient {
  /** True for a registration; absent otherwise. */
  readonly registers?: true;
}

/** The request for a pin whose pin counts, for known and unknown logins alike. */
export interface AskedPin {
  /** What the pin is made from: who is sent it again, by whichever request, is sent the same. */
  readonly request_id: string;
  readonly asked_at: number;
  readonly valid_to: number;
  readonly digits: number;
  readonly registers: boolean;
  /** True where it may not have been queued: whoever asks again within a minute queues it again. */
  readonly unsent?: true;
}

/** What strangers and known clients have tried and asked for at one login; lists are oldest first. */
export interface LoginGuesses {
  /** Wrong passwords of clients that the login does not know. */
  readonly passwords: readonly ByClient[];
  /** Wrong passwords of clients that it knows, all together. */
  readonly known_passwords: readonly number[];
  /** Wrong short pins of clients that the login does not know. */
  readonly pins: readonly number[];
  readonly known_pins: readonly number[];
  /** Wrong short pins in a row. */
  readonly pin_streak: number;
  /** Requests that a pin was sent for; those of registrations are oldest first among themselves. */
  readonly asked: readonly PinRequested[];
  readonly pin: AskedPin | null;
  /** When the pin was asked for that was spent last. */
  readonly spent_pin: number | null;
  /** The client of the last completed recovery, and until when the login knows it by its address. */
  readonly recovered_by: string | null;
  readonly recovered_to: number;
}

/** Who guesses at a login. */
export interface GuessingClient {
  /** A keyed hash of login and address. */
  readonly by: string;
  /** True where it has proved an earlier session of the login. */
  readonly isKnown: boolean;
}

/** A login that nobody has guessed at. */
export const noLoginGuesses: LoginGuesses = {
  passwords: [],
  known_passwords: [],
  pins: [],
  known_pins: [],
  pin_streak: 0,
  asked: [],
  pin: null,
  spent_pin: null,
  recovered_by: null,
  recovered_to: 0,
};

const hour = 60;
const day = 24 * hour;
const msPerMinute = 60_000;

/** Wrong passwords over all clients that a login does not know (D15). */
const passwordsOfLogin: readonly Limit[] = [
  { most: 10, withinMinutes: 15 },
  { most: 20, withinMinutes: hour },
  { most: 40, withinMinutes: 6 * hour },
  { most: 60, withinMinutes: day },
];

/** Those of one such client: reached before the login's own, so that no client alone keeps the others out (D15). */
const passwordsOfClient: readonly Limit[] = [
  { most: 5, withinMinutes: 15 },
  { most: 15, withinMinutes: hour },
  { most: 30, withinMinutes: 6 * hour },
  { most: 45, withinMinutes: day },
];

/** Wrong passwords, and wrong pins, of the clients that a login knows, all together (D10, D15). */
export const knownLimits: readonly Limit[] = [{ most: 20, withinMinutes: day }];

/** How long a completed recovery makes its client known. */
const recoveredMinutes = hour;

/** True for a client that the login knows: by its proof, or because it completed the last recovery (D10). */
export function isKnownTo({ recovered_by, recovered_to }: LoginGuesses, client: GuessingClient, now: number): boolean {
  return client.isKnown || (recovered_by === client.by && now < recovered_to);
}

/** When a client may send a password for a login: now, or when its limits have capacity again. Known ones go first (D15). */
export function passwordAdmittedAt(guesses: LoginGuesses, client: GuessingClient, now: number): number {
  if (knowsWithCapacity(guesses, client, now)) return now;
  const own = guesses.passwords.filter(({ by }) => by === client.by);
  return Math.max(
    admittedAt(own.map(momentOf), passwordsOfClient, now),
    admittedAt(guesses.passwords.map(momentOf), passwordsOfLogin, now),
  );
}

/** The guesses with a password of a client that was admitted. */
export function withPassword(guesses: LoginGuesses, client: GuessingClient, now: number): LoginGuesses {
  if (knowsWithCapacity(guesses, client, now)) {
    return { ...guesses, known_passwords: withAttempt(guesses.known_passwords, knownLimits, now) };
  }
  const recent = guesses.passwords.filter(({ at }) => at > now - day * msPerMinute);
  return { ...guesses, passwords: [...recent, { at: now, by: client.by }] };
}

/**
 * The guesses after a sign-in: the failures of its client are forgotten and nobody else's, so that no stranger sees that
 * the owner was there; a new row of wrong pins begins (D10, D15).
 */
export function afterSignIn(guesses: LoginGuesses, client: GuessingClient, now: number): LoginGuesses {
  return {
    ...guesses,
    passwords: guesses.passwords.filter(({ by }) => by !== client.by),
    known_passwords: isKnownTo(guesses, client, now) ? [] : guesses.known_passwords,
    pin_streak: 0,
  };
}

/** The guesses after a completed recovery: all is forgiven, and its client is known for an hour (D10, D15). */
export function afterRecovery(client: GuessingClient, now: number): LoginGuesses {
  return { ...noLoginGuesses, recovered_by: client.by, recovered_to: now + recoveredMinutes * msPerMinute };
}

/** True for a client that the login knows and whose password is counted apart from strangers': nothing else keeps it out. */
function knowsWithCapacity(guesses: LoginGuesses, client: GuessingClient, now: number): boolean {
  return isKnownTo(guesses, client, now) && admittedAt(guesses.known_passwords, knownLimits, now) <= now;
}

function momentOf({ at }: ByClient): number {
  return at;
}
