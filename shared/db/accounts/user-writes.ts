import type { UpsertLine } from "../../contract/records.ts";
import { type SecretHashes, type SecretKind, secretHashes } from "../../domain/accounts/secret-hashes.ts";
import { mergeUser } from "../../records/merge.ts";
import { findToWrite, type Outcome, releaseUniqueKey, type UniqueKey, type WriteContext } from "../../table/plans.ts";
import { upsertRecord } from "../../table/record-plans.ts";
import { noMark } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import type { HmacKey } from "../../tokens/secrets.ts";
import { uniqueLogin } from "./logins.ts";
import { uniqueProfile } from "./profiles.ts";
import { changeSecret, secretKey, userSecrets } from "./user-secrets.ts";
import { companyUserMark, raised, type StoredUser, toUser, userKey, users } from "./users.ts";

/** The settings of a write of a user. */
export interface UserWriteContext extends WriteContext {
  /** Loads the key that passcodes are hashed with. Called only if a line has a passcode (D19). */
  readonly hmacKey?: (() => Promise<HmacKey>) | undefined;
}

/**
 * Access pattern U4: adds or changes a user with its secrets, logins and profile, in one transaction. Refuses with
 * `fields_invalid` if another user has the login or profile. A new login counts as confirmed (D5). A changed password
 * or login voids the reset token; a changed password ends the user's sessions (D14). One read unit, and one for each
 * secret of the line; two write units for the user and for each secret, login or profile that changes.
 */
export async function saveUser(line: UpsertLine<"user">, context: UserWriteContext): Promise<Outcome> {
  const hashesFor = secretHashes(line, line.passcode ? await context.hmacKey?.() : undefined);
  return upsertRecord(users, userKey(line.id), line, context, async (stored) => {
    const next = merge(line, stored);
    const { isNewPassword, isNewPasscode, writes } = await planSecrets(line, stored, hashesFor, context);
    const [before, after] = [uniqueKeysOf(stored, context.now), uniqueKeysOf(next, context.now)];
    const isRenamed = before.some(isMissingIn(after)) || after.some(isMissingIn(before));
    const changed = {
      ...next,
      ...((isRenamed || isNewPassword) && { reset_hash: undefined }),
      ...(isNewPassword && {
        session_epoch: raised(stored?.session_epoch),
        password_changed_at: context.now.toISOString(),
      }),
      ...(isNewPasscode && { passcode_changes: raised(stored?.passcode_changes) }),
    };
    return {
      next: changed,
      writes: [...writes, ...before.filter(isMissingIn(after)).map(releaseUniqueKey)],
      uniqueKeys: after.filter(isMissingIn(before)),
    };
  });
}

/** Plans the writes of the secrets that a line names, and says which of them change. */
async function planSecrets(
  line: UpsertLine<"user">,
  stored: StoredUser | undefined,
  hashesFor: ReturnType<typeof secretHashes>,
  context: WriteContext,
) {
  const find = async (kind: SecretKind) =>
    line[kind] === undefined ? undefined : findToWrite(userSecrets, secretKey(kind, line.id), context);
  const [password, passcode] = await Promise.all([find("password"), find("passcode")]);
  const before: SecretHashes = { password_hash: password?.hash, passcode_hash: passcode?.hash };
  const after = { ...before, ...(await hashesFor(before)) };
  const isNewPassword = after.password_hash !== before.password_hash;
  const isNewPasscode = after.passcode_hash !== before.passcode_hash;
  const writes: TransactionWrite[] = [
    ...changeSecret(secretKey("password", line.id), password, after.password_hash),
    ...changeSecret(secretKey("passcode", line.id), passcode, after.passcode_hash),
  ];
  return {
    isNewPassword: stored !== undefined && isNewPassword,
    isNewPasscode: stored !== undefined && isNewPasscode,
    writes,
  };
}

/** The unique keys of a stored user: its logins and its profile. */
export function uniqueKeysOf(stored: StoredUser | undefined, now: Date): UniqueKey[] {
  if (!stored) return [];
  const { id, email, phone_number, profile_id } = toUser(stored);
  return [
    ...(email === null ? [] : [uniqueLogin(email, id, "email", now)]),
    ...(phone_number === null ? [] : [uniqueLogin(phone_number, id, "phone_number", now)]),
    ...(profile_id === null ? [] : [uniqueProfile(profile_id, id)]),
  ];
}

/** Merges a line into a user, without its secrets. */
function merge(line: UpsertLine<"user">, stored: StoredUser | undefined): StoredUser {
  const { id, ...record } = mergeUser(stored && { id: stored.id, ...stored.record }, line);
  const { role, financial_company_id: company_id } = record;
  const revision = stored?.revision ?? 0;
  const place = company_id === null ? noMark : companyUserMark(company_id, role, id);
  return { ...stored, ...userKey(id), id, company_id, role, record, revision, ...place };
}

function isMissingIn(uniqueKeys: readonly UniqueKey[]): (uniqueKey: UniqueKey) => boolean {
  return ({ key }) => uniqueKeys.every((other) => other.key.pk !== key.pk);
}
