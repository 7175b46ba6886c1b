import { getHealth } from "../../shared/contract/service.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { findPublicKeys } from "../../shared/tokens/keys.ts";

/** Succeeds if the table answers and has a key that verifies access tokens. */
export const handler = anonymous(getHealth, async ({ now }) => {
  const keys = await findPublicKeys(now);
  if (keys.length === 0) throw new Error("No public key is published: every access token is refused");
  return { status: "ok" as const };
});
