import { queryPage } from "./table.ts";

/** Access pattern K1: the public signing keys, as JWKs. One query, 0.5 read units. */
export async function findPublicKeys(): Promise<unknown[]> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :keys",
    ExpressionAttributeValues: { ":keys": "KEYS" },
  });
  return items.map((item) => item.jwk);
}
