import type * as v from "valibot";
import type { profile } from "../contract/accounts.ts";
import type { Role } from "../contract/operation.ts";
import type { Locale } from "../contract/values.ts";
import { chunksOf } from "../run/batches.ts";
import { defineEntity, type RecordItem, type StoredItem } from "../table/entity.ts";
import { firstRevision, replaceItem, type WriteContext } from "../table/plans.ts";
import { maxBatchReads, readBatch } from "../table/reads.ts";
import { type Key, type Mark, padId, queryPage, recordKey } from "../table/table.ts";
import { ifAbsent, readTogether, type TransactionWrite, updateIf, updateOf } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

/** The stored form of a passcode: HMAC-SHA-256 over user and passcode, never the digits (D19). */
export function hashPasscode(passcode: string, userId: number, key: HmacKey): string {
  return key.sign("passcode", passcodeMessage(passcode, userId));
}

/** Compares a passcode with a stored hash in constant time. */
export function passcodeFits(passcode: string, userId: number, hash: string, key: HmacKey): boolean {
  return key.verify("passcode", passcodeMessage(passcode, userId), hash);
}

function passcodeMessage(passcode: string, userId: number): string {
  return `${userId}|${passcode}`;
}

/** A user's secrets as sent: null removes one, undefined keeps it (D15, D19). */
interface SentSecrets {
  readonly id: number;
  readonly password?: string | null | undefined;
  readonly passcode?: string | null | undefined;
}

/** A kind of secret. */
export type SecretKind = "password" | "passcode";

/** The hashes of a user's secrets. */
export type SecretHashes = { readonly [Kind in SecretKind as `${Kind}_hash`]?: string | undefined };

/**
 * Returns a function that computes the hashes which sent secrets leave a user with, from the stored ones. An unchanged
 * secret keeps its hash. The function may be called again after a lost race: it hashes and compares each secret only
 * once. Throws on a passcode without the `key` (D19).
 */
export function secretHashes(
  { id, password, passcode }: SentSecrets,
  key: HmacKey | undefined,
): (stored: SecretHashes | undefined) => Promise<SecretHashes> {
  const known = new Map<string | undefined, Promise<string>>();
  const passcodeKey = passcode ? requireKey(key) : undefined;
  return async (stored) => ({
    ...(password !== undefined && {
      password_hash: password ? await passwordHash(stored?.password_hash, password) : undefined,
    }),
    ...(passcode !== undefined && { passcode_hash: passcodeHash(stored?.passcode_hash) }),
  });

  function passcodeHash(stored: string | undefined): string | undefined {
    if (!passcode || !passcodeKey) return undefined;
    if (stored && passcodeFits(passcode, id, stored, passcodeKey)) return stored;
    return hashPasscode(passcode, id, passcodeKey);
  }

  function passwordHash(stored: string | undefined, sent: string): Promise<string> {
    const hash = known.get(stored) ?? compare(stored, sent);
    known.set(stored, hash);
    return hash;
  }

  async function compare(stored: string | undefined, sent: string): Promise<string> {
    if (stored && (await verifyPassword(sent, stored))) return stored;
    return hashPassword(sent);
  }
}

function requireKey(key: HmacKey | undefined): HmacKey {
  if (key === undefined) throw new Error("A passcode is hashed with the HMAC key only");
  return key;
}

/** A user's password or passcode as the table stores it. */
export interface StoredSecret extends StoredItem {
  readonly hash: string;
}

const secretKinds = ["password", "passcode"] as const;

/**
 * The entity of users' secrets. Each kind has a partition of its own. By key, only the functions that compare a secret
 * may read it (`guarded` of their rows). The consumers of the table's stream may read all secrets.
 */
export const userSecrets = defineEntity<StoredSecret>("user secret", ({ sk }) =>
  secretKinds.some((kind) => sk === kind.toUpperCase()),
);

/** Key of a secret of a user. */
export function secretKey(kind: SecretKind, userId: number): Key {
  const name = kind.toUpperCase();
  return { pk: `${name}#${userId}`, sk: name };
}

/** The write that sets a user's secret, whatever is stored. */
function overwriteSecret(kind: SecretKind, userId: number, hash: string): TransactionWrite {
  return { Update: updateOf(secretKey(kind, userId), { set: { hash } }) };
}

/** The write that deletes a secret of a user, if there is one. */
export function deleteSecret(kind: SecretKind, userId: number): TransactionWrite {
  return { Delete: { Key: { ...secretKey(kind, userId) } } };
}

