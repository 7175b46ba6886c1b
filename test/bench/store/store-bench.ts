import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { startAwsEndpoints } from "../../../infra/local/aws/aws-endpoints.ts";
import { openInbox } from "../../../infra/local/aws/inbox.ts";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { openSecrets } from "../../../infra/local/aws/secrets-manager.ts";
import { startEngine } from "../../../infra/local/engine/engine.ts";
import { createTable, type TableDefinition } from "../../../infra/local/engine/local-table.ts";
import { enterEnvironment } from "../../../infra/local/local-aws.ts";
import { synthesize } from "../../../infra/synthesize.ts";
import type { Cost } from "../../support/records/costs.ts";
import { reportFigures } from "../figures.ts";
import { counterItems, measureCompanies, storeFirstPages } from "./companies.ts";
import { openEngineFile } from "./engine-file.ts";
import { measureHistory, measureHistoryLists } from "./history.ts";
import { invoiceLines, type Order } from "./invoices.ts";
import { putLines } from "./load.ts";
import { invoiceMeasures, laterPage, type Measure, measureAll, naiveMeasures, rangeMeasures } from "./measures.ts";
import { otherMeasures, prepareConfirmation, storeOtherRecords } from "./other-measures.ts";
import { figuresOf, measureWrites, tableOfWrites } from "./writing.ts";

/** Ids that do not follow dates are measured up to this number of records: their costs do not grow with the table. */
const mostDisordered = 100_000;
/** The number of companies that have counters, and the number of those whose list is read with dates, too. */
const companyCounts = [10, 1_000, 10_000] as const;
/** Changes that the history has when its lists are measured first, and then. */
const keptChanges = [1_000, 100_000] as const;
const region = "eu-west-2";

const allMeasures = [
  ...invoiceMeasures,
  laterPage,
  ...rangeMeasures,
  ...otherMeasures,
  ...naiveMeasures.map((measure) => ({ ...measure, name: `naive: ${measure.name}` })),
];

interface Run {
  readonly count: number;
  readonly order: Order;
  readonly costs: ReadonlyMap<string, Cost>;
}

/**
 * Measures every call of the table of bars at these sizes, the costs of writes, and lists over many companies, and
 * prints them. True if all keep within their bars.
 */
export async function benchStore(sizes: readonly number[], say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  const { template } = synthesize("local", directory);
  const data = join(directory, "engine");
  const engine = await startEngine({ dataDirectory: data });
  const secrets = openSecrets(region);
  secrets.ensure("hmac-key", () => JSON.stringify({ version: 1, key: "k".repeat(64) }));
  const endpoints = await startAwsEndpoints({ inbox: openInbox(), secrets });
  enterEnvironment(environmentOf(engine.endpoint, endpoints.endpoint));
  try {
    const runs: Run[] = [];
    for (const order of ["by date", "shuffled", "back-dated"] as const) {
      for (const count of sizes) {
        if (order !== "by date" && count > mostDisordered) continue;
        runs.push({ count, order, costs: await runOnce(template, join(data, "table.sqlite"), count, order, say) });
      }
    }
    const isWritten = await benchWriting(template, say);
    await benchCompanies(template, join(data, "table.sqlite"), say);
    const isHistoryFlat = await benchHistory(template, say);
    return report(runs, say) && isWritten && isHistoryFlat;
  } finally {
    await endpoints.close();
    await engine.close();
    rmSync(directory, { recursive: true });
  }
}

function environmentOf(engine: string, endpoint: string): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engine,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    HMAC_SECRET_ARN: "hmac-key",
    DEFAULT_COUNTRY: "GB",
    BUSINESS_TIME_ZONE: "Europe/London",
    HISTORY_DAYS: "400",
    // Of a million, the engine takes longer for some answers than a caller would wait.
    CALL_PATIENCE: "100",
  };
}

async function runOnce(
  template: Record<string, unknown>,
  file: string,
  count: number,
  order: Order,
  say: (text: string) => void,
) {
  const table = `bench-${count}-${order.replace(" ", "-")}`;
  const definition = await createBenchTable(template, table);
  process.env.TABLE_NAME = table;
  const began = performance.now();
  const lines = invoiceLines(count, order);
  const show = (loaded: number) => {
    if (!process.stderr.isTTY || loaded % 100 > 0) return;
    process.stderr.write(`\r\x1b[2K${loaded} of ${count} invoices, ids ${order}`);
  };
  await putLines(lines, openEngineFile(file, table, definition), show);
  const seconds = (performance.now() - began) / 1000;
  say(`${count} invoices, ids ${order}: put in ${seconds.toFixed(0)} s`);
  await storeOtherRecords();
  await prepareConfirmation();
  return measureAll(allMeasures, count);
}

