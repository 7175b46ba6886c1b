import type { CompleteRecord, UpsertLine } from "../../contract/records.ts";
import { hashPasscode, passcodeFits } from "../../domain/accounts/passcode.ts";
import { hashPassword, verifyPassword } from "../../domain/accounts/password.ts";
import { mergeUser } from "../../domain/records/record-merge.ts";
import { hmacKey } from "../../secrets.ts";
import { companyUserMark, loginKey, type Mark, profileKey, recordKey } from "../table/keys.ts";
import type { Item } from "../table/table.ts";
import { undecoded } from "../table/undecoded.ts";
import { isSameItem, type Outcome, replaceItem, type WriteContext } from "../writes/changes.ts";
import { upsertRecord } from "../writes/record-changes.ts";
import { releaseUniqueKey, type UniqueKey } from "../writes/unique-keys.ts";

/**
 * Access pattern U4: adds or changes a user with its logins and profile, in one transaction. Refuses with
 * `fields_invalid` what another user holds. A new login counts as confirmed (D5); a changed password or login voids the
 * reset token, a changed password ends the user's sessions (D14). One read unit; two write units for the user and for each login or profile that changes.
 */
export function saveUser(line: UpsertLine<"user">, context: WriteContext): Promise<Outcome> {
  const key = recordKey("USER", line.id);
  return upsertRecord(undecoded, key, line, context, async (stored) => {
    const { id, ...record } = mergeUser(stored && toWhole(stored), line);
    const { role, financial_company_id: company_id } = record;
    const version = line.version ?? stored?.version;
    const place = { ...key, id, company_id, role, record, version, ...companyMarkOf({ id, ...record }) };
    const next = { ...stored, ...place, ...(await hashesOf(line, stored)) };
    if (isSameItem(stored, next)) return { outcome: "unchanged" };

    const [before, after] = [uniqueKeysOf(stored, context.now), uniqueKeysOf(next, context.now)];
    const isRenamed = before.some(isMissingIn(after)) || after.some(isMissingIn(before));
    const isNewPassword = stored !== undefined && next.password_hash !== stored.password_hash;
    const session_epoch = Number(stored?.session_epoch ?? 0) + (isNewPassword ? 1 : 0);
    const isReset = isRenamed || isNewPassword;
    const changed = {
      ...next,
      ...(isReset && { reset_hash: undefined }),
      ...(session_epoch && { session_epoch }),
    };
    const user = replaceItem(stored, changed, context);
    return {
      outcome: stored ? "updated" : "created",
      writes: [user, ...before.filter(isMissingIn(after)).map(releaseUniqueKey)],
      uniqueKeys: after.filter(isMissingIn(before)),
    };
  });
}

/** What a stored user holds and nobody else may: its logins and its profile. */
export function uniqueKeysOf(user: Item | undefined, now: Date): UniqueKey[] {
  if (!user) return [];
  const { id, email, phone_number, profile_id } = toWhole(user);
  const login = (field: string, value: string | null) =>
    value === null
      ? []
      : [{ key: loginKey(value), userId: id, field, attributes: { confirmed_at: now.toISOString() } }];
  const profile =
    profile_id === null ? [] : [{ key: profileKey(profile_id), userId: id, field: "profile_id", attributes: {} }];
  return [...login("email", email), ...login("phone_number", phone_number), ...profile];
}

/** The place of a user among a company's users in a role; none for a user without a company, undefined in both parts. */
function companyMarkOf({ id, role, financial_company_id: companyId }: CompleteRecord<"user">): {
  readonly [Part in keyof Mark]: Mark[Part] | undefined;
} {
  return companyId === null ? { mark_key: undefined, mark_order: undefined } : companyUserMark(companyId, role, id);
}

function isMissingIn(uniqueKeys: readonly UniqueKey[]): (uniqueKey: UniqueKey) => boolean {
  return ({ key }) => uniqueKeys.every((other) => other.key.pk !== key.pk);
}

/** The hashes as a line leaves them: the same while the secret is the same, none where it is null (D15, D19). */
async function hashesOf({ id, password, passcode }: UpsertLine<"user">, stored: Item | undefined) {
  const hashes: { password_hash?: string | undefined; passcode_hash?: string | undefined } = {};
  const { password_hash: oldPassword, passcode_hash: oldPasscode } = (stored ?? {}) as typeof hashes;
  if (password === null) hashes.password_hash = undefined;
  else if (password !== undefined && !(oldPassword && (await verifyPassword(password, oldPassword)))) {
    hashes.password_hash = await hashPassword(password);
  }
  if (passcode === null) hashes.passcode_hash = undefined;
  else if (passcode !== undefined) {
    const key = await hmacKey();
    if (!(oldPasscode && passcodeFits(passcode, id, oldPasscode, key)))
      hashes.passcode_hash = hashPasscode(passcode, id, key);
  }
  return hashes;
}

function toWhole({ id, record }: Item): CompleteRecord<"user"> {
  return { id, ...(record as object) } as CompleteRecord<"user">;
}
