import { createHash } from "node:crypto";
import {
  dayMarkKey,
  historyItems,
  historyPartition,
  historyPlaces,
  placeOrder,
  placePartitions,
  type RecordedChange,
  shardsPerDay,
} from "../../../shared/db/history/history-items.ts";
import { nameOf, padId } from "../../../shared/db/table/keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { putItems } from "./put-items.ts";

/** A change to be kept; what is left out is a timesheet of company 1 that user 2 set to paid in a bulk update. */
export type KeptChange = Partial<Omit<RecordedChange, "change">> & {
  readonly by?: string;
  readonly changeId?: string;
  readonly expiresAt?: number;
};

let revisions = 0;

/** Stores changes as the consumer of the stream keeps them. */
export function putHistory(changes: readonly KeptChange[]): Promise<void> {
  const items = changes.flatMap(itemsOf);
  return putItems([...new Map(items.map((item) => [nameOf(item), item])).values()]);
}

/** The ids of changes that differ in a number. */
export function changeIdOf(number: number): string {
  return `019de2a6-1c40-7a31-9f0e-${String(number).padStart(12, "0")}`;
}

function itemsOf({ by = "user#2", changeId = changeIdOf(0), expiresAt = 4_000_000_000, ...given }: KeptChange): Item[] {
  revisions += 1;
  const {
    type = "timesheet",
    id = 1,
    at = "2026-05-01T09:00:00.000Z",
    did = "updated",
    user_id,
    revision = revisions,
  } = given;
  const isRecord = type === "timesheet" || type === "invoice" || type === "job";
  const company_id = "company_id" in given ? given.company_id : isRecord ? 1 : undefined;
  const change = { id: changeId, by, operation: "bulk-update-timesheets", at, request: "request-1" };
  const fields = { before: { state: "pending" }, after: { state: "paid" }, ...given };
  const partition = type === "session" ? historyPartition("user", user_id ?? 0) : historyPartition(type, id);
  const second = String(Math.floor(Date.parse(at) / 1_000)).padStart(10, "0");
  const key = { pk: partition, sk: `${second}.${padId(revision)}` };
  const kept = { ...given, ...key, type, id, at, did, revision, company_id, change, expires_at: expiresAt };
  const item = { ...kept, before: JSON.stringify(fields.before), after: JSON.stringify(fields.after) };
  const day = new Date(Number(second) * 1_000).toISOString().slice(0, 10);
  const shard = createHash("sha256").update(partition).digest().readUInt8() % shardsPerDay;
  const places = [
    placePartitions.actor(by),
    placePartitions.change(changeId),
    placePartitions.day(day, shard),
    ...(company_id === undefined ? [] : [placePartitions.company(company_id)]),
  ].map((pk) => ({ pk, sk: placeOrder(key) }));
  const dated = [...places, dayMarkKey(day, shard)].map((each) =>
    historyPlaces.encode({ ...each, expires_at: expiresAt }),
  );
  return [historyItems.encode(item), ...dated];
}
