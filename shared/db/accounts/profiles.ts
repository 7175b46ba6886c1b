import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { UniqueKey } from "../../table/plans.ts";
import type { Key } from "../../table/table.ts";

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
