import type { SecretHashes, SecretKind } from "../../domain/accounts/user-secrets.ts";
import { defineEntity, type SplitItem, type StoredItem } from "../table/entity.ts";
import type { Item, Key } from "../table/table.ts";
import type { TransactionWrite } from "../table/transaction.ts";
import { updateOf } from "../table/updates.ts";

/** A user's password or passcode as the table has it. */
export interface StoredSecret extends StoredItem {
  readonly hash: string;
}

const kinds = ["password", "passcode"] as const;

/**
 * The entity of users' secrets. Each kind has a partition of its own, which those functions alone reach by key that compare it
 * (`guarded` of their rows). The consumers of the table's stream, and the scan of `reconcile-totals`, may read all of them.
 */
export const userSecrets = defineEntity<StoredSecret>("user secret", ({ pk, sk }) =>
  kinds.some((kind) => sk === kind.toUpperCase() && pk.startsWith(`${sk}#`)),
);

/** Key of a secret of a user. */
export function secretKey(kind: SecretKind, userId: number): Key {
  const name = kind.toUpperCase();
  return { pk: `${name}#${userId}`, sk: name };
}

/**
 * Stands in the user's item in place of a passcode's hash that is in an item of its own. It is no hash, so that release 0.1
 * refuses to pay: that lets pay whose item has none (D19).
 */
export const movedHash = "moved";

/** The hash of a secret that release 0.1 stored in the user's item; undefined where the secret's own item has it. */
export function formerHash(kind: SecretKind, stored: SecretHashes | undefined): string | undefined {
  const hash = stored?.[`${kind}_hash`];
  return hash === movedHash ? undefined : hash;
}

/** The write that gives a user a secret, whatever is stored. */
export function overwriteSecret(kind: SecretKind, userId: number, hash: string): TransactionWrite {
  return { Update: updateOf(secretKey(kind, userId), { set: { hash } }) };
}

/** The write that deletes a secret of a user, if there is one. */
export function deleteSecret(kind: SecretKind, userId: number): TransactionWrite {
  return { Delete: { Key: { ...secretKey(kind, userId) } } };
}

/** The write that leaves a secret with a hash, or deletes it, while it is as it was read; none where it is so already. */
export function changeSecret(key: Key, stored: StoredSecret | undefined, hash: string | undefined): TransactionWrite[] {
  if (stored?.hash === hash) return [];
  const condition = stored
    ? {
        ConditionExpression: "#hash = :hash",
        ExpressionAttributeNames: { "#hash": "hash" },
        ExpressionAttributeValues: { ":hash": stored.hash },
      }
    : { ConditionExpression: "attribute_not_exists(pk)" };
  if (hash === undefined) return [{ Delete: { Key: { ...key }, ...condition } }];
  return [{ Put: { Item: userSecrets.encode({ ...stored, ...key, hash }), ...condition } }];
}

/** A user without the hashes that release 0.1 stored in the user's item, and the writes that bring them to their own. */
export function splitHashes(item: Item): SplitItem {
  const { password_hash, passcode_hash, ...rest } = item as Item & SecretHashes;
  const hashes = { password_hash, passcode_hash };
  const others = kinds.flatMap((kind) => {
    const hash = formerHash(kind, hashes);
    return hash === undefined ? [] : [overwriteSecret(kind, Number(item.id), hash)];
  });
  return { item: { ...rest, ...(passcode_hash && { passcode_hash: movedHash }) }, others };
}
