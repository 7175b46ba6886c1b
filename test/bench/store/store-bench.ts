import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { startEngine } from "../../../infra/local/engine/engine.ts";
import { enterEnvironment } from "../../../infra/local/local-aws.ts";
import { synthesize } from "../../../infra/synthesize.ts";
import type { Cost } from "../../support/records/costs.ts";
import { createBenchTable } from "../bench-table.ts";
import { openEngineFile } from "./engine-file.ts";
import { invoiceLines, type Order } from "./invoices.ts";
import { putLines } from "./load.ts";
import { invoiceMeasures, laterPage, type Measure, measureAll, rangeMeasures } from "./measures.ts";

/** Ids that do not follow dates are measured up to this number of records: their costs do not grow with the table. */
const mostDisordered = 100_000;

const allMeasures = [...invoiceMeasures, laterPage, ...rangeMeasures];

interface Run {
  readonly count: number;
  readonly order: Order;
  readonly costs: ReadonlyMap<string, Cost>;
}

/** Measures every list of the table of bars at these sizes and prints them. True if all keep within their bars. */
export async function benchStore(sizes: readonly number[], say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  const { template } = synthesize("local", directory);
  const data = join(directory, "engine");
  const engine = await startEngine({ dataDirectory: data });
  enterEnvironment(environmentOf(engine.endpoint));
  try {
    const runs: Run[] = [];
    for (const order of ["by date", "shuffled", "back-dated"] as const) {
      for (const count of sizes) {
        if (order !== "by date" && count > mostDisordered) continue;
        runs.push({ count, order, costs: await runOnce(template, join(data, "table.sqlite"), count, order, say) });
      }
    }
    return report(runs, say);
  } finally {
    await engine.close();
    rmSync(directory, { recursive: true });
  }
}

function environmentOf(engine: string): Record<string, string> {
  return {
    AWS_REGION: "eu-west-2",
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engine,
    DEFAULT_COUNTRY: "GB",
    BUSINESS_TIME_ZONE: "Europe/London",
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
  return measureAll(allMeasures, count);
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
      const isGrown = measure.isFlat && last > first;
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
  return cost ? `${cost.readUnits} (${cost.sequentialTrips})` : "";
}

function keeps({ readUnits, sequentialTrips }: Cost, { mostReadUnits, mostTrips }: Measure): boolean {
  return readUnits <= mostReadUnits && sequentialTrips <= mostTrips;
}
