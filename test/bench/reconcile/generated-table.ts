import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { readBody, startHttpService } from "../../../infra/local/http-service.ts";
import { nextCountedPlace } from "../../../shared/db/lists/counted-places.ts";
import { fromOwned, type OwnedFields } from "../../../shared/db/lists/listed-items.ts";
import { entriesOf, numberEntries } from "../../../shared/db/lists/number-search.ts";
import { encodeTotals, isBound, joined, partKey, type StoredTotals } from "../../../shared/db/lists/stored-totals.ts";
import { contributionsOf } from "../../../shared/db/lists/totals-changes.ts";
import { nameOf, recordKey } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import { type ListPosition, positionOf } from "../../../shared/domain/records/list-position.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { sizeOf } from "../store/engine-file.ts";

/** What a generated table holds. */
export interface TableSetup {
  readonly invoices: number;
  readonly segments: number;
  /** Changes of state a second, each counted half a second later, while the table is read. */
  readonly changesPerSecond: number;
  /** Totals of companies that are one too high. */
  readonly wrong: number;
}

/** What the table says before it is read. */
export interface TablePlace {
  readonly port: number;
  /** As DynamoDB counts them. */
  readonly bytesPerInvoice: number;
}

const firstId = 1_000_000;
const companies = 900;
const firstCompany = 1_001;
const states = ["pending", "paid", "overdue"] as const;
const pageBytes = 1_000_000;
const countedAfterMs = 500;
const sample = { id: 9_000_001, company: 8_001, state: "pending", date: "2026-05-17" };
const setup = JSON.parse(process.argv[2] ?? "{}") as TableSetup;

const templates = createTemplates();
const totals = new Map<string, { key: { pk: string; sk: string }; figures: Map<string, number> }>();
let revision = 1;
const changed = new Map<number, { state: string; counted: string }>();
for (let at = 0; at < setup.invoices; at += 1) addTotals(placeAt(at, stateAt(at)), 1);
for (let company = 0; company < setup.wrong; company += 1) {
  const name = nameOf({ pk: `TOTALS#INVOICES#${firstCompany + company}`, sk: "ALL" });
  const { figures } = totals.get(name) ?? { figures: new Map<string, number>() };
  figures.set("paid", (figures.get("paid") ?? 0) + 1);
}
const totalsBySegment = Object.groupBy([...totals.values()], ({ key }) => hashOf(key.pk) % setup.segments);
const service = await startHttpService(async (request, response) => {
  const input = JSON.parse((await readBody(request, 1_000_000))?.toString() ?? "{}");
  response
    .writeHead(200, { "content-type": "application/x-amz-json-1.0" })
    .end(input.RequestItems ? batchGet(input) : scan(input));
});
if (setup.changesPerSecond > 0) setInterval(change, 1_000 / setup.changesPerSecond);
const bytesPerInvoice = templates.bytes;
process.send?.({ port: service.port, bytesPerInvoice } satisfies TablePlace);
process.on("disconnect", () => process.exit());

function createTemplates() {
  const fields = { ...invoiceLine(sample.id, sample.company), number: `INV-${sample.id}`, issued_date: sample.date };
  const { type: _, ...owned } = fields;
  const place = positionOf("INVOICES", sample.company, owned);
  const record = { ...fromOwned("INVOICES", owned as OwnedFields<"INVOICES">, undefined), revision: 1 };
  const counted = nextCountedPlace(recordKey("INVOICE", sample.id), undefined, { place, revision: 1 }, new Date(0));
  const entries = entriesOf(place).map(numberEntries.encode);
  const text = (item: Item) => JSON.stringify(marshall(projected(item), { removeUndefinedValues: true }));
  const bytes = [record, counted, ...entries].reduce((sum, item) => sum + sizeOf(item), 0);
  return { record: text(record), counted: text(counted), entries: entries.map(text), bytes };
}

/** What the projection leaves of an item. */
function projected({ pk, sk, schema_version, id, company_id, revision, place, mark_order, record }: Item): Item {
  const { state, issued_date, number } = (record ?? {}) as Item;
  const fields = record ? { state, issued_date, number } : undefined;
  return { pk, sk, schema_version, id, company_id, revision, place, mark_order, record: fields };
}

