import { inParallel } from "../../../shared/batches.ts";
import type { RecordType } from "../../../shared/contract/records.ts";
import { projectionOf } from "../../../shared/db/table/projections.ts";
import { type Item, scanPage, segmentOf } from "../../../shared/db/table/table.ts";
import { removalStart } from "../../../shared/db/writes/removals.ts";
import { tombstoneStart } from "../../../shared/db/writes/tombstones.ts";
import { patiently } from "../import/patience.ts";
import { isChangedSince, readRemoval } from "./changed-since.ts";
import { changedLines, type ExportedRecord, readExported, wholeLine } from "./exported-lines.ts";
import type { Part, PartEntry } from "./part-file.ts";
import type { Selection } from "./selection.ts";

/** How the table is read. */
export interface ReadOptions {
  readonly part: Part;
  readonly selection: Selection;
  /** Parts of the table that are read side by side. */
  readonly segments: number;
  /** Stops after the pages under way. */
  readonly signal?: AbortSignal | undefined;
  /** Items of a page; as many as DynamoDB gives, 1 MB, where it is left out. */
  readonly pageItems?: number | undefined;
  /** Called with the number of items of each page. */
  onPage?(items: number): void;
}

/** Reads of the table what the part does not have yet. 1 read unit for every 4 KB of the table. */
export async function readRecords(options: ReadOptions): Promise<void> {
  const { part, selection, segments, signal, pageItems, onPage } = options;
  const scan = { ...scanOf(selection), ConsistentRead: true, Limit: pageItems };
  await inParallel([...Array(segments).keys()], segments, async (segment) => {
    let { isRead, from } = part.place(segment);
    while (!isRead && !signal?.aborted) {
      const page = { ...scan, ...segmentOf(segment, segments), ExclusiveStartKey: from as Item | undefined };
      const { items, lastKey, read } = await patiently(() => scanPage(page));
      const entries = items.flatMap((item) => entriesOf(item, selection));
      part.keep({ segment, next: lastKey, entries, memberIds: membersOf(items, selection) });
      onPage?.(read);
      [from, isRead] = [lastKey, lastKey === undefined];
    }
  });
}

/** How a sort key begins. Of other items than these nothing is transferred, though all are read. */
const keyStarts = {
  company: "COMPANY",
  user: "USER",
  timesheet: "TIMESHEET",
  invoice: "INVOICE",
  job: "JOB",
  notification: "NOTIFICATION#",
} as const satisfies Record<RecordType, string>;

const recordPaths = ["pk", "sk", "schema_version", "id", "name", "company_id", "user_id", "record", "version"];
const changePaths = ["revision", "change", "erased_at", "removed", "removed_at", "expires_at"];

function scanOf({ types, companyId, since }: Selection) {
  // Whose a notification is only its user says.
  const wanted = new Set<RecordType>([...types, ...(companyId !== undefined ? (["user"] as const) : [])]);
  const starts = [...wanted].map((type) => keyStarts[type]);
  const isRecord = starts.map((_, at) => `begins_with(#sk, :start${at})`);
  const isRemoval = since === undefined ? [] : ["begins_with(#pk, :removal)", "begins_with(#sk, :tombstone)"];
  return {
    ...projectionOf(since === undefined ? recordPaths : [...recordPaths, ...changePaths]),
    FilterExpression: [...isRecord, ...isRemoval].join(" OR "),
    ExpressionAttributeValues: {
      ...Object.fromEntries(starts.map((start, at) => [`:start${at}`, start])),
      ...(since !== undefined && { ":removal": removalStart, ":tombstone": tombstoneStart }),
    },
  };
}

function entriesOf(item: Item, selection: Selection): PartEntry[] {
  const removal = selection.since === undefined ? undefined : readRemoval(item, selection.since);
  if (removal) return selection.types.includes(removal.type) ? [removal] : [];
  const record = readExported(item);
  if (!record || !isSelected(record, selection)) return [];
  const { type, id, userId } = record;
  return [{ type, id, userId, kind: "record", text: textOf(record, item, selection) }];
}

/** Nothing of what has not changed: that it is there says that a tombstone is of before. */
function textOf(record: ExportedRecord, item: Item, { since }: Selection): string {
  if (since === undefined) return wholeLine(record);
  return isChangedSince(item, since) ? changedLines(record) : "";
}

function isSelected({ type, companyId: owner }: ExportedRecord, { types, companyId }: Selection): boolean {
  return types.includes(type) && (companyId === undefined || owner === undefined || owner === companyId);
}

function membersOf(items: readonly Item[], { companyId }: Selection): number[] {
  if (companyId === undefined) return [];
  const records = items.flatMap((item) => readExported(item) ?? []);
  return records.flatMap((each) => (each.type === "user" && each.companyId === companyId ? [each.id] : []));
}
