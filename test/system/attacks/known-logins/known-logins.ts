import { secretKey } from "../../../../shared/people/users.ts";
import { updateIf } from "../../../../shared/table/writes.ts";
import { userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";

/** The cost of new hashes. */
export const newCost = "m=19456,t=2";
/** Costs of hashes that a sign-in would renew. */
export const olderCosts = ["m=9728,t=2", "m=19456,t=1", "m=2432,t=2"];

/** Stores so many users, whose passwords were hashed at these costs in turn; gives their logins. */
export async function storeKnownLogins(count: number, costs: readonly string[]): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const logins = ids.map((id) => `known-${id}@example.com`);
  await store(ids.map((id) => userLine(id, { email: `known-${id}@example.com` })));
  for (const id of ids) {
    const hash = `$argon2id$v=19$${costs[id % costs.length]},p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
    await updateIf(secretKey("password", id), { set: { hash } });
  }
  return logins;
}

/** As many logins of nobody, as long as the known ones. */
export function unknownLogins(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `other-${index + 1}@example.com`);
}