/**
 * The write that changes a secret to a hash, or deletes it, if the secret is still as it was read. No write if the hash
 * is stored already.
 */
export function changeSecret(key: Key, stored: StoredSecret | undefined, hash: string | undefined): TransactionWrite[] {
  if (stored?.hash === hash) return [];
  const condition = stored
    ? {
        ConditionExpression: "#hash = :hash",
        ExpressionAttributeNames: { "#hash": "hash" },
        ExpressionAttributeValues: { ":hash": stored.hash },
      }
    : ifAbsent;
  if (hash === undefined) return [{ Delete: { Key: { ...key }, ...condition } }];
  return [{ Put: { Item: userSecrets.encode({ ...stored, ...key, hash }), ...condition } }];
}

/** A user as the interface shows it, without the company's name, which the company keeps. */
export type User = Omit<v.InferOutput<typeof profile>, "company">;

/** A user as the table has it, without its secrets. */
export interface StoredUser extends RecordItem, Partial<Mark> {
  readonly id: number;
  /** The tenant (D2). */
  readonly company_id: number | null;
  readonly role: Role;
  readonly record: Omit<User, "id">;
  /** The hash of the reset token that counts, if one was given out (D14). */
  readonly reset_hash?: string | undefined;
  /** Goes up when every session of the user ends (D14). */
  readonly session_epoch?: number;
  /** When the user got another password: its rise is what notices follow from (D14). */
  readonly password_changed_at?: string;
  /** The number of API keys that this password ended (D46). */
  readonly ended_keys?: number | undefined;
  /** The number of times that a line gave the user another passcode, or took it; the history follows from it. */
  readonly passcode_changes?: number;
}

/** The entity of users. */
export const users = defineEntity<StoredUser>("user", ({ sk }) => sk === "USER");

/** Key of a user. */
export function userKey(id: number): Key {
  return recordKey("USER", id);
}

/** Places a user among a company's users in a role, in the index `by-mark`. */
export function companyUserMark(companyId: number, role: string, id: number): Mark {
  return { mark_key: `COMPANY#${companyId}#USERS#${role}`, mark_order: padId(id) };
}

/** Access pattern U1: a user by id. One read unit. */
export async function findUser(id: number): Promise<User | undefined> {
  const stored = await findStoredUser(id);
  return stored && toUser(stored);
}

/** The same as the table has it, for a write that depends on it. */
export function findStoredUser(id: number, { consistent = true } = {}): Promise<StoredUser | undefined> {
  return users.find(userKey(id), { consistent });
}

/** An id that no user has; reading it takes as long as reading a user. */
export const nobody = 0;

/** The same where a change of the last moment may be missing. Half a read unit. */
export async function findUserAsShown(id: number): Promise<User | undefined> {
  const stored = await findStoredUser(id, { consistent: false });
  return stored && toUser(stored);
}

/** Access pattern R3: which of these users exist. 1 read unit each, half if not consistent, 100 in a round trip. */
export async function findExistingUsers(userIds: readonly number[], { consistent = true } = {}): Promise<number[]> {
  const existing: number[] = [];
  for (const ids of chunksOf(userIds, maxBatchReads)) {
    const items = await readBatch(ids.map(userKey), { consistent, paths: ["pk", "sk"] });
    existing.push(...ids.filter((_, at) => items[at] !== undefined));
  }
  return existing;
}

/** All that is read of users for their names: people who repair records may read no more. */
const namePaths = ["pk", "sk", "schema_version", "id", "record.first_name", "record.last_name"];

/** Access pattern R7: what users are called today, by id; those who are gone are missing. 0.5 read units each, 100 in a round trip. */
export async function findUserNames(userIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (const ids of chunksOf([...new Set(userIds)], maxBatchReads)) {
    const items = await readBatch(ids.map(userKey), { consistent: false, paths: namePaths });
    for (const user of items.flatMap((item) => (item ? [users.decode(item)] : []))) {
      names.set(user.id, `${user.record.first_name} ${user.record.last_name}`.trim());
    }
  }
  return names;
}

/** Some of a company's users, and the place to go on from; undefined after the last. */
export interface CompanyUsers {
  readonly userIds: readonly number[];
  readonly after: string | undefined;
}

/**
 * Access pattern R1: a company's users in a role by id, at most `limit` of them, from a place on. Half a read unit
 * for 50 of them. Changes of the last moment may be missing.
 */
