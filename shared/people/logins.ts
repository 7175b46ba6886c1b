import { defineEntity, type StoredItem } from "../table/entity.ts";
import type { UniqueKey } from "../table/plans.ts";
import type { Key } from "../table/table.ts";
import { ifAbsent, type TransactionWrite, updateOf } from "../table/writes.ts";
import { type AccountWithHash, findAccountWith, nobody } from "./users.ts";

/** A login as the table stores it. Its key contains the login's normal form (D7). */
interface StoredLogin extends StoredItem {
  readonly user_id: number;
  readonly confirmed_at?: string;
}

/** The entity of logins. */
export const logins = defineEntity<StoredLogin>("login", ({ sk }) => sk === "LOGIN");

/** Key of a login, by its normal form. */
export function loginKey(login: string): Key {
  return { pk: `LOGIN#${login}`, sk: "LOGIN" };
}

/** Access pattern U2: finds the id of the user who owns a login. One read unit. */
export async function findUserIdOfLogin(login: string): Promise<number | undefined> {
  return (await logins.find(loginKey(login), { consistent: true }))?.user_id;
}

/**
 * Access pattern A2: finds the account of a login, with the hash of its password. An unknown login costs the same two
 * round trips and five read units (D15).
 */
export async function findAccountOfLogin(login: string): Promise<AccountWithHash | undefined> {
  return findAccountWith("password", (await findUserIdOfLogin(login)) ?? nobody);
}

/** The unique key of a login that an import line gives a user; the login counts as confirmed (D5). */
export function uniqueLogin(login: string, userId: number, field: string, now: Date): UniqueKey {
  return { key: loginKey(login), userId, field, attributes: { confirmed_at: now.toISOString() } };
}

/** The write that creates a confirmed login, unless the login exists (D16). */
export function createLogin(login: string, userId: number, now: Date): TransactionWrite {
  const item = logins.encode({ ...loginKey(login), user_id: userId, confirmed_at: now.toISOString() });
  return { Put: { Item: item, ...ifAbsent } };
}

/** The write that confirms a login, if it still belongs to the user (D13). */
export function markLoginConfirmed(login: string, userId: number, now: Date): TransactionWrite {
  const changes = { where: { user_id: userId }, setOnce: { confirmed_at: now.toISOString() } };
  return { Update: updateOf(loginKey(login), changes) };
}

/** The entity of drivers' profiles. Each names the user it belongs to. */
export const profiles = defineEntity<StoredItem & { readonly user_id: number }>(
  "profile",
  ({ sk }) => sk === "PROFILE",
);

/** Key of the user of a driver, by profile id. */
export function profileKey(profileId: number): Key {
  return { pk: `PROFILE#${profileId}`, sk: "PROFILE" };
}

/** Access pattern R2: finds the user of a driver's profile, if there is one. 1 read unit. */
export async function findUsersOfProfile(profileId: number): Promise<number[]> {
  const stored = await profiles.find(profileKey(profileId), { consistent: true });
  return stored ? [stored.user_id] : [];
}

/** The unique key of the profile of a user. */
export function uniqueProfile(profileId: number, userId: number): UniqueKey {
  return { key: profileKey(profileId), userId, field: "profile_id", attributes: {} };
}
