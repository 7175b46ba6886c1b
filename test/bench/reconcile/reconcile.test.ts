import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { timeoutSecondsOf } from "../../../infra/constructs/compute/service-function.ts";
import { functions } from "../../../infra/functions/functions.ts";
import {
  type Part,
  type PartFindings,
  type ReadPart,
  readTable,
  segments,
} from "../../../shared/db/reconcile/read-parts.ts";
import { differencesOf, reconcileUntilStable } from "../../../shared/db/reconcile/stable-reconciliation.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import type { TablePlace, TableSetup } from "./generated-table.ts";
import type { PartCost } from "./part-reader.ts";

/** RECONCILE_MEGABYTES=2000 makes it a larger table. */
const megabytes = Number(process.env.RECONCILE_MEGABYTES ?? usualOrFull(8, 500));
/** The table that the daily check must read in its time. */
const wantedMegabytes = 10_000;
/** A pass that finds nothing, or two and one that names what differs, with half a minute between them. */
const passes = 3;
const pausesSeconds = 60;
/** DynamoDB reads a page of 1 MB before it filters; that takes it some 50 to 200 ms. */
const pageSeconds = 0.2;
const functionMegabytes = 512;
/** Lambda gives a processor for so much memory. */
const megabytesOfAProcessor = 1_769;
const wrong = 3;
const invoicesOfAMegabyte = 1_040;
/** Read side by side here, each one part at a time. */
const processes = 2;
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.disconnect();
});

test(
  `${megabytes} MB are reconciled in parts beside writes, each within its memory, and ${wantedMegabytes} MB in time`,
  async () => {
    const setup: TableSetup = { invoices: megabytes * invoicesOfAMegabyte, segments, changesPerSecond: 100, wrong };
    const table = start("generated-table.ts", [JSON.stringify(setup)]);
    const [{ port, bytesPerInvoice }] = (await once(table, "message")) as [TablePlace];
    const costs: PartCost[] = [];
    const read = readIn(`http://127.0.0.1:${port}`, costs);
    const look = (suspects: readonly number[]) => readTable({ suspects, isConsistent: false }, { read });
    const began = performance.now();
    const { found, unnamed } = await reconcileUntilStable({ look, pauseMs: 1_000, mostSuspects: 64 });
    const seconds = (performance.now() - began) / 1_000;
    const lines = differencesOf(found).map((line) => line.replace(/paid: \d+, should be \d+/, "paid"));
    expect(lines.toSorted()).toEqual(
      Array.from({ length: wrong }, (_, at) => `TOTALS#INVOICES#${1_001 + at} ALL paid`),
    );
    expect([found.records, unnamed]).toEqual([setup.invoices, 0]);

    // The first pass compiles the code, in Lambda once for all of it.
    const measured = costs.slice(segments);
    const processorSeconds = measured.reduce((sum, each) => sum + each.processorSeconds, 0);
    const most = Math.max(...costs.map((cost) => cost.megabytes));
    const pace = ((passes - 1) * setup.invoices * bytesPerInvoice) / 1e6 / processorSeconds;
    const bought = (segments * functionMegabytes) / megabytesOfAProcessor;
    const aPass = wantedMegabytes / (pace * bought) + (wantedMegabytes / segments) * pageSeconds;
    const whole = passes * aPass + pausesSeconds;
    console.info(
      `${((setup.invoices * bytesPerInvoice) / 1e6).toFixed(0)} MB: ${passes} passes in ${seconds.toFixed(0)} s, ` +
        `${pace.toFixed(1)} MB a processor second, at most ${most.toFixed(0)} MB a part; ` +
        `${wantedMegabytes} MB with ${bought.toFixed(2)} processors: ${aPass.toFixed(0)} s a pass, ${whole.toFixed(0)} s in all`,
    );
    expect(most).toBeLessThan(functionMegabytes);
    // A small table is read before the code is compiled well.
    expect(megabytes < 500 ? aPass : whole).toBeLessThan(timeoutSecondsOf(functions["reconcile-totals"]));
  },
  120_000 + megabytes * 600,
);

function start(program: string, parameters: string[], env: object = {}): ChildProcess {
  const options = { env: { ...process.env, ...env }, serialization: "advanced" } as const;
  const child = fork(join(import.meta.dirname, program), parameters, options);
  children.push(child);
  return child;
}

/** Processes of their own, as Lambda has environments. */
function readIn(endpoint: string, costs: PartCost[]): ReadPart {
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: "eu-west-2",
    AWS_ACCESS_KEY_ID: "made-up",
    AWS_SECRET_ACCESS_KEY: "made-up",
    TABLE_NAME: "generated",
    CALL_PATIENCE: "20",
    NODE_OPTIONS: "--max-old-space-size=400",
  };
  const readers = Array.from({ length: processes }, () => start("part-reader.ts", [], env));
  const turns = readers.map((): Promise<unknown> => Promise.resolve());
  return (part) => {
    const at = part.segment % processes;
    const answer = turns[at]?.then(() => readBy(readers[at], part, costs));
    turns[at] = Promise.resolve(answer);
    return answer as Promise<PartFindings>;
  };
}

async function readBy(reader: ChildProcess | undefined, part: Part, costs: PartCost[]): Promise<PartFindings> {
  reader?.send(part);
  const [{ answer, cost }] = (await once(reader as ChildProcess, "message")) as [
    { answer: PartFindings; cost: PartCost },
  ];
  costs.push(cost);
  return answer;
}
