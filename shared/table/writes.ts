import { randomBytes } from "node:crypto";
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { versionClause, versionValue } from "./entity.ts";
import { paces, retry, retryConflicts } from "./retry.ts";
import { type Item, inTable, type Key, liveItem, type Plain, tableClient } from "./table.ts";

/** A put, alone or in a transaction, with its condition. */
export interface PutWrite {
  readonly Put: { readonly Item: Record<string, unknown> };
}

/** The item exists. */
export const isThere = "attribute_exists(pk)";

/** There is no such item. */
export const isAbsent = "attribute_not_exists(pk)";

/** The item has the attribute. */
export function has(attribute: string): string {
  return `attribute_exists(${attribute})`;
}

/** The item has no such attribute. */
export function lacks(attribute: string): string {
  return `attribute_not_exists(${attribute})`;
}

/** At least one of the conditions holds. */
export function anyOf(...conditions: readonly string[]): string {
  return `(${conditions.join(" OR ")})`;
}

/** All of the conditions hold. */
export function allOf(...conditions: readonly string[]): string {
  return conditions.join(" AND ");
}

/** The condition that there is no item yet. */
export const ifAbsent = { ConditionExpression: isAbsent } as const;

/** The condition that an item still has the revision that was read. If none was read, the item must be absent. */
export function ifUnchanged(read: { readonly revision?: unknown } | undefined) {
  if (!read) return ifAbsent;
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": read.revision } };
}

/** A change of an item in at least one attribute. A field of its record is `record.` and the field's name. */
export interface Patch {
  /** Attributes that must have these values for the update to be made; undefined where one must be absent. */
  readonly where?: Readonly<Item>;
  /** A further condition, as an expression (`anyOf`, `allOf`) with its `values` and `names`. */
  readonly when?: string;
  readonly values?: Readonly<Item>;
  readonly names?: Readonly<Record<string, string>>;
  /** Attributes to set. The item's version stays unless it is among them (`versionClause`). */
  readonly set?: Readonly<Item>;
  /** Attributes to set where they are absent. */
  readonly setOnce?: Readonly<Item>;
  readonly remove?: readonly string[];
  /** Amounts to add to figures. */
  readonly add?: Readonly<Record<string, number>>;
}

/**
 * An update of an item, as a call or a transaction takes it. `writeId` names the write: the item keeps it until its next write, and a
 * repetition fails on it. The writes of a transaction have none, as its token says that it is repeated.
 */
export function updateOf({ pk, sk }: Key, changes: Patch, writeId?: string) {
  const key = { pk, sk };
  const { where = {}, when, values, set = {}, setOnce = {}, remove = [], add = {} } = changes;
  const keepsVersion = set.schema_version === undefined;
  const bound: Item = {
    ...values,
    ...(keepsVersion && versionValue),
    ...(writeId !== undefined && { ":write_id": writeId }),
  };
  const names = new Map<string, string>();
  let count = 0;
  const bind = (value: unknown) => {
    count += 1;
    bound[`:v${count}`] = value;
    return `:v${count}`;
  };
  const clausesOf = (changed: Readonly<Item>, clauseOf: (path: string, value: unknown) => string) =>
    Object.entries(changed).map(([attribute, value]) => clauseOf(pathOf(attribute, names), value));
  const conditions = clausesOf(where, (path, value) =>
    value === undefined ? lacks(path) : `${path} = ${bind(value)}`,
  );
  const sets = [
    ...clausesOf(set, (path, value) => `${path} = ${bind(value)}`),
    ...clausesOf(setOnce, (path, value) => `${path} = if_not_exists(${path}, ${bind(value)})`),
    ...(keepsVersion ? [versionClause] : []),
    ...(writeId === undefined ? [] : ["write_id = :write_id"]),
  ];
  const removed = remove.map((attribute) => pathOf(attribute, names));
  if (writeId === undefined) removed.push("write_id");
  const clauses = { SET: sets, REMOVE: removed, ADD: clausesOf(add, (path, value) => `${path} ${bind(value)}`) };
  const ifNotWritten = writeId === undefined ? [] : [anyOf(lacks("write_id"), "write_id <> :write_id")];
  const present = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  return {
    Key: { ...key },
    ConditionExpression: allOf(...conditions, ...(when ? [when] : []), ...ifNotWritten) || undefined,
    UpdateExpression: present.map(([word, parts]) => `${word} ${parts.join(", ")}`).join(" "),
    ExpressionAttributeNames: {
      ...changes.names,
      ...Object.fromEntries([...names].map(([name, alias]) => [alias, name])),
    },
    ExpressionAttributeValues: bound,
  };
}

