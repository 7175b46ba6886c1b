import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { synthesize } from "../../../infra/synthesize.ts";
import { costsPage } from "../../../infra/tools/docs/doc-pages.ts";
import { fillTables, type MarkedTables, tableOf } from "../../../infra/tools/docs/marked-tables.ts";
import {
  callsPerUser,
  changesPerUser,
  kilobytesPerUser,
  operatorsOfExample,
  outsideCalls,
  pinsPerUser,
  shareOfSms,
  timesheetsOfExample,
  userCounts,
} from "./assumptions.ts";
import { type Bill, billOf } from "./bill.ts";
import { measureCalls } from "./measure-calls.ts";
import { fixedRows, growingRows, outsideCheck } from "./month-rows.ts";
import { prices } from "./prices.ts";

/** Measures every operation on the demo data and writes what it costs into infra/COSTS.md; true when it could. */
export async function benchCosts(say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  try {
    const { calls, newTimesheet } = await measureCalls(join(directory, "machine"));
    const bills = calls.map(billOf);
    const { template } = synthesize("prod", join(directory, "cdk.out"));
    const page = join(root, costsPage);
    writeFileSync(
      page,
      fillTables(readFileSync(page, "utf8"), {
        ...tablesOf(bills, fixedRows(template)),
        "costs-submitted": submittedTable([
          ...bills.filter(({ name }) => name === "notify"),
          ...newTimesheet.map(billOf),
        ]),
      }),
    );
    say(`${costsPage} is written.`);
    return true;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function tablesOf(bills: readonly Bill[], fixed: Readonly<Record<string, number>>): MarkedTables {
  const operations = bills.filter(({ isOperation }) => isOperation);
  const workers = bills.filter(({ isOperation }) => !isOperation);
  return {
    "costs-operations": `Prices of ${prices.region}, ${prices.asOf}.

${billsTable(operations)}`,
    "costs-workers": `A pin that goes out costs its e-mail, $${(prices.emailsPerThousand / 1000).toFixed(4)}, or its SMS, about $${prices.sms.toFixed(2)} to the United Kingdom, on top.

${billsTable(workers)}`,
    "costs-month": `${monthsTable(bills, fixed)}

A user makes ${sum(Object.values(callsPerUser))} calls a month, asks for ${pinsPerUser} pins, ${shareOfSms * 100} % of them by SMS, has ${changesPerUser} records changed, and
${kilobytesPerUser} KB stored. **The number to watch is SMS**: one costs as much as ${smsInCalls(bills)} calls of list-invoices. The
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

function monthsTable(bills: readonly Bill[], fixed: Readonly<Record<string, number>>): string {
  const months = userCounts.map((users) => monthOf(bills, users, fixed));
  const parts = Object.keys(months[0] ?? {});
  const rows = parts.map((part) => [part, ...months.map((month) => (month[part] ?? 0).toFixed(2))]);
  const totals = months.map((month) => `**${sum(Object.values(month)).toFixed(2)}**`);
  const columns = userCounts.map((users) => `${users.toLocaleString("en")} users:`);
  return tableOf(["", ...columns], [...rows, ["**total**", ...totals]]);
}

function monthOf(bills: readonly Bill[], users: number, fixed: Readonly<Record<string, number>>) {
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
    ...growingRows(users),
    ...fixed,
    "check from outside": outsideCheck + each("get-health", outsideCalls),
  };
  return parts;
}

/** What the news of the example's timesheets cost, by the function that each message is for. */
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

function smsInCalls(bills: readonly Bill[]): string {
  const perCall = (bills.find(({ name }) => name === "list-invoices")?.total ?? Number.NaN) / 1e6;
  return (Math.round(prices.sms / perCall / 100) * 100).toLocaleString("en");
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
