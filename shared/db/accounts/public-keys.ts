import type { PublicJwk } from "../../contract/service.ts";
import { epochSeconds } from "../table/expiry.ts";
import { publicKeyKey } from "../table/keys.ts";
import { putIf, queryPage, updateIf } from "../table/table.ts";

/** Access pattern K1: the public signing keys that are published now, as JWKs. One query, 0.5 read units. */
export async function findPublicKeys(now: Date): Promise<PublicJwk[]> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :keys",
    ExpressionAttributeValues: { ":keys": publicKeyKey("").pk },
  });
  const isPublished = ({ valid_to }: { valid_to?: unknown }) =>
    valid_to === undefined || String(valid_to) > now.toISOString();
  return items.filter(isPublished).map((item) => item.jwk as PublicJwk);
}

/** Access pattern K2: publishes a key. One write unit. */
export async function publishKey(kid: string, jwk: unknown): Promise<void> {
  await putIf({ Item: { ...publicKeyKey(kid), jwk } });
}

/** Access pattern K3: ends the publication of a key at a moment, once and for all. One write unit. */
export async function retireKey(kid: string, validTo: Date): Promise<void> {
  await updateIf({
    Key: publicKeyKey(kid),
    ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(valid_to)",
    UpdateExpression: "SET valid_to = :validTo, expires_at = :expiresAt",
    ExpressionAttributeValues: {
      ":validTo": validTo.toISOString(),
      ":expiresAt": epochSeconds(validTo),
    },
  });
}
