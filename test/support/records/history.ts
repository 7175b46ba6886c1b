import { toItem } from "../../../functions/workers/history-entries.ts";
import type { HistoryEntry } from "../../../shared/records/history.ts";
import { putItems } from "./items.ts";

/** A change to be kept; what is left out is a timesheet of company 1 that user 2 set to paid in a bulk update. */
export type KeptChange = Partial<Omit<HistoryEntry, "change">> & {
  /** Undefined where nobody is known to have made it. */
  readonly by?: string | undefined;
  readonly changeId?: string;
  /** The API key that its user made it with. */
  readonly keyId?: number;
  readonly keptDays?: number;
};

let sequence = 0;

/** Stores changes as the consumer of the stream keeps them: of the same second in this order. */
export function putHistory(changes: readonly KeptChange[]): Promise<void> {
  return putItems(changes.map(itemOf));
}

/** The ids of changes that differ in a number. */
export function changeIdOf(number: number): string {
  return `019de2a6-1c40-7a31-9f0e-${String(number).padStart(12, "0")}`;
}

function itemOf({ changeId = changeIdOf(0), keyId: key_id, keptDays = 36_500, ...given }: KeptChange) {
  sequence += 1;
  const { type = "timesheet", at = "2026-05-01T09:00:00.000Z" } = given;
  const { by } = { by: "user#2", ...given };
  const change =
    by === undefined
      ? undefined
      : { id: changeId, by, operation: "bulk-update-timesheets", key_id, at, request: "request-1" };
  const isListed = type === "timesheet" || type === "invoice" || type === "job";
  const usual = { id: 1, did: "updated", before: { state: "pending" }, after: { state: "paid" } } as const;
  const { by: _, ...recorded } = { ...usual, ...(isListed && { company_id: 1 }), ...given, type, at, change };
  const written = { createdAt: Math.floor(Date.parse(at) / 1_000), sequence: String(sequence) };
  return toItem(recorded, written, keptDays);
}
