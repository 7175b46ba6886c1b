import type { Role } from "../../contract/operation.ts";

/** A change of several records, as the first of them keeps it while it may be undone (D41). */
export interface UndoableChange {
  readonly id: string;
  /** When it was made, ISO 8601. */
  readonly at: string;
  /** Who made it, in which role and company. */
  readonly user_id: number;
  readonly role: Role;
  readonly company_id: number | null;
  /** The records that it changed. */
  readonly record_ids: readonly number[];
  /** The change that undid it. */
  readonly undone_by?: string;
}

/** What the last write of a record replaced. */
export interface ReplacedValues {
  /** The values before; what was absent is absent. */
  readonly before: Readonly<Record<string, unknown>>;
  /** Id and moment of the change that a chain of undos goes back to; absent where the write undid nothing: it is the first itself. */
  readonly chain?: string;
  readonly since?: string;
  /** How often the chain went back and forth since. */
  readonly step?: number;
}

/** What a record says of changes that can be undone. */
export interface UndoStamps {
  readonly undo?: ReplacedValues | undefined;
  /** The change that the last write undid. */
  readonly undone?: string | undefined;
  /** By chain: up to which step its changes were undone, and when. Notifications of these arrive no more. */
  readonly withdrawn?: Readonly<Record<string, { readonly step: number; readonly at: string }>> | undefined;
  /** The last changes that began with this record. */
  readonly undoable?: readonly UndoableChange[] | undefined;
}