function fill(template: string, at: number, state: string): string {
  return template
    .replaceAll(String(sample.id), String(firstId + at))
    .replaceAll(String(sample.company), String(firstCompany + (at % companies)))
    .replaceAll(sample.state, state)
    .replaceAll(sample.date, dateAt(at));
}

function placeAt(at: number, state: string): ListPosition {
  const id = firstId + at;
  return { id, companyId: firstCompany + (at % companies), state, date: dateAt(at), number: `INV-${id}` };
}

function stateAt(at: number): string {
  return states[at % 7 === 0 ? 0 : 1 + (at % 2)] ?? "";
}

function dateAt(at: number): string {
  const day = Math.floor((at * 720) / setup.invoices);
  return new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
}

function addTotals(place: ListPosition, times: 1 | -1): void {
  for (const whole of contributionsOf("INVOICES", place)) {
    for (const [figure, value] of whole.figures) {
      const key = partKey(whole.key, figure);
      const own = totals.get(nameOf(key)) ?? { key, figures: new Map<string, number>() };
      totals.set(nameOf(key), own);
      revision += 1;
      own.figures.set("revision", revision);
      const known = own.figures.get(figure);
      const added = isBound(figure) ? value : times * value;
      own.figures.set(figure, known === undefined ? added : joined(figure, known, added));
    }
  }
}

function change(): void {
  const at = Math.floor(Math.random() * setup.invoices);
  // What is written to between two passes is compared by the next ones.
  if (changed.has(at) || at % companies < setup.wrong) return;
  const before = stateAt(at);
  const state = before === "paid" ? "overdue" : "paid";
  changed.set(at, { state, counted: before });
  setTimeout(() => {
    changed.set(at, { state, counted: state });
    addTotals(placeAt(at, before), -1);
    addTotals(placeAt(at, state), 1);
  }, countedAfterMs);
}

/** A page of a segment: its invoices, then the search entries of its companies, then its totals. */
function scan({ Segment, ExclusiveStartKey }: { Segment: number; ExclusiveStartKey?: { sk: { S: string } } }): string {
  let [phase = 0, at = Segment] = (ExclusiveStartKey?.sk.S ?? `0#${Segment}`).split("#").map(Number);
  const items: string[] = [];
  const invoicesAPage = Math.ceil(pageBytes / templates.bytes);
  if (phase === 0) {
    for (let count = 0; count < invoicesAPage && at < setup.invoices; count += 1, at += setup.segments) {
      const { state, counted } = changed.get(at) ?? { state: stateAt(at), counted: stateAt(at) };
      items.push(fill(templates.record, at, state), fill(templates.counted, at, counted));
    }
    if (at >= setup.invoices) [phase, at] = [1, Segment];
  } else if (phase === 1) {
    // Companies whose number is of this segment, each with all of its invoices.
    for (let count = 0; count < invoicesAPage && at < setup.invoices; count += 1) {
      const state = changed.get(at)?.counted ?? stateAt(at);
      for (const entry of templates.entries) items.push(fill(entry, at, state));
      at += setup.segments;
    }
    if (at >= setup.invoices) [phase, at] = [2, 0];
  } else {
    const own = totalsBySegment[Segment] ?? [];
    for (const { key } of own.slice(at, at + 100)) items.push(JSON.stringify(marshall(key)));
    at += 100;
    if (at >= own.length) phase = 3;
  }
  const next = phase < 3 ? `,"LastEvaluatedKey":{"pk":{"S":"at"},"sk":{"S":"${phase}#${at}"}}` : "";
  return `{"Items":[${items.join(",")}],"Count":${items.length},"ScannedCount":${items.length}${next}}`;
}

function batchGet({ RequestItems }: { RequestItems: { generated: { Keys: Item[] } } }): string {
  const items = RequestItems.generated.Keys.map((key) => {
    const { pk, sk } = unmarshall(key as never);
    const figures = Object.fromEntries(totals.get(nameOf({ pk, sk }))?.figures ?? []);
    return JSON.stringify(marshall(encodeTotals({ pk, sk, ...figures } as StoredTotals)));
  });
  return `{"Responses":{"generated":[${items.join(",")}]},"UnprocessedKeys":{}}`;
}

function hashOf(text: string): number {
  return [...text].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) >>> 0, 7);
}
