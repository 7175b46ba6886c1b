import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Change } from "../../../../shared/run/change.ts";
import type { Item, RecordKind } from "../../../../shared/table/table.ts";
import { queryItems } from "../../../../shared/table/table.ts";

/** The kinds of record that have a history. */
export const kinds = ["TIMESHEET", "INVOICE", "JOB", "USER"] as const satisfies readonly RecordKind[];

/** One of them. */
export type Kind = (typeof kinds)[number];

type Fields = Record<string, unknown>;

/** The entry that the history is to have of a change. */
interface Expected {
  readonly type: string;
  readonly id: number | string;
  readonly did: string;
  readonly change: Change | undefined;
  readonly company_id: number | undefined;
  readonly before: Fields | undefined;
  readonly after: Fields | undefined;
}

/** The history that a record is to have, and the import that its present form is still of. */
export interface HistoryOf {
  readonly kind: Kind;
  readonly id: number;
  readonly history: Expected[];
  imported: Change | undefined;
}

/** No history yet. */
export function noHistory(kind: Kind, id: number): HistoryOf {
  return { kind, id, history: [], imported: undefined };
}

/** A write as it was made: the items before and after it, who made it, and the names of the secrets that it changed. */
interface Made {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly author: Change | undefined;
  readonly secrets: readonly string[];
}

/** Adds to a record's history what a write is to leave in it. */
export function follow(record: HistoryOf, { before, after, author, secrets }: Made): void {
  const { kind, id, history } = record;
  const [was, is] = [fieldsOf(kind, before), fieldsOf(kind, after)];
  const add = (did: string, change: Change | undefined, company_id: unknown, fields: [Fields?, Fields?]) =>
    history.push({
      type: kind.toLowerCase(),
      id,
      did,
      change,
      company_id: kind === "USER" ? undefined : (company_id as number | undefined),
      before: fields[0],
      after: fields[1],
    });
  if (record.imported && was) {
    add("created", record.imported, was.company_id, [undefined, is ? was : without(kind, was)]);
    record.imported = undefined;
  }
  if (!was && is) {
    if (author?.by.startsWith("import#")) record.imported = author;
    else add("created", author, is.company_id, [undefined, is]);
  } else if (was && !is) {
    add("removed", author, was.company_id, [without(kind, was), undefined]);
    record.history.splice(0, history.length, ...history.map((each) => emptied(kind, each)));
  } else if (was && is) {
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
      (name) => !isDeepStrictEqual(was[name], is[name]),
    );
    if (names.length + secrets.length === 0) return;
    const company = was.company_id === is.company_id ? is.company_id : undefined;
    const marks = Object.fromEntries(secrets.map((name) => [name, "changed"]));
    add("updated", author, company, [pick(was, names), { ...pick(is, names), ...marks }]);
  }
}

/** The fields that a record shows, read off the item by the names of the table's page. */
function fieldsOf(kind: string, item: Item | undefined): Fields | undefined {
  if (!item) return undefined;
  const { company_id, record, timer, timer_expires_at } = item;
  const beside = {
    company_id,
    ...(timer !== undefined && { timer }),
    ...(timer_expires_at !== undefined && { timer_expires_at }),
  };
  return { ...(kind === "USER" ? {} : beside), ...(record as Fields) };
}

/** Of a person who was removed nothing is kept that leads to them. */
function without(kind: string, fields: Fields): Fields {
  const kept = ["role", "financial_company_id", "profile_id", "password", "passcode"];
  return kind === "USER" ? pick(fields, kept) : fields;
}

/** The entries before the removal are emptied as well. */
function emptied(kind: string, { before, after, ...rest }: Expected): Expected {
  return { ...rest, before: before && without(kind, before), after: after && without(kind, after) };
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}

/** Compares the stored history of a record with the model's. */
export async function expectHistory({ kind, id, history }: HistoryOf): Promise<void> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": `HISTORY#${kind}#${id}` },
    ConsistentRead: true,
  });
  const parse = (text: string | undefined) => text && JSON.parse(text);
  const stored = items.map(({ record }) => {
    const { type, did, change, company_id, family = id, before, after } = record as Record<string, string>;
    return { type, did, change, company_id, id: family, before: parse(before), after: parse(after) };
  });
  expect(stored).toEqual(history);
}
