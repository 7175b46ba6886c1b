import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunctions } from "../../../infra/functions/bundle.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { settingTextOf } from "../../../infra/stages/stage-shape.ts";
import { root } from "../../../infra/support/root.ts";
import { synthesize } from "../../../infra/synthesize.ts";
import { costsPage } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables, type MarkedTables, tableOf } from "../../../infra/tools/docs/marked-tables.ts";
import {
  assumedMilliseconds,
  callsPerUser,
  changesPerUser,
  outsideCalls,
  pinsPerUser,
  queueRequestsPerMessage,
  shareOfSms,
  userCounts,
} from "./assumptions.ts";
import { type MeasuredCall, measureCalls } from "./measure-calls.ts";
import { costOfChanges, costOfTraffic, fixedRows, outsideCheck, storedRows } from "./month-rows.ts";
import { prices } from "./prices.ts";
import { type StoredBytes, storedPerUser } from "./stored-bytes.ts";

/** The days of history of a stage that says nothing else. */
const historyDays = Number(settingTextOf("historyDays").otherwise);

type Month = Readonly<Record<string, number>>;

/**
 * Measures every operation on the demo data, prints what a million calls of each cost, and writes the months into infra/COSTS.md;
 * true when it could.
 */
export async function benchCosts(say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  const templateOf = (stage: string) => synthesize(stage, join(directory, stage), bundleFunctions);
  try {
    const { calls, items } = await measureCalls(join(directory, "machine"));
    const bills = calls.map(billOf);
    say(billsTable(bills));
    const [dev, prod] = [templateOf("dev"), templateOf("prod")];
    const stored = storedPerUser(items, prod, historyDays);
    const page = join(root, costsPage);
    const tables = tablesOf(bills, stored, { dev: fixedRows(dev), prod: fixedRows(prod) });
    writeFileSync(page, fillTables(readFileSync(page, "utf8"), tables));
    say(`${costsPage} is written.`);
    return true;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function tablesOf(
  bills: readonly Bill[],
  stored: StoredBytes,
  fixed: { readonly dev: Month; readonly prod: Month },
): MarkedTables {
  const idle = { ...fixed.prod, "check from outside": outsideCheck() + costOf(bills, "get-health", outsideCalls) };
  const months = userCounts.map((users) => ({ ...monthOf(bills, stored, users), "idle stage": sum(idle) }));
  return {
    "costs-idle": monthsTable(["dev", "prod"], [fixed.dev, idle]),
    "costs-month": `${monthsTable(
      userCounts.map((users) => `${users.toLocaleString("en")} users`),
      months,
    )}

A user makes ${sum(callsPerUser)} calls a month, asks for ${pinsPerUser} pins, ${shareOfSms * 100} % of them by SMS, and has ${changesPerUser} records changed. After ${historyDays} days
of history that is ${megabytes(stored.base)} MB in the table, by which AWS bills recovery and backups, and ${megabytes(stored.indexes)} MB in its indexes. One SMS costs as much as
${smsInCalls(bills)} calls of list-invoices: the stage's ceilings on SMS are the largest control of costs.`,
  };
}

/** A row for each part of the last month, which has them all, and the totals. */
function monthsTable(columns: readonly string[], months: readonly Month[]): string {
  const shown = (dollars = 0) => dollars.toFixed(2);
  const rows = Object.keys(months.at(-1) ?? {}).map((part) => [part, ...months.map((month) => shown(month[part]))]);
  const totals = ["**total**", ...months.map((month) => `**${shown(sum(month))}**`)];
  return tableOf(["", ...columns.map((column) => `${column}:`)], [...rows, totals]);
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

function monthOf(bills: readonly Bill[], stored: StoredBytes, users: number): Month {
  const pins = users * pinsPerUser;
  const changes = users * changesPerUser;
  const following = ["intake", "keep-history", "notify", "deliver-notifications"];
  const confirming = ["request-password-reset", "deliver-pin", "confirm-login", "set-password"];
  const all = (names: readonly string[], times: number) => sum(names.map((name) => costOf(bills, name, times)));
  return {
    calls: sum(Object.entries(callsPerUser).map(([name, times]) => costOf(bills, name, times * users))),
    "starts, access log, data out": costOfTraffic(users),
    "changes, and what follows from them": all(following, changes) + costOfChanges(users),
    "pins, and e-mails with them": all(confirming, pins) + (pins * (1 - shareOfSms) * prices.emailsPerThousand) / 1000,
    SMS: pins * shareOfSms * prices.sms,
    ...storedRows(users, stored),
  };
}

/** The costs of so many calls of a function, in US dollars. */
function costOf(bills: readonly Bill[], name: string, times: number): number {
  return ((bills.find((bill) => bill.name === name)?.total ?? 0) * times) / million;
}

function megabytes(bytes: number): string {
  return (bytes / million).toFixed(2);
}

function smsInCalls(bills: readonly Bill[]): string {
  return (Math.round(prices.sms / costOf(bills, "list-invoices", 1) / 100) * 100).toLocaleString("en");
}

function sum(values: readonly number[] | Month): number {
  return Object.values(values).reduce((total, value) => total + value, 0);
}

const million = 1_000_000;
const usualMemoryMegabytes = 512;

/** The costs of a million calls of a function, in US dollars, and their parts. */
interface Bill {
  readonly name: FunctionName;
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
function billOf({ name, isOperation, readUnits, writeUnits, logBytes }: MeasuredCall): Bill {
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
  return { name, readUnits, writeUnits, milliseconds, ...parts, total: sum(parts) };
}
