import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions } from "../../../infra/functions/bundle.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { synthesize } from "../../../infra/synthesize.ts";
import { costsPage } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables, type MarkedTables, tableOf } from "../../../infra/tools/docs/marked-tables.ts";
import {
  assumedMilliseconds,
  callsPerUser,
  changesPerUser,
  kilobytesPerUser,
  operatorsOfExample,
  outsideCalls,
  pinsPerUser,
  queueRequestsPerMessage,
  shareOfSms,
  timesheetsOfExample,
  userCounts,
} from "./assumptions.ts";
import { type MeasuredCall, measureCalls } from "./measure-calls.ts";
import { fixedRows, growingRows, outsideCheck } from "./month-rows.ts";
import { type PricedRegion, type Prices, pricedRegions, priceList, pricesOf } from "./prices.ts";

/** Measures every operation on the demo data and writes what it costs into infra/COSTS.md; true when it could. */
export async function benchCosts(region: PricedRegion, say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  try {
    const { calls, newTimesheet } = await measureCalls(join(directory, "machine"));
    const { template } = synthesize("prod", join(directory, "cdk.out"), bundleFunctions);
    const page = join(root, costsPage);
    const tables = tablesOf({ measured: calls, newTimesheet, template, region });
    writeFileSync(page, fillTables(readFileSync(page, "utf8"), tables));
    say(`${costsPage} is written.`);
    return true;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Measured {
  readonly measured: readonly MeasuredCall[];
  /** The calls that a new timesheet causes, beside `notify`. */
  readonly newTimesheet: readonly MeasuredCall[];
  readonly template: Record<string, unknown>;
  readonly region: PricedRegion;
}

function tablesOf({ measured, newTimesheet, template, region }: Measured): MarkedTables {
  const prices = pricesOf(region);
  const bills = measured.map((each) => billOf(each, prices));
  const operations = bills.filter(({ isOperation }) => isOperation);
  const workers = bills.filter(({ isOperation }) => !isOperation);
  return {
    "costs-operations": `Prices of ${region}.

${billsTable(operations)}`,
    "costs-workers": `A pin that goes out costs its e-mail, $${(prices.emailsPerThousand / 1000).toFixed(4)}, or its SMS, about $${prices.sms.toFixed(2)} to the United Kingdom, on top.

${billsTable(workers)}`,
    "costs-submitted": submittedTable([
      ...bills.filter(({ name }) => name === "notify"),
      ...newTimesheet.map((each) => billOf(each, prices)),
    ]),
    "costs-prices": pricesTable(),
    "costs-month": `${monthsTable({ measured, template, region })}

A user makes ${sum(Object.values(callsPerUser))} calls a month, asks for ${pinsPerUser} pins, ${shareOfSms * 100} % of them by SMS, has ${changesPerUser} records changed, and
${kilobytesPerUser} KB stored. **The number to watch is SMS**: one costs as much as ${smsInCalls(bills, prices)} calls of list-invoices. The
stage's ceiling on SMS, with its shares for a login's first and further messages, is the largest control of costs there is.`,
  };
}

function billsTable(bills: readonly Bill[]): string {
  const figures = ["read units", "write units", "ms", "gateway", "function", "table", "queue", "logs", "total"];
  const rows = bills.map((bill) => {
    const { name, readUnits, writeUnits, milliseconds, gateway, lambda, table, queue, logs, total } = bill;
    const dollars = [gateway, lambda, table, queue, logs, total].map((part) => part.toFixed(2));
    return [name, readUnits, writeUnits, milliseconds, ...dollars];
  });
  return tableOf(["", ...figures.map((figure) => `${figure}:`)], rows);
}

function pricesTable(): string {
  const rows = Object.entries(priceList).map(([name, { source, ...prices }]) => [
    name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...pricedRegions.map((region) => String(Number(prices[region].toPrecision(6)))),
    source,
  ]);
  return tableOf(["price", ...pricedRegions.map((region) => `${region}:`), "source of eu-west-2"], rows);
}

/** The month of one region by what it is for, and its total in each other. */
function monthsTable({ measured, template, region }: Omit<Measured, "newTimesheet">): string {
  const monthsIn = (where: PricedRegion) => {
    const prices = pricesOf(where);
    const bills = measured.map((each) => billOf(each, prices));
    const fixed = fixedRows(template, prices);
    return userCounts.map((users) => monthOf(bills, users, { fixed, prices }));
  };
  const months = monthsIn(region);
  const totalsOf = (some: readonly Record<string, number>[]) =>
    some.map((month) => `**${sum(Object.values(month)).toFixed(2)}**`);
  const parts = Object.keys(months[0] ?? {});
  const rows = parts.map((part) => [part, ...months.map((month) => (month[part] ?? 0).toFixed(2))]);
  const others = pricedRegions.filter((each) => each !== region);
  const columns = userCounts.map((users) => `${users.toLocaleString("en")} users:`);
  return tableOf(
    ["", ...columns],
    [
      ...rows,
      [`**total in ${region}**`, ...totalsOf(months)],
      ...others.map((each) => [`**total in ${each}**`, ...totalsOf(monthsIn(each))]),
    ],
  );
}

function monthOf(
  bills: readonly Bill[],
  users: number,
  { fixed, prices }: { readonly fixed: Readonly<Record<string, number>>; readonly prices: Prices },
) {
  const each = (name: string, times: number) => ((bills.find((bill) => bill.name === name)?.total ?? 0) * times) / 1e6;
  const pins = users * pinsPerUser;
  const changes = users * changesPerUser;
  const following = ["intake", "keep-history", "notify", "deliver-notifications"];
  const confirming = ["request-password-reset", "deliver-pin", "confirm-login", "set-password"];
  const parts: Record<string, number> = {
    calls: sum(Object.entries(callsPerUser).map(([name, times]) => each(name, times * users))),
    "changes by events, and what follows from them": sum(following.map((name) => each(name, changes))),
    "pins, without what sends them": sum(confirming.map((name) => each(name, pins))),
    "e-mails": (pins * (1 - shareOfSms) * prices.emailsPerThousand) / 1000,
    SMS: pins * shareOfSms * prices.sms,
    ...growingRows(users, prices),
    ...fixed,
    "check from outside": outsideCheck(prices) + each("get-health", outsideCalls),
  };
  return parts;
}

/** The costs of the notifications of the example's timesheets, by the function that each message is for. */
function submittedTable(bills: readonly Bill[]): string {
  const rows = bills.map(({ name, readUnits, writeUnits, total }) => [
    name,
    readUnits * timesheetsOfExample,
    writeUnits * timesheetsOfExample,
    ((total * timesheetsOfExample) / 1e6).toFixed(4),
  ]);
  const dollars = sum(bills.map(({ total }) => (total * timesheetsOfExample) / 1e6));
  return `${timesheetsOfExample.toLocaleString("en")} new timesheets of a company with ${operatorsOfExample} operators: each operator is notified of each, without a push.

${tableOf(["", "read units:", "write units:", "dollars:"], [...rows, ["**total**", "", "", `**${dollars.toFixed(2)}**`]])}`;
}

function smsInCalls(bills: readonly Bill[], prices: Prices): string {
  const perCall = (bills.find(({ name }) => name === "list-invoices")?.total ?? Number.NaN) / 1e6;
  return (Math.round(prices.sms / perCall / 100) * 100).toLocaleString("en");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const million = 1_000_000;
const usualMemoryMegabytes = 512;

/** The costs of a million calls of a function, in US dollars, and their parts. */
interface Bill {
  readonly name: FunctionName;
  readonly isOperation: boolean;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly milliseconds: number;
  readonly gateway: number;
  readonly lambda: number;
  readonly table: number;
  readonly logs: number;
  readonly queue: number;
  readonly total: number;
}

/** The bill of a million calls that each take what was measured. */
function billOf({ name, isOperation, readUnits, writeUnits, logBytes }: MeasuredCall, prices: Prices): Bill {
  const { area, memoryMegabytes = usualMemoryMegabytes, readsStream } = functions[name];
  const milliseconds = assumedMilliseconds(name, writeUnits);
  const gigabyteSeconds = (memoryMegabytes / 1024) * (milliseconds / 1000) * million;
  const parts = {
    gateway: isOperation ? prices.gatewayPerMillion : 0,
    lambda: prices.lambdaPerMillion + gigabyteSeconds * prices.lambdaPerGigabyteSecond,
    table: readUnits * prices.readUnitsPerMillion + writeUnits * prices.writeUnitsPerMillion,
    logs: (logBytes / 1000) * prices.logsPerGigabyte,
    // Reading the table's stream costs nothing to Lambda.
    queue: area === "workers" && !readsStream ? queueRequestsPerMessage * prices.queueRequestsPerMillion : 0,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { name, isOperation, readUnits, writeUnits, milliseconds, ...parts, total };
}
