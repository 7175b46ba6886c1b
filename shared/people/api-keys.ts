import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mostApiKeys } from "../contract/api-keys.ts";
import type { Caller, KeyAccess, Role } from "../contract/operation.ts";
import { busy, Refusal } from "../contract/refusals.ts";
import { settings } from "../run/settings.ts";
import { timeOfId, timeOrderedId } from "../run/time-ordered-id.ts";
import { defineEntity, type RecordItem } from "../table/entity.ts";
import { replaceItem, requireUnchanged, type WriteContext } from "../table/plans.ts";
import { paces, retry } from "../table/retry.ts";
import { epochSeconds, type Key } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/writes.ts";
import { hashToken } from "../tokens/secrets.ts";
import { sessionEnded } from "./sessions.ts";
import { type Account, findAccount } from "./users.ts";

/** An API key as stored. Its id says when it was made. */
export interface StoredApiKey {
  readonly name: string;
  readonly access: KeyAccess;
  /** The user's role, company and epoch when it was made: it is valid while they are the same. */
  readonly role: Role;
  readonly company_id: number | null;
  readonly epoch: number;
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly valid_to: string;
  /** The ARN of the credentials of the engineer who made it for the user. */
  readonly minted_by?: string;
}

/** A user's API keys in one item, so that a condition on its revision holds for their number and names. */
export interface StoredApiKeys extends RecordItem {
  readonly user_id: number;
  /** By id. */
  readonly keys: Readonly<Record<string, StoredApiKey>>;
  /** When the last one expires. */
  readonly expires_at: number;
}

/** The entity of users' API keys. */
export const apiKeys = defineEntity<StoredApiKeys>("API keys", ({ sk }) => sk === "APIKEYS");

/** Key of a user's API keys. */
export function apiKeysKey(userId: number): Key {
  return { pk: `USER#${userId}`, sk: "APIKEYS" };
}

/** An API key with its id. */
export interface ApiKey extends StoredApiKey {
  readonly id: number;
}

/** The API keys of an item, oldest first, without those that have expired or are of another epoch. */
export function validKeys(stored: Pick<StoredApiKeys, "keys"> | undefined, epoch: number, now: Date): ApiKey[] {
  const all = Object.entries(stored?.keys ?? {}).map(([id, key]) => ({ ...key, id: Number(id) }));
  const valid = all.filter((key) => key.epoch === epoch && key.valid_to > now.toISOString());
  return valid.toSorted((one, other) => one.id - other.id);
}

/** An API key in the contract's form. */
export function shownKey({ id, name, access, valid_to }: ApiKey) {
  return { id, name, access, created_at: timeOfId(id).toISOString(), expires_at: valid_to };
}

/** Access pattern AK1: a user's API keys, valid or not. One read unit for every 4 KB, which has some twelve keys. */
export function findApiKeys(userId: number): Promise<StoredApiKeys | undefined> {
  return apiKeys.find(apiKeysKey(userId), { consistent: true });
}

/** The item that a user's API keys become, without those that are not valid. */
export function withKeys(userId: number, stored: StoredApiKeys | undefined, keys: readonly ApiKey[]): StoredApiKeys {
  const last = Math.max(Date.now(), ...keys.map(({ valid_to }) => Date.parse(valid_to)));
  const byId = Object.fromEntries(keys.map(({ id, ...key }) => [id, key]));
  const item = { ...stored, ...apiKeysKey(userId), user_id: userId, revision: stored?.revision ?? 0 };
  return apiKeys.encode({ ...item, keys: byId, expires_at: epochSeconds(new Date(last)) });
}

/** An API key to make. */
export interface AskedApiKey extends Pick<StoredApiKey, "name" | "access" | "minted_by"> {
  /** Given if something else has named the key before. */
  readonly id?: number;
  readonly validTo: Date;
}

/** A new API key, and its secret, which nothing keeps. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/**
 * Access pattern AK2: makes an API key of an account as it was read. Refuses by field a name that another key has, and a key above
 * 20 at once, or above 20 that engineers made; as `token_invalid` if a check fails; as `busy` if the user was changed or removed
 * meanwhile. One read unit, two write units a KB, and two for the user and each check.
 */
