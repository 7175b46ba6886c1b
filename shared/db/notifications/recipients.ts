import type { Role } from "../../contract/operation.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { companyUserMark, profileKey, recordKey } from "../table/keys.ts";
import { getItem, queryPage } from "../table/table.ts";

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
  const userIds = items.map(({ mark_order }) => Number(mark_order));
  return { userIds, after: lastKey && String(items.at(-1)?.mark_order) };
}

/** Access pattern R2: the user of a driver's profile, or nobody. 1 read unit. */
export async function findUsersOfProfile(profileId: number): Promise<number[]> {
  const item = await getItem(profileKey(profileId), { consistent: true });
  return item ? [Number(item.user_id)] : [];
}

/** Access pattern R3: those of some users that there are. 1 read unit each, 100 in a round trip. */
export async function findExistingUsers(userIds: readonly number[]): Promise<number[]> {
  const existing: number[] = [];
  for (let at = 0; at < userIds.length; at += maxBatchReads) {
    const items = await readBatch(userIds.slice(at, at + maxBatchReads).map((id) => recordKey("USER", id)));
    existing.push(...items.flatMap((item) => (item ? [Number(item.id)] : [])));
  }
  return existing;
}