/** The aliases of an attribute's names: any name may be a word that expressions reserve. */
function pathOf(attribute: string, names: Map<string, string>): string {
  const parts = attribute.startsWith("record.") ? ["record", attribute.slice("record.".length)] : [attribute];
  for (const part of parts) names.set(part, names.get(part) ?? `#n${names.size}`);
  return parts.map((part) => names.get(part)).join(".");
}

/** The outcome of a write: the written item, or the one that failed the condition. */
interface Conditional {
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

/** Most writes of a transaction. */
export const maxTransactionWrites = 100;

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** One write of a transaction. The table's name is added here. */
export type TransactionWrite = { [K in keyof Write]: Plain<NonNullable<Write[K]>> };

/**
 * Carries out up to 100 writes, or none of them. Returns the positions of the writes whose conditions failed; none means
 * that everything was written. Refuses with `busy` if others' transactions hold the items for longer than a second (D18).
 */
export function transact(writes: readonly TransactionWrite[]): Promise<readonly number[]> {
  return retryConflicts((_, leftMs) => transactOnce(writes, leftMs));
}

/**
 * As `transact`, but throws if others' transactions hold the items. Nothing was written then, and the next attempt may
 * have other writes. If an answer is lost, the SDK repeats the call under the same token, and the writes happen once.
 * While the first call is in progress, the same call is repeated, because one with another token would conflict with it.
 */
export function transactOnce(writes: readonly TransactionWrite[], withinMs: number): Promise<readonly number[]> {
  const call = transactionOf(writes);
  return retry({ ...paces.conflict, withinMs }, () =>
    send(call).catch((error: unknown) => {
      if (!(error instanceof TransactionInProgressException)) throw error;
      return undefined;
    }),
  );
}

function transactionOf(writes: readonly TransactionWrite[]): TransactWriteCommand {
  const TransactItems = writes.map(writeInTable);
  return new TransactWriteCommand({ TransactItems, ClientRequestToken: crypto.randomUUID() });
}

/**
 * Reads up to 100 items as of one moment, in the order of the keys; absent ones are undefined. Two read units each.
 * Refuses with `busy` if others' transactions held them for a second.
 */
export async function readTogether(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  const TransactItems = keys.map((key) => ({ Get: inTable({ Key: key }) }));
  const { Responses = [] } = await retryConflicts(() => tableClient().send(new TransactGetCommand({ TransactItems })));
  return Responses.map(({ Item: item }) => liveItem(item));
}

async function send(call: TransactWriteCommand): Promise<readonly number[]> {
  try {
    await tableClient().send(call);
    return [];
  } catch (error) {
    const failed = failedConditions(error);
    if (failed.length === 0) throw error;
    return failed;
  }
}

/** Removes the `write_id` that an item may have from its last single write: a transaction sets none. */
function writeInTable(write: TransactionWrite): Write {
  if (write.Put) return { Put: inTable({ ...write.Put, Item: { ...write.Put.Item, write_id: undefined } }) };
  const [[kind, action] = []] = Object.entries(write);
  return { [kind ?? ""]: inTable(action ?? {}) };
}

function failedConditions(error: unknown): number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  const reasons = error.CancellationReasons ?? [];
  return reasons.flatMap(({ Code }, position) => (Code === "ConditionalCheckFailed" ? [position] : []));
}

/** A limit below DynamoDB's 4 MB for a transaction, because the existing items of its writes count as well. */
export const mostTransactionBytes = 3_500_000;

/**
 * The number of bytes that a value of plain JSON takes in the table, including the names of attributes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function bytesInTable(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  // A byte holds two digits; a number takes one byte more.
  if (typeof value === "number") return Math.ceil(`${value}`.length / 2) + 1;
  if (typeof value !== "object" || value === null) return 1;
  const parts = Array.isArray(value) ? value.map(bytesInTable) : Object.entries(value).map(bytesOfField);
  return parts.reduce((sum, bytes) => sum + bytes + 1, 3);
}

function bytesOfField([name, value]: readonly [string, unknown]): number {
  return value === undefined ? 0 : Buffer.byteLength(name) + bytesInTable(value);
}
