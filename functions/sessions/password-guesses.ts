import { findProof, isProofOf } from "../../shared/people/known-client.ts";
import {
  type CountedAttempt,
  clientOf,
  clientOfSubject,
  countAttempt,
  countFailure,
  findCount,
  type LimitSubject,
  requireBelow,
  subjectOf,
  takeIfBelow,
} from "../../shared/people/limits.ts";
import { findAccountOfLogin } from "../../shared/people/logins.ts";
import type { AccountWithHash } from "../../shared/people/users.ts";

/** A password as it came in: at which login, from which address, and what its client proves, if anything (D10). */
export interface PasswordAttempt {
  readonly login: string;
  readonly address: string;
  readonly proof: string | undefined;
}

/** A password that was counted, so that it may be compared. */
export interface CountedPassword {
  /** The account of the login; undefined if nobody has the login. */
  readonly account: AccountWithHash | undefined;
  /** To be given back if the password is right. */
  readonly taken: CountedAttempt;
  /** The failures of a client without a proof. */
  readonly failures?: LimitSubject;
}

/**
 * Counts a password before it is compared, or refuses it as `too_many_requests`: by the proof of its client, or by login
 * and client if there is none or its passwords are used up (D15). Half a read unit, one write unit and the account's
 * reads, three round trips.
 */
export async function countPassword({ login, address, proof }: PasswordAttempt, now: Date): Promise<CountedPassword> {
  const failures = { rule: "failures", subject: await subjectOf("failures", clientOf(address)) } as const;
  const [account, proved, failed] = await Promise.all([
    findAccountOfLogin(login),
    findProof(proof, now),
    findCount(failures, now),
  ]);
  const known = account && proved && isProofOf(proved, account) && (await takeKnown(proved.name, now));
  if (known) return { account, taken: known };
  requireBelow("failures", failed, now);
  const [subject, client] = await Promise.all([
    subjectOf("password", login),
    clientOfSubject("password", login, address),
  ]);
  return { account, taken: await countAttempt({ rule: "password", subject, client }, now), failures };
}

/** Keeps a wrong password among its client's failures. One write unit. */
export async function keepFailure({ failures }: CountedPassword, now: Date): Promise<void> {
  if (failures) await countFailure(failures, now);
}

/** Undefined if the passwords of the proof are used up. */
async function takeKnown(name: string, now: Date): Promise<CountedAttempt | undefined> {
  return takeIfBelow({ rule: "knownPassword", subject: await subjectOf("knownPassword", name) }, now);
}
