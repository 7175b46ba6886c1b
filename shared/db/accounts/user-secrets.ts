import type { SecretKind } from "../../domain/accounts/secret-hashes.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key } from "../../table/table.ts";
import type { TransactionWrite } from "../../table/writes.ts";
import { ifAbsent, updateOf } from "../../table/writes.ts";

/** A user's password or passcode as the table stores it. */
export interface StoredSecret extends StoredItem {
  readonly hash: string;
}

const secretKinds = ["password", "passcode"] as const;

/**
 * The entity of users' secrets. Each kind has a partition of its own. By key, only the functions that compare a secret
 * may read it (`guarded` of their rows). The consumers of the table's stream may read all secrets.
 */
export const userSecrets = defineEntity<StoredSecret>("user secret", ({ sk }) =>
  secretKinds.some((kind) => sk === kind.toUpperCase()),
);

/** Key of a secret of a user. */
export function secretKey(kind: SecretKind, userId: number): Key {
  const name = kind.toUpperCase();
  return { pk: `${name}#${userId}`, sk: name };
}

/** The write that sets a user's secret, whatever is stored. */
export function overwriteSecret(kind: SecretKind, userId: number, hash: string): TransactionWrite {
  return { Update: updateOf(secretKey(kind, userId), { set: { hash } }) };
}

/** The write that deletes a secret of a user, if there is one. */
export function deleteSecret(kind: SecretKind, userId: number): TransactionWrite {
  return { Delete: { Key: { ...secretKey(kind, userId) } } };
}

/**
 * The write that changes a secret to a hash, or deletes it, if the secret is still as it was read. No write if the hash
 * is stored already.
 */
export function changeSecret(key: Key, stored: StoredSecret | undefined, hash: string | undefined): TransactionWrite[] {
  if (stored?.hash === hash) return [];
  const condition = stored
    ? {
        ConditionExpression: "#hash = :hash",
        ExpressionAttributeNames: { "#hash": "hash" },
        ExpressionAttributeValues: { ":hash": stored.hash },
      }
    : ifAbsent;
  if (hash === undefined) return [{ Delete: { Key: { ...key }, ...condition } }];
  return [{ Put: { Item: userSecrets.encode({ ...stored, ...key, hash }), ...condition } }];
}
