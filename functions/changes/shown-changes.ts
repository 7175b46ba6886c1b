import type * as v from "valibot";
import type { ChangedType, historyEntry } from "../../shared/contract/changes.ts";
import { findUserNames } from "../../shared/people/users.ts";
import type { FieldValues, RecordedType } from "../../shared/records/history.ts";
import type { FoundEntry } from "./find-history.ts";

/** A change as the interface shows it (D41). */
export type ShownChange = v.InferOutput<typeof historyEntry>;

type Actor = ShownChange["by"];

const shownTypes = {
  timesheet: "Timesheet",
  invoice: "Invoice",
  job: "Job",
  user: "User",
  // A session is shown as a change of its user.
  session: "User",
  import: "Import",
} as const satisfies Readonly<Record<RecordedType, ShownChange["record_type"]>>;

/** The history's name for a record type of the interface. */
export function recordedTypeOf(type: ChangedType): Exclude<RecordedType, "session"> {
  return type.toLowerCase() as Lowercase<ChangedType>;
}

/** Changes with their actors' current names. 0.5 read units a user, one round trip. */
export async function showChanges(changes: readonly FoundEntry[]): Promise<ShownChange[]> {
  const actors = changes.map(({ change }) => actorOf(change?.by));
  const ids = actors.flatMap(({ kind, id }) => (kind === "user" ? [Number(id)] : []));
  const names = await findUserNames(ids.filter(Number.isSafeInteger));
  return changes.map((each, at) => showChange(each, actors[at] ?? nobody, names));
}

const nobody: Actor = { kind: "unknown", id: null, name: null };

function actorOf(by: string | undefined): Actor {
  const [, kind, id] = /^(user|import|event|schedule|tool|service)#(.+)$/s.exec(by ?? "") ?? [];
  return kind === undefined || id === undefined ? nobody : { kind: kind as Actor["kind"], id, name: null };
}

function showChange(found: FoundEntry, by: Actor, names: ReadonlyMap<number, string>): ShownChange {
  const { type, id, user_id, did, change, at } = found;
  return {
    id: found.name,
    change_id: change?.id ?? null,
    at,
    record_type: shownTypes[type],
    record_id: type === "import" ? null : Number(type === "session" ? user_id : id),
    action: did === "ended" ? "session_ended" : did,
    by: by.kind === "user" ? { ...by, name: names.get(Number(by.id)) || null } : by,
    operation: change?.operation ?? null,
    request_id: change?.request ?? null,
    fields: fieldsOf(found),
  };
}

function fieldsOf({ type, id, before, after }: FoundEntry): ShownChange["fields"] {
  if (type === "session") return [{ name: "session", before: id, after: null }];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.map((name) => ({ name, before: valueIn(before, name), after: valueIn(after, name) }));
}

function valueIn(fields: FieldValues | undefined, name: string): unknown {
  return fields?.[name] ?? null;
}
