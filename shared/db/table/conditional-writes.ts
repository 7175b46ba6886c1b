import { randomBytes } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Item, Key } from "./item-keys.ts";
import { retryConflicts } from "./retry.ts";
import { inTable, type Plain, tableClient } from "./table.ts";
import { type Patch, updateOf } from "./updates.ts";

/** The outcome of a write: the written item, or the one that failed the condition. */
export interface Conditional {
  readonly isWritten: boolean;
  readonly item: Item | undefined;
}

/**
 * Writes an item if its condition holds, and returns whether it was written. If an answer is lost, the SDK repeats the
 * call, and the condition may fail on the item that the first try wrote. The item's `write_id` shows that.
 */
export async function putIf({ Item, ...condition }: Plain<PutCommandInput>): Promise<boolean> {
  const write_id = condition.ConditionExpression === undefined ? undefined : newWriteId();
  const command = new PutCommand(inTable({ ...askForFound, ...condition, Item: { ...Item, write_id } }));
  const { isWritten } = await writeOnCondition(
    () => tableClient().send(command),
    (found) => isWriteOf(write_id, found),
  );
  return isWritten;
}

/** Deletes an item, if there is one. */
export async function deleteItemAt(key: Key): Promise<void> {
  await deleteIf({ Key: { ...key } });
}

/**
 * Deletes an item if its condition holds. Returns whether the item is gone, because an earlier try of the same call may
 * have deleted it.
 */
export async function deleteIf(input: Plain<DeleteCommandInput>): Promise<boolean> {
  const command = new DeleteCommand(inTable({ ...askForFound, ...input }));
  const { isWritten } = await writeOnCondition(
    () => tableClient().send(command),
    (found) => found === undefined,
  );
  return isWritten;
}

/** Updates an item if its condition holds. Returns the whole new item, or undefined if the condition does not hold. */
export async function updateIf(key: Key, changes: Patch): Promise<Item | undefined> {
  const { isWritten, item } = await tryUpdate(key, changes);
  return isWritten ? item : undefined;
}

/**
 * Updates an item if its condition holds. If not, it returns the item that failed the condition, which costs no read.
 * If the SDK repeats the call, nothing is added twice, unless another write of the item came between. So a counter may
 * be one too high, never too low.
 */
export function tryUpdate(key: Key, changes: Patch): Promise<Conditional> {
  const writeId = newWriteId();
  const update = updateOf(key, changes, writeId);
  const command = new UpdateCommand(inTable({ ...askForFound, ReturnValues: "ALL_NEW", ...update }));
  return writeOnCondition(
    () => tableClient().send(command),
    (found) => isWriteOf(writeId, found),
  );
}

/** `isOwn` recognises an item that an earlier try of the same call wrote. */
async function writeOnCondition(
  send: () => Promise<{ readonly Attributes?: Item | undefined }>,
  isOwn: (found: Item | undefined) => boolean,
): Promise<Conditional> {
  try {
    const { Attributes } = await retryConflicts(send);
    return { isWritten: true, item: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item && unmarshall(error.Item);
    return { isWritten: isOwn(found), item: found };
  }
}

/** A text of 16 letters. No two writes of one item within a second get the same. */
function newWriteId(): string {
  return randomBytes(12).toString("base64url");
}

function isWriteOf(writeId: string | undefined, found: Item | undefined): boolean {
  return writeId !== undefined && found?.write_id === writeId;
}

const askForFound = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
