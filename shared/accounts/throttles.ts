import {
  countAttempt,
  forgetAttempts,
  refundAttempt,
  type Throttle,
  type Throttled,
} from "../db/accounts/throttles.ts";
import { clientOf } from "../domain/accounts/client-address.ts";
import { hashSubject } from "../domain/accounts/throttle.ts";
import { hmacKey } from "../secrets.ts";

const hour = 60;
const day = 24 * hour;

const pinTriesOfClient: Throttle = { rule: "pin-tries-of-client", limits: [{ most: 30, withinMinutes: 5 }] };

const pinsOfLogin: Throttle = {
  rule: "pins-of-login",
  limits: [
    { most: 1, withinMinutes: 1 },
    { most: 3, withinMinutes: 10 },
    { most: 5, withinMinutes: hour },
    { most: 10, withinMinutes: day },
  ],
};

const pinsOfClient: Throttle = { rule: "pins-of-client", limits: [{ most: 10, withinMinutes: hour }] };

/** Failed sign-ins, by login: the more there are, the longer the window that must pass (D15). */
const signInsOfLogin: Throttle = {
  rule: "sign-ins-of-login",
  limits: [
    { most: 10, withinMinutes: 15 },
    { most: 20, withinMinutes: hour },
    { most: 40, withinMinutes: 6 * hour },
    { most: 60, withinMinutes: day },
  ],
};

const signInsOfClient: Throttle = { rule: "sign-ins-of-client", limits: [{ most: 30, withinMinutes: 5 }] };

/** Tries of a user's passcode (D19). */
const passcodeTries: Throttle = {
  rule: "passcode-tries",
  limits: [{ most: 5, withinMinutes: 15, locks: true }],
  refusal: "passcode_locked",
};

/** The tries of pins from a client's address, to be counted with each (D10). */
export function pinTriesFrom(address: string): Promise<Throttled> {
  return of(pinTriesOfClient, clientOf(address));
}

/** Counts a request for a pin before it is queued (D11). */
export async function countPinRequest(login: string, address: string, now: Date): Promise<void> {
  await countAttempt([await of(pinsOfLogin, login), await of(pinsOfClient, clientOf(address))], now);
}

/** Counts a sign-in before its password is compared (D15). */
export async function countSignIn(login: string, address: string, now: Date): Promise<void> {
  await countAttempt([await of(signInsOfLogin, login), await of(signInsOfClient, clientOf(address))], now);
}

/** After a sign-in that succeeded: forgets the login's failed ones, and does not hold this one against the client (D15). */
export async function resetSignInLimit(login: string, address: string, countedAt: Date): Promise<void> {
  await Promise.all([
    of(signInsOfLogin, login).then(forgetAttempts),
    of(signInsOfClient, clientOf(address)).then((client) => refundAttempt(client, countedAt)),
  ]);
}

/** The tries of a user's passcode: counted before it is compared, and forgotten after the right one (D19). */
export function passcodeTriesOf(userId: number): Promise<Throttled> {
  return of(passcodeTries, String(userId));
}

/** Only a keyed hash of a subject is stored. */
async function of(throttle: Throttle, subject: string): Promise<Throttled> {
  return { throttle, subjectHash: hashSubject(throttle.rule, subject, await hmacKey()) };
}