/** Measures the cost of every kind of write and prints it. True if all keep within their bars. */
async function benchWriting(template: Record<string, unknown>, say: (text: string) => void): Promise<boolean> {
  const table = "bench-writing";
  await createBenchTable(template, table);
  process.env.TABLE_NAME = table;
  const costs = await measureWrites();
  say(`\nwhat is written, with its indexes, counters and search entries\n${tableOfWrites(costs)}\n`);
  return reportFigures(figuresOf(costs), say);
}

/** Prints the cost of first pages over so many companies, once with one part of each counter and once with every part. */
async function benchCompanies(template: Record<string, unknown>, file: string, say: (text: string) => void) {
  for (const companies of companyCounts) {
    for (const isBusy of [false, true]) {
      const table = `bench-companies-${companies}-${isBusy ? "busy" : "quiet"}`;
      const definition = await createBenchTable(template, table);
      process.env.TABLE_NAME = table;
      const engineFile = openEngineFile(file, table, definition);
      for (const item of counterItems(companies, isBusy)) engineFile.put(item);
      engineFile.close();
      await storeFirstPages();
      const costs = await measureCompanies();
      const figures = costs.map(({ name, cost }) => `${name} ${cost ? describeCost(cost) : "refused"}`).join("; ");
      say(`${companies} companies, ${isBusy ? "every part" : "one part"} of each counter: ${figures}`);
    }
  }
}

/** Measures the lists of changes and prints it; true when they keep within their bars, whatever is kept. */
async function benchHistory(template: Record<string, unknown>, say: (text: string) => void): Promise<boolean> {
  const table = "bench-history";
  await createBenchTable(template, table);
  process.env.TABLE_NAME = table;
  const [few, many] = keptChanges;
  say(`\nlists of 20 changes, of ${few} and of ${many} that are kept: read units`);
  const lists = await measureHistoryLists(few, many);
  const figures = lists.flatMap(({ name, mostReadUnits, few: before, many: after }) => [
    { name, value: after.readUnits, unit: "units", atMost: Math.min(mostReadUnits, before.readUnits) },
  ]);
  return reportFigures([...(await measureHistory()), ...figures], say);
}

/** A stream that nobody reads would only fill the disk. */
async function createBenchTable(template: Record<string, unknown>, table: string) {
  const client = new DynamoDBClient({});
  const { StreamSpecification: _, ...definition } = tableOf(template);
  await createTable(client, definition, table);
  client.destroy();
  return definition;
}

function tableOf(template: Record<string, unknown>): TableDefinition {
  const resources = Object.values(template.Resources as Record<string, { Type: string; Properties: unknown }>);
  const table = resources.find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");
  return table?.Properties as TableDefinition;
}

function report(runs: readonly Run[], say: (text: string) => void): boolean {
  let isWithin = true;
  for (const order of new Set(runs.map((run) => run.order))) {
    const ofOrder = runs.filter((run) => run.order === order);
    say(
      `\nids ${order}: read units (sequential round trips)${" ".repeat(12)}bar  ${ofOrder.map(headOf).join("")}  ratio`,
    );
    for (const measure of allMeasures) {
      const costs = ofOrder.map(({ costs }) => costs.get(measure.name));
      const isGated = measure !== laterPage || order === "by date";
      const isOver = isGated && costs.some((cost) => cost && !keeps(cost, measure));
      const [first, last] = [costs[0]?.readUnits ?? 0, costs.at(-1)?.readUnits ?? 0];
      const isGrown = measure.growth === "flat" && last > first;
      if (isOver || isGrown) isWithin = false;
      const bar =
        Number.isFinite(measure.mostReadUnits) && isGated ? `${measure.mostReadUnits} (${measure.mostTrips})` : "–";
      const figures = costs.map((cost) => describeCost(cost).padStart(14)).join("");
      const mark = isOver || isGrown ? "  OVER" : "";
      say(`${measure.name.padEnd(58)}${bar.padStart(10)}${figures}${(last / first).toFixed(2).padStart(9)}${mark}`);
    }
  }
  return isWithin;
}

function headOf({ count }: Run): string {
  return String(count).padStart(14);
}

function describeCost(cost: Cost | undefined): string {
  if (!cost) return "";
  const writes = cost.writeUnits > 0 ? ` +${cost.writeUnits}w` : "";
  return `${cost.readUnits}${writes} (${cost.sequentialTrips})`;
}

function keeps({ readUnits, sequentialTrips }: Cost, { mostReadUnits, mostTrips }: Measure): boolean {
  return readUnits <= mostReadUnits && sequentialTrips <= mostTrips;
}
