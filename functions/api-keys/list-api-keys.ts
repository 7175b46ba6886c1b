import { listApiKeys, mostApiKeys } from "../../shared/contract/api-keys.ts";
import { authenticated } from "../../shared/http/endpoint.ts";
import { findApiKeys, hasApiKeys, shownKey, validKeys } from "../../shared/people/api-keys.ts";
import { requireSession } from "../../shared/people/sessions.ts";

/** All of a user: their own, and as many that engineers made. */
const perPage = 2 * mostApiKeys;

/** Lists the caller's API keys that are valid, newest first, without their secrets. The session must be live (D46). */
export const handler = authenticated(
  listApiKeys,
  async ({ caller, now }) => {
    const [stored, { epoch }] = await Promise.all([findApiKeys(caller.userId), requireSession(caller, now)]);
    const keys = validKeys(stored, epoch, now);
    return { items: keys.map(shownKey).toReversed(), total: keys.length, perPage };
  },
  { closes: () => !hasApiKeys() },
);
