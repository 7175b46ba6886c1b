import { changedTypes } from "../../../shared/contract/changes.ts";
import { findChanges } from "../../../shared/history/find-changes.ts";
import type { ShownChange } from "../../../shared/history/shown-changes.ts";
import type { RecordChange, RecordChangesView } from "./views.ts";

const mostShown = 50;

/**
 * The latest changes of a record, by its kind and id; undefined for a kind that has no history. Throws if there is no
 * such record.
 */
export async function viewRecordChanges(kind: string, id: number): Promise<RecordChangesView | undefined> {
  const record_type = changedTypes.find((type) => type.toLowerCase() === kind);
  if (!record_type) return undefined;
  const { items, next } = await findChanges({ record_type, record_id: id }, "all", {
    limit: mostShown,
    now: new Date(),
  });
  return { changes: items.map(viewChange), hasMore: next !== undefined };
}

function viewChange({ id, at, action, by, operation, request_id, fields }: ShownChange): RecordChange {
  return {
    id,
    at: Date.parse(at),
    action: action.replaceAll("_", " "),
    by: by.name ?? [by.kind, by.id].filter((part) => part !== null).join(" "),
    operation,
    requestId: request_id,
    fields: fields.map(({ name, before, after }) => ({ name, before: textOf(before), after: textOf(after) })),
  };
}

function textOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
