import { chunksOf } from "../../batches.ts";
import { invoiceStates, timesheetStates } from "../../contract/finance.ts";
import { jobListState, type ListName } from "../../domain/records/list-position.ts";
import { countedPlaceKey } from "../lists/counted-places.ts";
import { stateKey } from "../lists/list-keys.ts";
import { partitionOf } from "../lists/number-search.ts";
import { isBound, totalsKey } from "../lists/stored-totals.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { keyOf } from "../table/item-keys.ts";
import { type Item, type Key, queryPages } from "../table/table.ts";
import { createFindings, type Findings, note, wantedIn } from "./findings.ts";
import { compare } from "./reconcile-totals.ts";
import { addTo } from "./sums.ts";

const states = { INVOICES: invoiceStates, TIMESHEETS: timesheetStates, JOBS: [jobListState] };
const lists: readonly ListName[] = ["INVOICES", "TIMESHEETS", "JOBS"];

/**
 * Access pattern R6: reads what belongs to one company: its records by index, their counted places, its totals and search entries. 1 read
 * unit a record, and half of one for every 4 KB of the rest. The sums are of all of it, bounds included; names what is in the
 * buckets of `suspects`.
 */
export async function readCompany(companyId: number, suspects: readonly number[]): Promise<Findings> {
  const partitions = [...lists.map((list) => totalsKey(list, companyId).pk), partitionOf(companyId)];
  const isCompared = ({ pk }: Key) => !/^(TOTALS|COMPANY)#/.test(pk) || partitions.includes(pk);
  const wanted = wantedIn(suspects.length === 0 ? undefined : suspects, isCompared);
  const found = createFindings();
  for await (const page of companyItems(companyId, partitions)) for (const item of page) note(found, item, wanted);
  for (const { key, figure, counted } of compare(found).drifts) {
    if (isBound(figure)) addTo(found.sums, key, `${figure} ${counted}`, 1);
  }
  return found;
}

async function* companyItems(companyId: number, partitions: readonly string[]): AsyncGenerator<Item[]> {
  for (const list of lists) {
    for await (const rows of companyRecords(companyId, list)) {
      yield rows.map((row) => ({ ...row, company_id: companyId }));
      for (const chunk of chunksOf(rows, maxBatchReads)) {
        const places = await readBatch(chunk.map((row) => countedPlaceKey(keyOf(row))));
        yield places.filter((item) => item !== undefined);
      }
    }
  }
  for (const pk of partitions) {
    const ExpressionAttributeValues = { ":pk": pk };
    yield* queryPages({ KeyConditionExpression: "pk = :pk", ConsistentRead: true, ExpressionAttributeValues });
  }
}

/** The records of a company's list as its index has them, page by page. */
async function* companyRecords(companyId: number, list: ListName): AsyncGenerator<Item[]> {
  for (const state of states[list]) {
    const ExpressionAttributeValues = { ":key": stateKey(list, companyId, state) };
    yield* queryPages({
      IndexName: "by-company",
      KeyConditionExpression: "company_key = :key",
      ExpressionAttributeValues,
    });
  }
}
