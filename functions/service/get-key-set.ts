import { cacheHeaders, getKeySet } from "../../shared/contract/service.ts";
import { findPublicKeys } from "../../shared/db/accounts/public-keys.ts";
import { anonymous } from "../../shared/http/endpoint.ts";

/** Publishes the keys that verify access tokens (D6). */
export const handler = anonymous(getKeySet, async ({ now }) => ({ keys: await findPublicKeys(now) }), {
  headers: () => cacheHeaders,
});
