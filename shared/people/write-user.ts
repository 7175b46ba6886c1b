import type { RemovalLine, UpsertLine } from "../contract/records.ts";
import { devices, ensureDeviceTokenReleased } from "../notifications/devices.ts";
import {
  deleteCounts,
  deleteNotifications,
  notificationCounts,
  notifications,
} from "../notifications/notifications.ts";
import { mergeUser } from "../records/merge.ts";
import { chunksOf } from "../run/batches.ts";
import type { Entity } from "../table/entity.ts";
import { findToWrite, type Outcome, releaseUniqueKey, type UniqueKey, type WriteContext } from "../table/plans.ts";
import { removeRecord, renewTombstone, upsertRecord } from "../table/record-plans.ts";
import { paces, retry } from "../table/retry.ts";
import { type Item, keyOf, noMark, queryItems } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { findApiKeys, validKeys } from "./api-keys.ts";
import { uniqueLogin, uniqueProfile } from "./logins.ts";
import {
  changeSecret,
  companyUserMark,
  deleteSecret,
  raised,
  type SecretHashes,
  type SecretKind,
  type StoredUser,
  secretHashes,
  secretKey,
  toUser,
  userKey,
  userSecrets,
  users,
} from "./users.ts";

/** The settings of a write of a user. */
export interface UserWriteContext extends WriteContext {
  /** Loads the key that passcodes are hashed with. Called only if a line has a passcode (D19). */
  readonly hmacKey?: (() => Promise<HmacKey>) | undefined;
}

/**
 * Access pattern U4: adds or changes a user with its secrets, logins and profile, in one transaction. Refuses with
 * `fields_invalid` if another user has the login or profile. A new login counts as confirmed (D5). A changed password
 * or login voids the reset token; a changed password ends the user's sessions and API keys (D14). One read unit, and one for each
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
        ended_keys: (await countValidKeys(stored, context)) || undefined,
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

/** The API keys that a new password of a user ends. */
async function countValidKeys(stored: StoredUser | undefined, { now }: WriteContext): Promise<number> {
  if (!stored) return 0;
  return validKeys(await findApiKeys(stored.id), stored.session_epoch ?? 0, now).length;
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
function uniqueKeysOf(stored: StoredUser | undefined, now: Date): UniqueKey[] {
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

/** Each item takes up to two of the 100 writes that a transaction may have. */
export const chunkSize = 45;

/**
 * Access pattern U5: removes a user. First the user, its secrets, logins and profile, in one transaction; then sessions,
 * devices, notifications and counts. Cut short, it is finished by repeating it.
 */
export async function removeUser(line: RemovalLine<"user">, context: WriteContext): Promise<Outcome> {
  const outcome = await removeRecord(users, userKey(line.id), line, context, (stored) => ({
    writes: [
      deleteSecret("password", line.id),
      deleteSecret("passcode", line.id),
      ...uniqueKeysOf(stored, context.now).map(releaseUniqueKey),
    ],
  }));
  if (outcome === "stale" || context.dryRun) return outcome;
  if (!(await purgePartition(line.id))) return outcome;
  // An export lists by the tombstone that something was left of a user who was gone.
  if (outcome !== "removed") await renewTombstone(users, userKey(line.id), context);
  return "removed";
}

/** Deletes what a user leaves behind, until nothing more is found; true when there was something. */
async function purgePartition(userId: number): Promise<boolean> {
  const purged = await retry(paces.record, async (sweep) => {
    const leftovers = await findLeftovers(userId);
    if (leftovers.length === 0) return { anything: sweep > 0 };
    // Notifications take themselves out of the counts; only then may the counts go.
    const read = leftovers.filter(isOf(notifications)).map(notifications.decode);
    const others = leftovers.filter((item) => !isOf(notifications)(item));
    const deletable = read.length === 0 ? others : others.filter((item) => !isOf(notificationCounts)(item));
    for (const chunk of chunksOf(read, chunkSize)) await transact(deleteNotifications(userId, chunk));
    for (const chunk of chunksOf(deletable, chunkSize)) {
      await transact(chunk.flatMap((item) => deleteRemains(userId, item)));
    }
    return undefined;
  });
  return purged.anything;
}

async function findLeftovers(userId: number): Promise<Item[]> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": userKey(userId).pk },
    ConsistentRead: true,
  });
  return items.filter((item) => !isOf(users)(item));
}

/** Counts go only as they were read, and a device's token only while it is this user's. */
function deleteRemains(userId: number, item: Item): TransactionWrite[] {
  if (isOf(notificationCounts)(item)) return [deleteCounts(notificationCounts.decode(item))];
  const remove: TransactionWrite = { Delete: { Key: keyOf(item) } };
  if (!isOf(devices)(item)) return [remove];
  const { hash, id } = devices.decode(item);
  return [remove, ensureDeviceTokenReleased(hash, userId, id)];
}

function isOf({ matches }: Pick<Entity<object>, "matches">): (item: Item) => boolean {
  return (item) => matches(keyOf(item));
}
