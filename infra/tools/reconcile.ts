import type { Reconciliation } from "../../shared/db/reconcile/reconcile-totals.ts";
import { countRecords, rewriteNumberEntries, rewriteTotals } from "../../shared/db/reconcile/repair-totals.ts";
import {
  differencesOf,
  isRight,
  reconcileUntilStable,
  type StableReconciliation,
} from "../../shared/db/reconcile/stable-reconciliation.ts";
import { readArguments, runCommand } from "./cli/command.ts";
import { stagesHelp } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run reconcile [-- --repair] [--stage NAME]

Counts all records, and compares the totals of the lists and the entries of the search by number with the result. Reads
the whole table, which costs money in AWS. Safe while the service runs: records that change meanwhile are read twice, and
the command waits for consumers of the table's stream that are behind.

  --repair      fix the differences
  --stage NAME  a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --help        show this

${stagesHelp}

Ends with 0 when all is equal, or has been repaired; 1 when it is not; 2 when the call was wrong.
`;

/** How long the consumers have to count what was just changed before it is called uncounted. */
const graceMs = 3_000;
const mostLines = 50;

if (import.meta.main) await runCommand((parameters) => reconcile(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function reconcile(parameters: string[], directory: string): Promise<number> {
  const options = { repair: { type: "boolean" }, stage: { type: "string" } } as const;
  const call = readArguments("reconcile", help, { args: parameters, options });
  if (!call) return 0;
  const { repair: repairs, stage } = call.values;
  return withService({ stage, directory }, () => compare({ repairs, stage }));
}

async function compare({ repairs = false, stage }: { repairs?: boolean; stage?: string }): Promise<number> {
  const found = await reconcileUntilStill();
  process.stdout.write(describe(found.last));
  if (isRight(found.last)) return 0;
  if (!repairs) {
    process.stdout.write(`Repair it with npm run reconcile -- --repair${stage ? ` --stage ${stage}` : ""}\n`);
    return 1;
  }
  await repair(found.first, found.last);
  const after = await reconcileUntilStill();
  process.stdout.write(`After the repair: ${describe(after.last)}`);
  return isRight(after.last) ? 0 : 1;
}

function reconcileUntilStill(): Promise<StableReconciliation> {
  const onWaiting = (uncounted: number) => void process.stderr.write(`${uncounted} records wait to be counted …\n`);
  return reconcileUntilStable({ pauseMs: graceMs, beginProgress: createProgress, onWaiting });
}

async function repair(first: Reconciliation, last: Reconciliation): Promise<void> {
  const counted = await countRecords(last.uncounted, new Date());
  const totals = await rewriteTotals(first, last);
  let entries = 0;
  for (const { key, figure } of last.drifts) {
    if (figure === "entries")
      entries += await rewriteNumberEntries(key.pk, last.numbered.get(key.pk) ?? [], new Date());
  }
  process.stdout.write(`Counted ${counted} records, wrote ${totals} totals and ${entries} search entries.\n`);
}

function describe(reconciliation: Reconciliation): string {
  const { records } = reconciliation;
  const lines = differencesOf(reconciliation);
  const summary =
    lines.length === 0
      ? `${records} records: totals are exact.\n`
      : `${records} records, ${lines.length} differences:\n`;
  const shown = lines.slice(0, mostLines).map((line) => `  ${line}\n`);
  const more = lines.length > mostLines ? `  and ${lines.length - mostLines} more\n` : "";
  return `${summary}${shown.join("")}${more}`;
}

/** Shows on a terminal how far a reconciliation is. */
function createProgress(): (records: number) => void {
  let shown = 0;
  return (records) => {
    if (!process.stderr.isTTY || records < shown + 1_000) return;
    shown = records;
    process.stderr.write(`\r\x1b[2K${records} records counted`);
  };
}
