import { Refusal } from "../../shared/contract/refusals.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { type AnonymousRequest, anonymous } from "../../shared/http/endpoint.ts";
import { clientAddressOf, clientProofOf } from "../../shared/http/event.ts";
import { findProof, isProofOf } from "../../shared/people/known-client.ts";
import {
  type CountedAttempt,
  clientOf,
  countAttempt,
  countFailure,
  findCount,
  giveBack,
  type LimitRule,
  type LimitSubject,
  limitSubjectOf,
  requireBelow,
} from "../../shared/people/limits.ts";
import { findAccountOfLogin } from "../../shared/people/logins.ts";
import {
  hashPassword,
  isOutdated,
  knownPasswordRule,
  unusableHash,
  verifyPassword,
} from "../../shared/people/passwords.ts";
import { firstNumber, makeFamily, makeRefreshToken, makeSeed, openSession } from "../../shared/people/sessions.ts";
import { requireLogin } from "../../shared/people/typed-login.ts";
import { type AccountWithHash, replaceHash } from "../../shared/people/users.ts";
import { findCompany } from "../../shared/records/companies.ts";
import { settings } from "../../shared/run/settings.ts";
import { bearerHeader, issueTokens } from "../../shared/tokens/access.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

const tooManyPasswords = "Too many wrong passwords: a pin lets you in at once, with its reset token in Known-Client";

/** The limits on guessing passwords (D10, D15). */
export const passwordLimits = {
  /** Passwords of a login by clients without a proof. */
  ofLogin: {
    name: "password",
    subjectKind: "login",
    most: 60,
    mostOfClient: 20,
    window: "day",
    reason: tooManyPasswords,
  },
  /** Wrong passwords of a client at all logins. */
  failures: { name: "failures", subjectKind: "client", most: 2_000, window: "day", reason: tooManyPasswords },
  /** Passwords by a client with a proof. */
  known: knownPasswordRule,
} as const satisfies Readonly<Record<string, LimitRule>>;

/** Signs in with a login and its password. An unknown login takes as long as a wrong password (D5, D15). */
export const handler = anonymous(signIn, startSession, { headers: bearerHeader });

async function startSession({ body, now, sender }: AnonymousRequest<typeof signIn>) {
  const address = await clientAddressOf(sender);
  const { value: login } = requireLogin(body.login, settings.defaultCountry(), { pointer: "/user/login" });
  const counted = await countPassword({ login, address, proof: clientProofOf(sender) }, now);
  const { account } = counted;
  const hash = account?.hash ?? unusableHash;
  const isRight = await verifyPassword(body.password, hash);
  if (!account || !isRight) {
    await keepFailure(counted, now);
    throw new Refusal("login_invalid", "The login or the password is wrong");
  }

  const { user, epoch } = account;
  const [family, seed] = [makeFamily(now), makeSeed()];
  const refreshToken = makeRefreshToken({ userId: user.id, family, n: firstNumber }, seed, await hmacKey());
  const [company, token] = await Promise.all([
    findCompany(user.financial_company_id),
    issueTokens(user, family, refreshToken, now),
    openSession(user.id, family, seed, epoch, now),
    giveBack(counted.taken),
    renewPasswordHash(user.id, body.password, hash),
  ]);
  return { user: { ...user, company }, token };
}

/** A password as it came in: at which login, from which address, and what its client proves, if anything (D10). */
interface PasswordAttempt {
  readonly login: string;
  readonly address: string;
  readonly proof: string | undefined;
}

/** A password that was counted, so that it may be compared. */
interface CountedPassword {
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
  const failures = await limitSubjectOf(passwordLimits.failures, clientOf(address));
  const [account, proved, failed] = await Promise.all([
    findAccountOfLogin(login),
    findProof(proof, now),
    findCount(failures, now),
  ]);
  const known = account && proved && isProofOf(proved, account) && (await takeKnown(proved.name, now));
  if (known) return { account, taken: known };
  requireBelow(passwordLimits.failures, failed, now);
  const ofLogin = await limitSubjectOf(passwordLimits.ofLogin, login, address);
  return { account, taken: await countAttempt(ofLogin, now), failures };
}

/** Undefined if the passwords of the proof are used up. */
async function takeKnown(name: string, now: Date): Promise<CountedAttempt | undefined> {
  return countAttempt(await limitSubjectOf(passwordLimits.known, name), now).catch((error: unknown) => {
    if (error instanceof Refusal && error.code !== "busy") return undefined;
    throw error;
  });
}

/** Keeps a wrong password among its client's failures. One write unit. */
export async function keepFailure({ failures }: CountedPassword, now: Date): Promise<void> {
  if (failures) await countFailure(failures, now);
}

/**
 * Replaces an outdated hash of a password that was just compared, unless it was replaced meanwhile. The password is the
 * same, so nobody is notified, and sessions and devices stay (D15). One write unit if it does.
 */
async function renewPasswordHash(userId: number, password: string, compared: string): Promise<void> {
  if (isOutdated(compared)) await replaceHash(userId, "password", compared, await hashPassword(password));
}
