import type { CompleteRecord, RemovalLine, UpsertLine } from "../contract/records.ts";
import { type FoundPage, type PageStart, totalBeside } from "../run/paging.ts";
import { allMonths } from "../table/counters.ts";
import { defineEntity, type RecordItem } from "../table/entity.ts";
import type { Outcome, WriteContext } from "../table/plans.ts";
import { readBatch } from "../table/reads.ts";
import { removeRecord, upsertRecord } from "../table/record-plans.ts";
import { type Mark, padId, queryItems, queryPage, recordKey } from "../table/table.ts";
import { mergeCompany } from "./merge.ts";
import { companyList, readSnapshots } from "./snapshots.ts";

type Company = CompleteRecord<"company">;

/** The entity of companies. */
export const companies = defineEntity<RecordItem & Company & Mark>("company", ({ sk }) => sk === "COMPANY");

/** Access pattern C1: finds the company that is shown with a user, or null. Half a read unit. */
export async function findCompany(id: number | null): Promise<{ id: number; name: string } | null> {
  const stored = id === null ? undefined : await companies.find(recordKey("COMPANY", id));
  return stored ? { id: stored.id, name: stored.name } : null;
}

/** Most companies that an answer counts itself. */
const mostCounted = 500;

/**
 * Access pattern C2: one page of all companies, the highest id first, and their number: of more than 500 that of the last
 * minute, by L5. Half a read unit for 40 keys up to the page's end, and for each company that is shown. Changes of the last
 * moment may be missing.
 */
export async function findCompanies(start: PageStart): Promise<FoundPage<Company>> {
  const { limit, beforeId, skip } = start;
  const reading = queryItems(companyKeys(beforeId), skip + limit + 1);
  const [keys, total] = await Promise.all([reading, countCompanies()]);
  const asked = keys.slice(skip, skip + limit).map(({ mark_order }) => Number(mark_order));
  const items = await readBatch(
    asked.map((id) => recordKey("COMPANY", id)),
    { consistent: false },
  );
  const found = items.flatMap((item) => (item ? [companies.decode(item)] : []));
  const hasMore = keys.length > skip + limit;
  // An empty page would have no cursor, and seem to be the last one.
  if (hasMore && asked.length > 0 && found.length === 0)
    return findCompanies({ limit, beforeId: asked.at(-1), skip: 0 });
  return {
    items: found.map(({ id, name }) => ({ id, name })),
    // One that was removed meanwhile is in the index still.
    total: totalBeside(keys, total, start) - (asked.length - found.length),
    hasMore,
  };
}

async function countCompanies(): Promise<number> {
  const { items, lastKey } = await queryPage({ ...companyKeys(), Limit: mostCounted + 1 });
  if (!lastKey) return items.length;
  const [figures] = await readSnapshots(companyList, [allMonths]);
  return figures?.companies ?? 0;
}

/** The query of the keys of companies, the highest id first: of all, or of those below an id. */
export function companyKeys(beforeId?: number) {
  const before = beforeId === undefined ? "~" : padId(beforeId);
  return {
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :companies AND mark_order < :before",
    ExpressionAttributeValues: { ":companies": companyMark(0).mark_key, ":before": before },
    ScanIndexForward: false,
  };
}

/** Places a company among all, in the index `by-mark`. */
function companyMark(id: number): Mark {
  return { mark_key: "COMPANIES", mark_order: padId(id) };
}

/** Access pattern W1: adds or changes a company. One read unit, one write unit, and one more for a new one. */
export function saveCompany(line: UpsertLine<"company">, context: WriteContext): Promise<Outcome> {
  const key = recordKey("COMPANY", line.id);
  return upsertRecord(companies, key, line, context, (stored) => {
    const revision = stored?.revision ?? 0;
    return { next: { ...stored, ...key, ...mergeCompany(stored, line), ...companyMark(line.id), revision } };
  });
}

/** Access pattern W5: removes a company. The outcome is `unchanged` if there is none. */
export function removeCompany(line: RemovalLine<"company">, context: WriteContext): Promise<Outcome> {
  return removeRecord(companies, recordKey("COMPANY", line.id), line, context);
}
