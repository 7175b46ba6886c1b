import { findUsersOfProfile } from "../../../shared/db/accounts/profiles.ts";
import { findUser } from "../../../shared/db/accounts/users.ts";
import { historyItems, historyPartition } from "../../../shared/db/history/history-items.ts";
import { queryPages } from "../../../shared/db/table/table.ts";

/** Somebody who is to be forgotten, as far as records of others name them. */
export interface Person {
  readonly id: number;
  /** True while the user is there. */
  readonly isUser: boolean;
  /** The drivers that they are or were in timesheets: false where another user has the profile today, and only names say whose a driver is. */
  readonly profiles: ReadonlyMap<number, boolean>;
  /** Every first name that they have or had, with every last name. */
  readonly names: Name[];
}

interface Name {
  readonly first_name: string;
  readonly last_name: string;
}

interface Driver extends Name {
  readonly profile_id: number;
}

/** What is kept outside the table of somebody who was forgotten. */
export interface ErasedEntry {
  readonly id: number;
  readonly profile_ids: readonly number[];
  /** When they were forgotten first, in UTC. */
  readonly erased_at: string;
}

/** What the user, their own history and the list of those who were forgotten say of a person; undefined where none does. */
export async function findPerson(id: number, entry: ErasedEntry | undefined): Promise<Person | undefined> {
  const user = await findUser(id);
  const former = await findFormer(id);
  if (!user && !entry && former.length === 0) return undefined;
  const said = [...(user ? [user] : []), ...former] as readonly Readonly<Record<string, unknown>>[];
  const of = <T>(name: string, type: "string" | "number") =>
    new Set(said.map((fields) => fields[name]).filter((value) => value && typeof value === type) as T[]);
  const profileIds = new Set([...of<number>("profile_id", "number"), ...(entry?.profile_ids ?? [])]);
  const profiles = new Map<number, boolean>();
  for (const profileId of profileIds) {
    profiles.set(
      profileId,
      (await findUsersOfProfile(profileId)).every((holder) => holder === id),
    );
  }
  const lastNames = [...of<string>("last_name", "string")];
  const names = [...of<string>("first_name", "string")].flatMap((first_name) =>
    lastNames.map((last_name) => ({ first_name, last_name })),
  );
  return { id, isUser: user !== undefined, profiles, names };
}

/** What a user's own history says that they were. */
async function findFormer(id: number): Promise<object[]> {
  const former: object[] = [];
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": historyPartition("user", id) },
    ConsistentRead: true,
  });
  for await (const page of pages) {
    for (const { before, after } of page.map(historyItems.decode)) {
      for (const text of [before, after]) if (text) former.push(JSON.parse(text));
    }
  }
  return former;
}

/** Adds the names that a timesheet has of them, where nobody else has the profile: their own history may be emptied. */
export function learnNames({ profiles, names }: Person, { profile_id, first_name, last_name }: Driver): void {
  const isKnown = names.some((name) => name.first_name === first_name && name.last_name === last_name);
  if (profiles.get(profile_id) && first_name && last_name && !isKnown) names.push({ first_name, last_name });
}

/** True for a value that is this person as the driver of a timesheet. */
export function isDriver({ profiles, names }: Person, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("profile_id" in value)) return false;
  const driver = value as { readonly profile_id: unknown } & Partial<Name>;
  const isTheirs = profiles.get(Number(driver.profile_id));
  const isNamed = () =>
    names.some((name) => name.first_name === driver.first_name && name.last_name === driver.last_name);
  return isTheirs === undefined ? false : isTheirs || isNamed();
}
