import { isDeepStrictEqual } from "node:util";
import { type AttributeValue, ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { retryConflicts } from "./conflicts.ts";

type Item = Record<string, unknown>;

/** What became of a write: the item as it was written, or the one that its condition failed on. */
export interface Conditional {
  readonly isWritten: boolean;
  readonly item: Item | undefined;
}

/**
 * Makes a write that depends on a condition. The SDK repeats a call whose answer was lost, and then the condition may fail
 * on what the call itself has written: `isOwn` recognises that by the item that was found. It is asked only after a repeated
 * call, so that a write of others that is the same is not taken for this one.
 */
export async function writeOnCondition(
  send: () => Promise<{ readonly Attributes?: Item | undefined }>,
  isOwn: (found: Item | undefined) => boolean,
): Promise<Conditional> {
  let wasRepeated = false;
  try {
    const answer = await retryConflicts(async () => {
      try {
        return await send();
      } catch (error) {
        wasRepeated ||= attemptsOf(error) > 1;
        throw error;
      }
    });
    return { isWritten: true, item: answer.Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item && unmarshall(error.Item as Record<string, AttributeValue>);
    return { isWritten: wasRepeated && isOwn(found), item: found };
  }
}

/** Recognises the item that a put writes. */
export function isPutOf({ Item }: { readonly Item?: Item | undefined }): (found: Item | undefined) => boolean {
  return (found) => found !== undefined && isSame(found, Item);
}

/** What an update writes, as far as it is recognised by. */
interface Update {
  readonly UpdateExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
}

/** Recognises the item that an update leaves: it has each value that is set, and none of the attributes that are removed. */
export function isUpdateOf(update: Update): (found: Item | undefined) => boolean {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = update;
  const valueAt = (item: Item, path: string) =>
    path.split(".").reduce<unknown>((inner, name) => (inner as Item | undefined)?.[names[name] ?? name], item);
  const sets = [...clauseOf(update, "SET").matchAll(/([#\w.]+) = (:\w+)/g)];
  const removed = clauseOf(update, "REMOVE").match(/[#\w.]+/g) ?? [];
  return (found) =>
    found !== undefined &&
    sets.length > 0 &&
    sets.every(([, path = "", value = ""]) => isSame({ is: valueAt(found, path) }, { is: values[value] })) &&
    removed.every((path) => valueAt(found, path) === undefined);
}

function clauseOf({ UpdateExpression = "" }: Update, word: string): string {
  const parts = UpdateExpression.split(/\b(SET|REMOVE|ADD|DELETE)\b/);
  return parts[parts.indexOf(word) + 1] ?? "";
}

/** As the table has it: absent and undefined are the same there. */
function isSame(found: Item, written: Item | undefined): boolean {
  const stored = (item: Item) => marshall(item, { removeUndefinedValues: true });
  return written !== undefined && isDeepStrictEqual(stored(found), stored(written));
}

/** How often the SDK sent a call before it failed. */
function attemptsOf(error: unknown): number {
  return (error as { $metadata?: { attempts?: number } } | undefined)?.$metadata?.attempts ?? 1;
}
