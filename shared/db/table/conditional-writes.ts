import { randomBytes } from "node:crypto";
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { type Attributes, fromAttributes, inTable, type Plain } from "./attributes.ts";
import { retryConflicts } from "./retry.ts";
import { type Item, type Key, tableClient } from "./table.ts";
import { type Changes, updateOf } from "./updates.ts";

/** The outcome of a write: the item as it was written, or the one that its condition failed on. */
export interface Conditional {
  readonly isWritten: boolean;
  readonly item: Item | undefined;
}

/**
 * Writes an item if its condition holds, and answers whether it is written. The SDK repeats a call whose answer was lost, and then the
 * condition fails on the item that the call itself has written: its `write_id` says so.
 */
export async function putIf({ Item, ...condition }: Plain<PutItemCommandInput>): Promise<boolean> {
  const write_id = condition.ConditionExpression === undefined ? undefined : newWriteId();
  const command = new PutItemCommand(inTable({ ...askForFound, ...condition, Item: { ...Item, write_id } }));
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

/** Deletes an item if its condition holds, and answers whether the item is gone: an earlier try of the same call may have deleted it. */
export async function deleteIf(input: Plain<DeleteItemCommandInput>): Promise<boolean> {
  const command = new DeleteItemCommand(inTable({ ...askForFound, ...input }));
  const { isWritten } = await writeOnCondition(
    () => tableClient().send(command),
    (found) => found === undefined,
  );
  return isWritten;
}

/** Updates an item if its condition holds and answers with the whole new item; with undefined if it does not hold. */
export async function updateIf(key: Key, changes: Changes): Promise<Item | undefined> {
  const { isWritten, item } = await tryUpdate(key, changes);
  return isWritten ? item : undefined;
}

/**
 * Does the same, and answers with the item that the condition failed on, which costs no read. A repetition by the SDK adds
 * nothing a second time, unless another write of the item came between: then it counts once too often, never too few.
 */
export function tryUpdate(key: Key, changes: Changes): Promise<Conditional> {
  const writeId = newWriteId();
  const update = updateOf(key, changes, writeId);
  const command = new UpdateItemCommand(inTable({ ...askForFound, ReturnValues: "ALL_NEW", ...update }));
  return writeOnCondition(
    () => tableClient().send(command),
    (found) => isWriteOf(writeId, found),
  );
}

/** `isOwn` recognises the item that an earlier try of the same call has left. */
async function writeOnCondition(
  send: () => Promise<{ readonly Attributes?: Attributes | undefined }>,
  isOwn: (found: Item | undefined) => boolean,
): Promise<Conditional> {
  try {
    const { Attributes } = await retryConflicts(send);
    return { isWritten: true, item: Attributes && fromAttributes(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const found = error.Item && fromAttributes(error.Item);
    return { isWritten: isOwn(found), item: found };
  }
}

/** 16 letters: among the writes of one item, within a second, no two are the same. */
function newWriteId(): string {
  return randomBytes(12).toString("base64url");
}

function isWriteOf(writeId: string | undefined, found: Item | undefined): boolean {
  return writeId !== undefined && found?.write_id === writeId;
}

const askForFound = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
