import type * as v from "valibot";
import { completeRecords, type RecordType } from "../../../shared/contract/records.ts";
import { calendarDate, decimal, timestamp } from "../../../shared/contract/values.ts";

/** A column of a table of records: the path of a field, and what its cells hold. */
export interface Column {
  readonly path: readonly string[];
  readonly kind: "text" | "number" | "decimal" | "date" | "time" | "json";
  readonly isNullable: boolean;
}

/**
 * The columns of a type: one for each field, and for each field of a closed object. An open object or a list is one
 * column of JSON; `opened` adds the known fields of an open object.
 */
export function columnsOf(type: RecordType, { opened = false } = {}): Column[] {
  const version = { path: ["version"], kind: "number", isNullable: false } as const;
  return [...columnsWithin(completeRecords[type].entries, opened), version];
}

/** The name of a column in the first row. */
export function nameOf({ path }: Column): string {
  return path.join(".");
}

function columnsWithin(entries: v.ObjectEntries, opened: boolean, within: readonly string[] = []): Column[] {
  return Object.entries(entries).flatMap(([name, schema]) => {
    const path = [...within, name];
    const isNullable = isWrapped(schema);
    const bare = isNullable ? schema.wrapped : schema;
    if (isClosed(bare)) return columnsWithin(bare.entries, opened, path);
    const column: Column = { path, kind: kindOf(bare), isNullable };
    return opened && isOpen(bare) ? [column, ...columnsWithin(bare.entries, opened, path)] : [column];
  });
}

function kindOf(schema: v.GenericSchema): Column["kind"] {
  const kinds = [
    [decimal, "decimal"],
    [calendarDate, "date"],
    [timestamp, "time"],
  ] as const;
  const kind = kinds.find(([known]) => known === schema)?.[1];
  if (kind || schema.type === "number") return kind ?? "number";
  return ["array", "loose_object"].includes(schema.type) ? "json" : "text";
}

function isWrapped(schema: v.GenericSchema): schema is v.NullableSchema<v.GenericSchema, undefined> {
  return schema.type === "nullable";
}

function isOpen(schema: v.GenericSchema): schema is v.LooseObjectSchema<v.ObjectEntries, undefined> {
  return schema.type === "loose_object";
}

function isClosed(schema: v.GenericSchema): schema is v.ObjectSchema<v.ObjectEntries, undefined> {
  return schema.type === "object";
}