export async function addApiKey(
  { user, stored: owner, epoch }: Account,
  { id: given, validTo, ...asked }: AskedApiKey,
  context: WriteContext,
  checks: readonly TransactionWrite[] = [],
): Promise<NewApiKey> {
  const { now } = context;
  return retry(paces.record, async () => {
    const stored = await findApiKeys(user.id);
    const others = validKeys(stored, epoch, now);
    requireRoom(others, asked);
    const id = given ?? timeOrderedId(now);
    const secret = makeSecret(user.id, id);
    const made = { role: user.role, company_id: user.financial_company_id, epoch };
    const key = { id, ...asked, ...made, hash: hashToken(secret), valid_to: validTo.toISOString() };
    const next = withKeys(user.id, stored, [...others, key]);
    const writes = [...checks, requireUnchanged(owner), replaceItem(stored, next, { ...context, notifies: true })];
    const failed = await transact(writes);
    if (failed.some((position) => position < checks.length)) throw sessionEnded();
    if (failed.includes(checks.length)) throw busy("The user was changed meanwhile; nothing was made");
    return failed.length === 0 ? { key, secret } : undefined;
  });
}

/** Keys that engineers made are counted apart: they take no place from those of the user. */
function requireRoom(others: readonly ApiKey[], { name, minted_by }: Pick<StoredApiKey, "name" | "minted_by">): void {
  const same = others.find((each) => each.name === name);
  if (same)
    throw keyRefused("/key/name", "taken", `belongs to your key ${same.id}: delete that one, or choose another`);
  const alike = others.filter((each) => (each.minted_by === undefined) === (minted_by === undefined));
  if (alike.length < mostApiKeys) return;
  throw keyRefused("/key", "not_allowed", `must not be one more: you have ${mostApiKeys} keys; delete one first`);
}

/** The refusal of a field of an API key that was asked for. */
export function keyRefused(pointer: string, code: "taken" | "not_allowed" | "out_of_range", detail: string): Refusal {
  return new Refusal("fields_invalid", `Invalid: ${pointer}`, { errors: [{ pointer, code, detail }] });
}

/** How secrets begin: scanners of leaked secrets find them by it. */
const secretPrefix = "wfk_";
/** 256 bits: nobody guesses them. */
const secretBytes = 32;
/** A key of another stage is known by its tag, without a read. */
const tagLetters = 8;

const secretForm = new RegExp(
  `^${secretPrefix}([0-9a-f]{${tagLetters}})_([1-9][0-9]{0,15})_([1-9][0-9]{0,15})_[A-Za-z0-9_-]{43}$`,
);

/** A secret: prefix, stage, user, id of the key, and 256 random bits. */
function makeSecret(userId: number, id: number): string {
  return `${secretPrefix}${stageTag()}_${userId}_${id}_${randomBytes(secretBytes).toString("base64url")}`;
}

function stageTag(): string {
  return createHash("sha256").update(settings.tokenIssuer()).digest("hex").slice(0, tagLetters);
}

/** True for a bearer token that is an API key, whole or damaged: access tokens begin with the `eyJ` of a JSON object. */
export function isApiKey(token: string): boolean {
  return token.startsWith(secretPrefix);
}

/** The user of an API key, as the user is at this moment. */
export interface KeyHolder {
  readonly caller: Caller;
  readonly account: Account;
}

/** Of no secret; an unknown key is compared with it. */
const noHash = Buffer.alloc(secretBytes).toString("base64url");

/**
 * Access pattern AK3: the user of an API key. Refuses as `token_invalid` one that was ended or has expired, that nobody has, and
 * one whose user is gone or has another role, company or password than when it was made: all after the same reads and one
 * comparison. One that is damaged or of another stage is refused so without a read, and each on a stage with an external
 * issuer. Two read units, with some twelve keys or fewer, one round trip.
 */
export async function findKeyHolder(secret: string, now: Date): Promise<KeyHolder> {
  const [, tag, user, id = ""] = secretForm.exec(secret) ?? [];
  if (!hasApiKeys() || tag !== stageTag()) throw keyInvalid();
  const userId = Number(user);
  const [account, stored] = await Promise.all([findAccount(userId), findApiKeys(userId)]);
  const key = validKeys(stored, account?.epoch ?? 0, now).find((each) => String(each.id) === id);
  const isItsSecret = isSame(hashToken(secret), key?.hash ?? noHash);
  if (!account || !key || !isItsSecret || !isStillOf(account, key)) throw keyInvalid();
  const caller = { userId, role: key.role, companyId: key.company_id, sessionId: "none" };
  return { caller: { ...caller, key: { id: key.id, access: key.access } }, account };
}

function isSame(given: string, stored: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(stored)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function isStillOf({ user }: Account, { role, company_id }: ApiKey): boolean {
  return user.role === role && user.financial_company_id === company_id;
}

/** False on a stage with an external issuer, whose users have no password here. */
export function hasApiKeys(): boolean {
  return settings.oidcIssuer() === undefined;
}

function keyInvalid(): Refusal {
  return new Refusal("token_invalid", "The API key is not valid for this service");
}

/** The refusal of a request that an API key may not make. */
export function keyNotAllowed(detail: string): Refusal {
  return new Refusal("key_not_allowed", detail);
}