export async function findCompanyUsers(
  companyId: number,
  role: Role,
  limit: number,
  after = "",
): Promise<CompanyUsers> {
  const { items, lastKey } = await queryPage({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :users AND mark_order > :after",
    // No mark is empty, and DynamoDB takes no empty key.
    ExpressionAttributeValues: { ":users": companyUserMark(companyId, role, 0).mark_key, ":after": after || " " },
    Limit: limit,
  });
  const places = items.map(({ mark_order }) => String(mark_order));
  return { userIds: places.map(Number), after: lastKey && places.at(-1) };
}

/** The next of a number that is only compared with its earlier values. */
export function raised(count = 0): number {
  return count + 1;
}

/** The write that makes a new user, who sets names and password with a reset token (D16). */
export function createUser({ id, ...record }: User, resetHash: string, context: WriteContext): TransactionWrite {
  const attributes = { id, company_id: record.financial_company_id, role: record.role, record };
  const item = users.encode({ ...userKey(id), ...attributes, reset_hash: resetHash, revision: firstRevision() });
  return replaceItem(undefined, item, { ...context, notifies: true });
}

/** The write that gives a user, as read, a reset token in place of an earlier one (D14). */
export function giveResetToken(stored: StoredUser, resetHash: string, context: WriteContext): TransactionWrite {
  return replaceItem(stored, users.encode({ ...stored, reset_hash: resetHash }), { ...context, notifies: true });
}

/** The names that a registered user sets with the password (D16). */
export interface NewNames {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
}

/** A password that replaces a user's, and what changes with it. */
export interface Replacement {
  readonly passwordHash: string;
  /** The number of API keys that it ends (D46). */
  readonly endedKeys: number;
  /** The names that a registered user sets with it (D16). */
  readonly names: NewNames;
  /** The language of messages from now on; left out, it stays (D45). */
  readonly locale?: Locale | undefined;
}

/** The writes that set the password of a user, as read, end every session and API key and spend the reset token (D14). */
export function replacePassword(
  stored: StoredUser,
  { passwordHash, endedKeys, names: { first_name, last_name }, locale }: Replacement,
  context: WriteContext,
): TransactionWrite[] {
  const record = {
    ...stored.record,
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
    ...(locale !== undefined && { locale }),
  };
  const next = {
    ...stored,
    record,
    reset_hash: undefined,
    password_changed_at: context.now.toISOString(),
    ended_keys: endedKeys || undefined,
    session_epoch: raised(stored.session_epoch),
  };
  return [
    replaceItem(stored, users.encode(next), { ...context, notifies: true }),
    overwriteSecret("password", stored.id, passwordHash),
  ];
}

/**
 * Access pattern U7: stores another hash of a secret that was just compared with the stored one, unless that has changed
 * since. It is the same secret: nobody is notified, and sessions and devices stay (D15, D19). One write unit.
 */
export async function replaceHash(userId: number, kind: SecretKind, compared: string, next: string): Promise<void> {
  await updateIf(secretKey(kind, userId), { where: { hash: compared }, set: { hash: next } });
}

/** A stored user as the interface shows it. */
export function toUser({ id, record }: StoredUser): User {
  return { id, ...record };
}

/** A user with what sessions depend on. */
export interface Account {
  readonly user: User;
  /** The same as the table has it, for a write that depends on it. */
  readonly stored: StoredUser;
  /** The hash of the reset token that counts, if one was given out (D14). */
  readonly resetHash: string | undefined;
  /** Goes up when every session of the user ends (D14). */
  readonly epoch: number;
}

/** Access pattern A1: an account by user id. One read unit. */
export async function findAccount(userId: number): Promise<Account | undefined> {
  const stored = await findStoredUser(userId);
  return stored && toAccount(stored);
}

/** An account with the hash of one of its secrets; undefined where it has none. */
export interface AccountWithHash extends Account {
  readonly hash: string | undefined;
}

/**
 * Access pattern A5: an account and the hash of a secret, both of one moment: who has read the hash of the last password has
 * not read the epoch of the next (D14). Four read units, one round trip.
 */
export async function findAccountWith(kind: SecretKind, userId: number): Promise<AccountWithHash | undefined> {
  const [item, secret] = await readTogether([userKey(userId), secretKey(kind, userId)]);
  if (!item) return undefined;
  const stored = users.decode(item);
  const hash = secret && userSecrets.decode(secret).hash;
  return { ...toAccount(stored), hash };
}

function toAccount(stored: StoredUser): Account {
  const { reset_hash: resetHash, session_epoch: epoch = 0 } = stored;
  return { user: toUser(stored), stored, resetHash, epoch };
}
