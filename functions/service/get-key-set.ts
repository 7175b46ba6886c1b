import { getKeySet } from "../../shared/contract/service.ts";
import { findPublicKeys } from "../../shared/db/accounts/public-keys.ts";
import { forAnyone } from "../../shared/http/endpoint.ts";

/** Publishes the keys that access tokens are verified with (D6). */
export const handler = forAnyone(getKeySet, async ({ now }) => ({ keys: await findPublicKeys(now) }));
