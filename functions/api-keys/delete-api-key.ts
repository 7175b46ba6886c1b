import { deleteApiKey } from "../../shared/contract/api-keys.ts";
import { inSession } from "../../shared/http/endpoint.ts";
import { findApiKeys, hasApiKeys, validKeys, withKeys } from "../../shared/people/api-keys.ts";
import type { Account } from "../../shared/people/users.ts";
import { replaceItem, type WriteContext } from "../../shared/table/plans.ts";
import { paces, retry } from "../../shared/table/retry.ts";
import { transact } from "../../shared/table/writes.ts";

/** Ends one of the caller's API keys; ending it again succeeds (D46). */
export const handler = inSession(deleteApiKey, {
  closes: () => !hasApiKeys(),
  read: async () => undefined,
  write: async ({ parameters: { id }, actor, change, now }) => {
    await endApiKey(actor, id, { change, now });
    return {};
  },
});

/** Access pattern AK4: ends an API key, if there is one. One read unit, two write units a KB; one read unit without one. */
async function endApiKey({ user, epoch }: Account, id: number, context: WriteContext): Promise<void> {
  await retry(paces.record, async () => {
    const stored = await findApiKeys(user.id);
    if (!stored || !(id in stored.keys)) return true;
    const others = validKeys(stored, epoch, context.now).filter((key) => key.id !== id);
    const next = withKeys(user.id, stored, others);
    const failed = await transact([replaceItem(stored, next, { ...context, notifies: true })]);
    return failed.length === 0 || undefined;
  });
}
