import type { PublicJwk } from "../../contract/service.ts";
import type { PublishedKey } from "../../domain/accounts/rotation.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key } from "../../table/table.ts";
import { epochSeconds, queryPage } from "../../table/table.ts";
import { allOf, isThere, lacks, putIf, updateIf } from "../../table/writes.ts";

/** A public signing key as the table has it. */
interface StoredPublicKey extends StoredItem {
  readonly jwk: PublicJwk;
  /** When its publication began. */
  readonly published_at: string;
  /** Present once a newer key signs. */
  readonly valid_to?: string;
  readonly expires_at?: number;
}

const keysPk = "KEYS";

/** The entity of public signing keys. */
export const publicKeys = defineEntity<StoredPublicKey>("public key", ({ pk }) => pk === keysPk);

/** Access pattern K1: the public signing keys that are published now, as JWKs. One query, 0.5 read units. */
export async function findPublicKeys(now: Date): Promise<PublicJwk[]> {
  const published = (await findKeys()).filter(({ valid_to }) => !valid_to || valid_to > now.toISOString());
  return published.map(({ jwk }) => jwk);
}

/** Access pattern K4: the keys whose publication has no end yet. One query, one read unit. */
export async function findOpenKeys(): Promise<PublishedKey[]> {
  const open = (await findKeys({ ConsistentRead: true })).filter(({ valid_to }) => !valid_to);
  return open.map(({ jwk, published_at }) => ({ kid: jwk.kid, publishedAt: new Date(published_at) }));
}

/** Access pattern K2: publishes a key from a moment on. One write unit. */
export async function publishKey(kid: string, jwk: PublicJwk, now: Date): Promise<void> {
  await putIf({ Item: publicKeys.encode({ ...keyOf(kid), jwk, published_at: now.toISOString() }) });
}

/** Access pattern K3: ends the publication of a key at a moment, once and for all. One write unit. */
export async function retireKey(kid: string, validTo: Date): Promise<void> {
  const set = { valid_to: validTo.toISOString(), expires_at: epochSeconds(validTo) };
  await updateIf(keyOf(kid), { when: allOf(isThere, lacks("valid_to")), set });
}

async function findKeys(options: { readonly ConsistentRead?: true } = {}): Promise<StoredPublicKey[]> {
  const { items } = await queryPage({
    KeyConditionExpression: "pk = :keys",
    ExpressionAttributeValues: { ":keys": keysPk },
    ...options,
  });
  return items.map(publicKeys.decode);
}

function keyOf(kid: string): Key {
  return { pk: keysPk, sk: kid };
}
