import { jitter, sleep } from "../../backoff.ts";
import { chunksOf, inParallel } from "../../batches.ts";
import { Refusal } from "../../domain/refusal.ts";
import { listsByKind } from "../lists/list-keys.ts";
import { placePaths } from "../lists/listed-items.ts";
import { isTotalsKey } from "../lists/stored-totals.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { keyOf } from "../table/item-keys.ts";
import { projectionOf } from "../table/projections.ts";
import { type Item, scanPage, segmentOf } from "../table/table.ts";
import { tombstoneMark } from "../table/tombstones.ts";
import { isThrottled } from "../table/transient-errors.ts";
import { createFindings, type Findings, mergeFindings, note, wantedIn } from "./findings.ts";

/** Parts of the table that are read side by side: with 512 MB each, enough for three passes over 10 GB in 15 minutes. */
const segments = 24;
/** How long one part reads before it gives what it found; the next one goes on from there. */
const partMs = 20_000;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** What of the table is read: a segment, from a key on. */
export interface Part {
  readonly segment: number;
  /** The number of all segments. */
  readonly segments: number;
  readonly from?: Item | undefined;
  /** The buckets of keys whose differences are named; all of them where it is left out. */
  readonly suspects?: readonly number[] | undefined;
  /** False halves the cost, and may take what was written a moment ago for a difference. */
  readonly isConsistent: boolean;
}

/** What a part has found, and where the next one of its segment begins; undefined at its end. */
export interface PartFindings {
  readonly found: Findings;
  readonly next: Item | undefined;
}

/** Reads a part, here or in another process. `onRecords` is called with the number of records of each page. */
export type ReadPart = (part: Part, onRecords: (records: number) => void) => Promise<PartFindings>;

/** How the parts are read, and how many there are. */
export interface ReadTableOptions {
  readonly read?: ReadPart;
  readonly segments?: number;
  /** Called with the number of records seen so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

/** Reads the whole table, segments side by side, and merges what they found. */
export async function readTable(
  pass: Pick<Part, "suspects" | "isConsistent">,
  { read = readPart, segments: all = segments, onProgress }: ReadTableOptions = {},
): Promise<Findings> {
  const whole = createFindings();
  let seen = 0;
  const onRecords = (records: number) => {
    seen += records;
    onProgress?.(seen);
  };
  const readSegment = async (segment: number) => {
    let from: Item | undefined;
    do {
      const { found, next } = await read({ ...pass, segment, segments: all, from }, onRecords);
      mergeFindings(whole, found);
      from = next;
    } while (from);
  };
  await inParallel([...Array(all).keys()], all, readSegment);
  return whole;
}

/** Reads a part in this process. Users come first: what the table refuses is read again after a pause. */
const readPart: ReadPart = async ({ segment, segments: all, from, suspects, isConsistent }, onRecords) => {
  const found = createFindings();
  const wanted = wantedIn(suspects);
  const scan = { ...derivedAndRecords, ...segmentOf(segment, all), ConsistentRead: isConsistent };
  const end = performance.now() + partMs;
  let next = from;
  let refusals = 0;
  do {
    const page = await readPageUnlessThrottled({ ...scan, ExclusiveStartKey: next });
    refusals = page ? 0 : refusals + 1;
    if (page) {
      const before = found.records;
      for (const item of page.items) note(found, item, wanted);
      onRecords(found.records - before);
      next = page.lastKey;
      if (!next) break;
    } else await sleep(jitter(refusals, firstPauseMs, longestPauseMs));
  } while (performance.now() < end);
  return { found, next };
};

/** What a comparison needs of records, counted places and search entries; figures of totals have names of their own. */
const comparedPaths = [...placePaths, "place", "mark_order", tombstoneMark];
const prefixes = [...Object.keys(listsByKind).map((kind) => `${kind}#`), "TOTALS#", "COMPANY#"];
/** Saves no read units, only the transfer of the rest and the time to parse it, which is most of a pass. */
const derivedAndRecords = {
  ...projectionOf(comparedPaths),
  FilterExpression: prefixes.map((_, at) => `begins_with(#pk, :prefix${at})`).join(" OR "),
  ExpressionAttributeValues: Object.fromEntries(prefixes.map((prefix, at) => [`:prefix${at}`, prefix])),
};

async function readPageUnlessThrottled(scan: Parameters<typeof scanPage>[0]) {
  try {
    const { items, lastKey } = await scanPage(scan);
    return { items: await withFigures(items), lastKey };
  } catch (error) {
    if (isThrottled(error) || (error instanceof Refusal && error.code === "busy")) return undefined;
    throw error;
  }
}

/** Totals are read whole by their keys: no projection names all figures. 1 read unit each for 4 KB. */
async function withFigures(items: readonly Item[]): Promise<Item[]> {
  const { totals = [], others = [] } = Object.groupBy(items, (item) =>
    isTotalsKey(keyOf(item)) ? "totals" : "others",
  );
  for (const chunk of chunksOf(totals.map(keyOf), maxBatchReads)) {
    for (const item of await readBatch(chunk)) if (item) others.push(item);
  }
  return others;
}
