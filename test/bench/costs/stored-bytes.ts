import type { Template } from "../../../infra/support/stack-template.ts";
import type { Item } from "../../../shared/table/table.ts";
import { changesPerUser } from "./assumptions.ts";

/** Bytes in the table itself, which recovery and backups are billed by, and in its indexes. */
export interface StoredBytes {
  readonly base: number;
  readonly indexes: number;
}

/** Bytes that DynamoDB bills beside the attributes, for each item and for each of its rows in an index. */
const bytesOfRow = 100;

/** The kinds of items that grow with users; others are few, or kept for days. */
const kinds = {
  record: /^(?:TIMESHEET|INVOICE|JOB)#\d+ (?:TIMESHEET|INVOICE|JOB)$/,
  /** By a user: the history has a row more of it than of an event's. */
  change: /^HISTORY#TIMESHEET#\d+ \S+[.]1$/,
  notification: /^USER#\d+ NOTIFICATION#/,
};

/**
 * Bytes of a user's items once the history is as old as it is kept: the records that change in a month, and each change of that
 * time with its notification, at the mean sizes of a table's own items.
 */
export function storedPerUser(items: readonly Item[], template: Template, historyDays: number): StoredBytes {
  const changes = (changesPerUser * historyDays) / 30;
  const counts = { record: changesPerUser, change: changes, notification: changes };
  const parts = Object.entries(kinds).map(([kind, names]) => {
    const own = items.filter(({ pk, sk }) => names.test(`${pk} ${sk}`));
    if (own.length === 0) throw new Error(`The table has no ${kind}: its size cannot be measured.`);
    const mean = (size: (item: Item) => number) => own.reduce((sum, item) => sum + size(item), 0) / own.length;
    const times = counts[kind as keyof typeof counts];
    return { base: times * mean(rowBytes), indexes: times * mean((item) => indexBytes(item, template)) };
  });
  const total = (part: keyof StoredBytes) => parts.reduce((sum, each) => sum + each[part], 0);
  return { base: total("base"), indexes: total("indexes") };
}

interface Index {
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: readonly string[] };
}

/** The bytes of an item's rows in the indexes of a template's table. */
function indexBytes(item: Item, { Resources }: Template): number {
  const table = Object.values(Resources).find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");
  const indexes = table?.Properties?.GlobalSecondaryIndexes as readonly Index[];
  return indexes.reduce((sum, { KeySchema, Projection }) => {
    const keys = KeySchema.map(({ AttributeName }) => AttributeName);
    if (!keys.every((key) => Object.hasOwn(item, key))) return sum;
    const names = new Set(["pk", "sk", ...keys, ...(Projection.NonKeyAttributes ?? [])]);
    const shown = Object.entries(item).filter(([name]) => Projection.ProjectionType === "ALL" || names.has(name));
    return sum + rowBytes(Object.fromEntries(shown));
  }, 0);
}

function rowBytes(item: object): number {
  return bytesOfRow + attributeBytes(item);
}

/** The size of attributes as DynamoDB's guide "Item sizes and formats" has it. */
function attributeBytes(attributes: object): number {
  return Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

function valueBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(value).length / 2) + 1;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 1;
  const members = value instanceof Set ? [...value] : Object.values(value);
  const names = Array.isArray(value) || value instanceof Set ? 0 : Object.keys(value).join("").length;
  return 3 + names + members.reduce((sum: number, member) => sum + 1 + valueBytes(member), 0);
}
