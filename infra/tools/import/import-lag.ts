import type { RecordLine } from "../../../shared/contract/records.ts";
import { countedPlaceKey } from "../../../shared/db/lists/counted-places.ts";
import { listedKey } from "../../../shared/db/lists/listed-items.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import type { Key } from "../../../shared/db/table/table.ts";
import type { Outcome } from "../../../shared/db/writes/changes.ts";

/** A line whose record is new in a list: it is counted there by a consumer of the table's stream. */
interface Sample {
  readonly line: number;
  readonly key: Key;
}

const samplePauseMs = 200;
/** Each look reads so many items: some seconds of an import. */
const samplesInLook = 20;
const lists = { timesheet: "TIMESHEETS", invoice: "INVOICES", job: "JOBS" } as const;

/** How far the consumers of the stream are behind an import, by samples of the records that it adds to the lists. */
export function createLagWatch() {
  let samples: Sample[] = [];
  let newest: Sample | undefined;
  let sampledAt = Number.NEGATIVE_INFINITY;
  let behind = 0;
  return {
    written(line: number, { type, id }: RecordLine, outcome: Outcome): void {
      if (outcome !== "created" || type === "company" || type === "user" || type === "notification") return;
      newest = { line, key: countedPlaceKey(listedKey(lists[type], id)) };
      if (performance.now() - sampledAt < samplePauseMs) return;
      sampledAt = performance.now();
      samples.push(newest);
    },
    /** Looks which samples are counted. 1 read unit each, 20 at most. */
    async look(): Promise<void> {
      const end = newest;
      if (!end) return;
      const looked = [...samples.slice(0, samplesInLook - 1), end];
      const counted = await readBatch(looked.map(({ key }) => key));
      const open = looked[counted.indexOf(undefined)];
      samples = open ? samples.filter(({ line }) => line >= open.line) : [];
      if (!open && newest === end) newest = undefined;
      behind = open ? Math.max(end.line - open.line, 1) : 0;
    },
    /** The lines between the newest record and the oldest that was not counted at the last look. */
    behind: () => behind,
  };
}
