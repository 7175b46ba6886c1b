import type { PublicJwk } from "../../contract/service.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds } from "../table/expiry.ts";
import { type Key, putIf, queryPage, updateIf } from "../table/table.ts";
import { updateOf } from "../table/updates.ts";

/** A public signing key as the table has it. */
interface StoredPublicKey extends StoredItem {
  readonly jwk: PublicJwk;
  /** Present once a newer key signs. */
  readonly valid_to?: string;
  readonly expires_at?: number;
}

const keysPk = "KEYS";

/** The entity of public signing keys. */
export const publicKeys = defineEntity<StoredPublicKey>("public key", ({ pk }) => pk === keysPk);

/** Access pattern K1: the public signing keys that are published now, as JWKs. One query, 0.5 read units. */
export async function findPublicKeys(now: Date): Promise<PublicJwk[]> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :keys",
    ExpressionAttributeValues: { ":keys": keysPk },
  });
  const published = items.map(publicKeys.decode).filter(({ valid_to }) => !valid_to || valid_to > now.toISOString());
  return published.map(({ jwk }) => jwk);
}

/** Access pattern K2: publishes a key. One write unit. */
export async function publishKey(kid: string, jwk: PublicJwk): Promise<void> {
  await putIf({ Item: publicKeys.encode({ ...keyOf(kid), jwk }) });
}

/** Access pattern K3: ends the publication of a key at a moment, once and for all. One write unit. */
export async function retireKey(kid: string, validTo: Date): Promise<void> {
  const set = { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
  await updateIf(updateOf(keyOf(kid), { when: "attribute_exists(pk) AND attribute_not_exists(valid_to)", set }));
}

function keyOf(kid: string): Key {
  return { pk: keysPk, sk: kid };
}
