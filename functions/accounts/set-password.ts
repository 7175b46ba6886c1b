import { setPassword } from "../../shared/contract/accounts.ts";
import type { Body } from "../../shared/contract/operation.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { findApiKeys, validKeys } from "../../shared/people/api-keys.ts";
import { hashPassword, requireUncommon, verifyPassword } from "../../shared/people/passwords.ts";
import { resetTokenKey, resetTokens } from "../../shared/people/reset.ts";
import type { ShownUser } from "../../shared/people/shown-user.ts";
import {
  type Account,
  type AccountWithHash,
  findAccountWith,
  type Replacement,
  replacePassword,
  type User,
} from "../../shared/people/users.ts";
import { findCompany } from "../../shared/records/companies.ts";
import { byUser } from "../../shared/run/change.ts";
import type { WriteContext } from "../../shared/table/plans.ts";
import { paces, retry } from "../../shared/table/retry.ts";
import { transact, updateOf } from "../../shared/table/writes.ts";
import { hashToken } from "../../shared/tokens/secrets.ts";

/** So long after it was spent a reset token gives the same answer for the same password (D14). */
export const resetRepeatMs = 60_000;

/**
 * Spends a reset token for a new password, ends every session and API key of the user, and notifies the user. The same token with
 * the same password gets the answer again within a minute (D14, D15).
 */
export const handler = anonymous(setPassword, async ({ body, now, change }) => {
  requireUncommon(body.password, "/user/password");
  const user = await changePasswordOnce({ body, now, change });
  if (user) return { user };
  throw new Refusal("reset_token_invalid", "The reset token is spent, expired or unknown; request a new pin");
});

/** A new password as it came in. */
interface NewPasswordRequest extends WriteContext {
  readonly body: Body<typeof setPassword>;
}

/**
 * Spends a reset token for a new password; gives the user, who is notified of it. The same token with the same password
 * within a minute gives the user again. Undefined where the token does not count (D14).
 */
async function changePasswordOnce(request: NewPasswordRequest): Promise<ShownUser | undefined> {
  const resetHash = hashToken(request.body.reset_password_token);
  return (await setOnce(request, resetHash)) ?? findWhereSet(request, resetHash);
}

/** Sets the password; undefined where the token does not count, or was spent meanwhile. */
async function setOnce(request: NewPasswordRequest, resetHash: string): Promise<ShownUser | undefined> {
  const { body, now } = request;
  let hashing: Promise<string> | undefined;
  const { user } = await retry(paces.record, async () => {
    const found = await findResetToken(resetHash, now);
    if (!found || found.isSpent) return { user: undefined };
    const { user } = found.account;
    hashing ??= hashPassword(body.password);
    // Nothing may fail once the password has changed; the notice follows from the table's stream.
    const [passwordHash, company, keys] = await Promise.all([
      hashing,
      findCompany(user.financial_company_id),
      findApiKeys(user.id),
    ]);
    const endedKeys = validKeys(keys, found.account.epoch, now).length;
    const names = namesFor(user, body);
    const { locale } = body;
    const context = { now, change: byUser(request.change, user.id) };
    const isSet = await changePassword(found.account, resetHash, { passwordHash, endedKeys, names, locale }, context);
    if (isSet === undefined) return undefined;
    return { user: isSet ? { ...user, ...names, ...(locale !== undefined && { locale }), company } : undefined };
  });
  return user;
}

/** The user whose password was set to this one with this token within the last minute (D14). */
async function findWhereSet({ body, now }: NewPasswordRequest, resetHash: string): Promise<ShownUser | undefined> {
  const found = await findResetToken(resetHash, now);
  if (!found?.isSpent) return undefined;
  const { user, hash } = found.account;
  if (hash === undefined || !(await verifyPassword(body.password, hash))) return undefined;
  return { ...user, company: await findCompany(user.financial_company_id) };
}

/** A reset token that still counts: for a new password, or for the same answer to a client that sets the same one again (D14). */
interface FoundResetToken {
  /** With the hash of the password. */
  readonly account: AccountWithHash;
  readonly isSpent: boolean;
}

/**
 * Access pattern A3: the user a reset token was given to, while it counts or was spent within the last minute; undefined
 * otherwise (D14). Five read units, two round trips.
 */
export async function findResetToken(hash: string, now: Date): Promise<FoundResetToken | undefined> {
  const token = await resetTokens.find(resetTokenKey(hash), { consistent: true });
  if (!token || token.valid_to <= now.toISOString()) return undefined;
  const isSpent = token.spent_at !== undefined;
  if (token.spent_at !== undefined && now.getTime() - Date.parse(token.spent_at) >= resetRepeatMs) return undefined;
  const account = await findAccountWith("password", token.user_id);
  return account && { account, isSpent };
}

/**
 * Access pattern A4: spends a reset token that was found to count for a new password, and ends every session of the user, all
 * or nothing. False if the token was spent or replaced meanwhile (D14); undefined if others wrote the user. One transaction of
 * 3 writes.
 */
export async function changePassword(
  { stored, resetHash }: Account,
  token: string,
  password: Replacement,
  context: WriteContext,
): Promise<boolean | undefined> {
  if (resetHash !== token) return false;
  const changes = { where: { user_id: stored.id, spent_at: undefined }, set: { spent_at: context.now.toISOString() } };
  const failed = await transact([
    { Update: updateOf(resetTokenKey(token), changes) },
    ...replacePassword(stored, password, context),
  ]);
  if (failed.length === 0) return true;
  return failed.includes(0) ? false : undefined;
}

/** A registration keeps no names: who sets the first password sets them (D16). */
function namesFor({ first_name, last_name }: User, body: NewPasswordRequest["body"]) {
  if (first_name !== "" || last_name !== "") return {};
  return {
    ...(body.first_name !== undefined && { first_name: body.first_name }),
    ...(body.last_name !== undefined && { last_name: body.last_name }),
  };
}
