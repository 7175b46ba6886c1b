import type * as v from "valibot";
import type { user } from "../../contract/accounts.ts";
import { Refusal } from "../../domain/refusal.ts";
import { loginKey, recordKey } from "../table/keys.ts";
import { getItem, type Item } from "../table/table.ts";

/** A user as the interface shows it. */
export type User = v.InferOutput<typeof user>;

/** A user as stored, without the company's name, which the company keeps. */
export type StoredUser = Omit<User, "company">;

/** Access pattern U1: a user by id. One read unit. */
export async function findUser(id: number): Promise<StoredUser | undefined> {
  const item = await getItem(recordKey("USER", id), { consistent: true });
  return item && toUser(item);
}

/** Access pattern U2: the id of the user a login belongs to. One read unit. */
export async function findUserIdOfLogin(login: string): Promise<number | undefined> {
  const item = await getItem(loginKey(login), { consistent: true });
  return item?.user_id as number | undefined;
}

/** Access pattern U3: the user a login belongs to, or the refusal `login_not_found`. Three round trips, 2.5 read units. */
export async function findUserOfLogin(login: string): Promise<User> {
  const id = await findUserIdOfLogin(login);
  const found = id === undefined ? undefined : await findUser(id);
  if (!found) throw new Refusal("login_not_found", "No user has this login");
  return { ...found, company: await findCompany(found.financial_company_id) };
}

/** Access pattern C1: the company shown with a user, or null. Half a read unit. */
export async function findCompany(id: number | null): Promise<User["company"]> {
  const item = id === null ? undefined : await getItem(recordKey("COMPANY", id));
  return item ? { id: item.id as number, name: item.name as string } : null;
}

/** Reads a stored user back. */
export function toUser(item: Item): StoredUser {
  return { id: item.id, ...(item.record as object) } as StoredUser;
}
