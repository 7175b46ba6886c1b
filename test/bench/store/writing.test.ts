import { expect, inject, test } from "vitest";
import { restoreRecords } from "../../../functions/changes/undo-change.ts";
import { setTimesheetStates } from "../../../shared/records/timesheets.ts";
import { importParts } from "../../../shared/table/counters.ts";
import type { Commit } from "../../../shared/table/plans.ts";
import { createWriteBatches } from "../../../shared/table/write-batches.ts";
import { callerContext, testChange } from "../../support/records/contexts.ts";
import { type Cost, costOf } from "../../support/records/costs.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";

interface WriteCost extends Cost {
  readonly name: string;
  readonly records: number;
  /** The bar on the write units of a record, with all its indexes, counters and search entries. */
  readonly atMost: number;
}

type Line = { readonly type: "invoice" | "timesheet"; readonly id: number };
type Step = readonly [name: string, lines: readonly Line[], atMost: number];

const company = 77;
/** Ids as the service gives them. */
const firstId = 1_000_000_000;
/** As many as one transaction takes of one company and month. */
const batch = 95;
const user = testChange("user#7", "one");

const day = (id: number) => `2026-06-${String(1 + (id % 30)).padStart(2, "0")}`;
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => firstId + first + at);
/** With three search entries, which have the date. */
const numberOf = (id: number) => `INV-2026-0${id}`;
const dateField = { invoice: "issued_date", timesheet: "date" } as const;

function whole(type: Line["type"], id: number, changes: object = {}): Line {
  const fields = { [dateField[type]]: day(id), ...changes };
  const line =
    type === "invoice"
      ? invoiceLine(id, company, { number: numberOf(id), ...fields })
      : timesheetLine(id, company, fields);
  return { ...line, type };
}

useService();

// The units of a transaction are other ones on DynamoDB Local.
const countsTransactions = inject("engineName") !== "dynamodb-local";

test.runIf(countsTransactions)(
  "write units of a dense month keep within their bars, alone, in a batch, of payments and their undo",
  async () => {
    const costs = await measureWrites();
    if (process.env.SHOW_FIGURES) console.info(tableOfWrites(costs));
    expect(costs.filter(({ records, writeUnits, atMost }) => !(writeUnits / records <= atMost))).toEqual([]);
  },
  60_000,
);

/** The writes of a kind of record alone, each step on the result of the one before. */
function stepsAlone(type: Line["type"]): Step[] {
  const [id = 0] = idsFrom(1_000, 1);
  const next = (date: string) => [whole(type, id, { state: "paid", [dateField[type]]: date })];
  const isInvoice = type === "invoice";
  return [
    [`new ${type}`, [whole(type, id)], isInvoice ? 22 : 13],
    ["  its state", [{ type, id, state: "paid" } as Line], 17],
    ["  its total alone", [{ type, id, total: "7.00" } as Line], 5],
    ["  its date, within the month", next("2026-06-17"), isInvoice ? 28 : 13],
    ["  its date, to another month", next("2026-07-17"), isInvoice ? 32 : 16],
    ["  its company", [{ ...next("2026-07-17")[0], company_id: company + 1 } as unknown as Line], isInvoice ? 36 : 18],
    ["  its removal", [{ type, id, deleted: true } as Line], isInvoice ? 21 : 13],
  ];
}

/** The same of many records of one company and month in one transaction or a few. */
function stepsTogether(type: Line["type"]): Step[] {
  const ids = idsFrom(2_000, batch);
  const each = (changes: object) => ids.map((id) => ({ type, id, ...changes }));
  const isInvoice = type === "invoice";
  return [
    [`new ${type}s in a batch`, ids.map((id) => whole(type, id)), isInvoice ? 16.3 : 7.1],
    ["  their states", each({ state: "paid" }), isInvoice ? 11.1 : 10.1],
    ["  their totals alone", each({ total: "8.00" }), 6],
    ["  their removal", each({ deleted: true }), isInvoice ? 15.3 : 7.2],
  ];
}

async function measureWrites(): Promise<WriteCost[]> {
  await fillMonth();
  const costs: WriteCost[] = [];
  const measure = async (name: string, records: number, atMost: number, work: () => Promise<unknown>) => {
    costs.push({ name, records, atMost, ...(await costOf(work)) });
  };
  for (const type of ["invoice", "timesheet"] as const) {
    for (const [name, lines, atMost] of stepsAlone(type)) {
      await measure(name, lines.length, atMost, () => writeAll(lines, undefined));
    }
    for (const [name, lines, atMost] of stepsTogether(type)) {
      await measure(name, lines.length, atMost, () => writeAll(lines, createWriteBatches(importParts)));
    }
  }
  const caller = { userId: 1, role: "operator", companyId: company, sessionId: "s" } as const;
  for (const [count, atMost] of [
    [1, 18],
    [20, 10.6],
    [90, 10.3],
  ] as const) {
    const ids = idsFrom(5_000 + 100 * count, count);
    await writeAll(
      ids.map((id) => whole("timesheet", id)),
      createWriteBatches(importParts),
    );
    let changeId = "";
    await measure(`payment of ${count}`, count, atMost, async () => {
      changeId = (await setTimesheetStates(ids, company, "paid", callerContext(caller))).changeId ?? "";
    });
    await measure("  its undo", count, count === 1 ? 20 : atMost + 0.2, () =>
      restoreRecords(changeId, callerContext(caller)),
    );
  }
  return costs;
}

/** Counters of a month in which every day has every state. */
async function fillMonth(): Promise<void> {
  const states = ["pending", "paid", "overdue"] as const;
  const dense = (["invoice", "timesheet"] as const).flatMap((type) =>
    idsFrom(0, 180).map((id, at) =>
      whole(type, id, { state: states[Math.floor(at / 30) % (type === "invoice" ? 3 : 2)] }),
    ),
  );
  await writeAll(dense, createWriteBatches(importParts));
  await writeAll(dense.slice(0, 1), undefined);
}

async function writeAll(lines: readonly Line[], commit: Commit | undefined): Promise<void> {
  await Promise.all(lines.map((line) => write(line, { change: user, commit })));
}

function tableOfWrites(costs: readonly WriteCost[]): string {
  const short = (value: number) => String(Number(value.toFixed(2)));
  const rows = costs.map(({ name, records, readUnits, writeUnits, sequentialTrips }) => {
    const each = records === 1 ? name.trim() : `${name.trim()}, each of ${records}`;
    return `| ${each} | ${short(readUnits / records)} | ${short(writeUnits / records)} | ${sequentialTrips} |`;
  });
  return ["| | read units | write units | trips |", "|---|---|---|---|", ...rows].join("\n");
}
