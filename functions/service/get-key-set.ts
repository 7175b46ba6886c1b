import { cacheHeaders, getKeySet } from "../../shared/contract/service.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { findPublicKeys } from "../../shared/tokens/keys.ts";

/** Publishes the keys that verify access tokens (D6). */
export const handler = anonymous(getKeySet, async ({ now }) => ({ keys: await findPublicKeys(now) }), {
  headers: () => cacheHeaders,
});
