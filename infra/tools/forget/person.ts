import { findUsersOfProfile } from "../../../shared/db/accounts/profiles.ts";
import { findUser } from "../../../shared/db/accounts/users.ts";

/** Somebody who is to be forgotten, as far as records of others name them. */
export interface Person {
  readonly id: number;
  /** The driver that they are in timesheets; null where they are none. */
  readonly profileId: number | null;
  /** False where another user has the profile today: then only their names say that a driver is this person. */
  readonly hasProfile: boolean;
  /** Undefined where the user is gone. */
  readonly names: { readonly first_name: string; readonly last_name: string } | undefined;
}

/** What is kept outside the table of somebody who was forgotten. */
export interface ErasedEntry {
  readonly id: number;
  readonly profile_id: number | null;
  /** When they were forgotten first, in UTC. */
  readonly erased_at: string;
}

/** What the table knows of a user, or else the list of those who were forgotten; undefined where neither does. */
export async function findPerson(id: number, entry: ErasedEntry | undefined): Promise<Person | undefined> {
  const user = await findUser(id);
  if (!user && !entry) return undefined;
  const profileId = user?.profile_id ?? entry?.profile_id ?? null;
  const holders = profileId === null ? [] : await findUsersOfProfile(profileId);
  const hasProfile = holders.every((holder) => holder === id);
  return { id, profileId, hasProfile, names: user && { first_name: user.first_name, last_name: user.last_name } };
}

/** True for a value that is this person as the driver of a timesheet. */
export function isDriver({ profileId, hasProfile, names }: Person, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("profile_id" in value)) return false;
  const { profile_id, first_name, last_name } = value as Readonly<Record<string, unknown>>;
  if (profileId === null || profile_id !== profileId) return false;
  return hasProfile || (names?.first_name === first_name && names?.last_name === last_name);
}
