import { readCompany } from "../../shared/db/reconcile/company-items.ts";
import { localReading, readTable } from "../../shared/db/reconcile/read-parts.ts";
import { compare } from "../../shared/db/reconcile/reconcile-totals.ts";
import { countRecords, rewriteNumberEntries, rewriteTotals } from "../../shared/db/reconcile/repair-totals.ts";
import {
  countDifferences,
  differencesOf,
  reconcileUntilStable,
  type StableReconcileOptions,
  type StableReconciliation,
} from "../../shared/db/reconcile/stable-reconciliation.ts";
import { isTransientError } from "../../shared/db/table/transient-errors.ts";
import { readArguments, runCommand, UsageError } from "./cli/command.ts";
import { stagesHelp } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run reconcile [-- [--company ID] [--repair] [--stage NAME]]

Counts all records, and compares the totals of the lists and the entries of the search by number with the result. Reads
the whole table, which costs money in AWS. Safe while the service runs: what differs is read again, and the command waits
for consumers of the table's stream that are behind.

  --company ID  only what belongs to this company: a read unit a record. Compares the bounds of each day's ids as well,
                and names a record that has left the company and is not counted yet by its totals alone
  --repair      fix the differences
  --stage NAME  a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --help        show this

${stagesHelp}

Ends with 0 when all is equal, or has been repaired; 1 when it is not; 2 when the call was wrong.
`;

/** How long the consumers have to count what was just changed before it is called uncounted. */
const usualGraceMs = 3_000;
const mostLines = 50;

type Passes = Pick<StableReconcileOptions, "look" | "pauseMs">;
type Look = Passes["look"];

if (import.meta.main) await runCommand((parameters) => reconcile(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function reconcile(parameters: string[], directory: string, graceMs = usualGraceMs): Promise<number> {
  const options = { company: { type: "string" }, repair: { type: "boolean" }, stage: { type: "string" } } as const;
  const call = readArguments("reconcile", help, { args: parameters, options });
  if (!call) return 0;
  const { company, repair: repairs = false, stage } = call.values;
  const look = company === undefined ? lookAtAll(stage) : lookAt(Number(company));
  const passes = { look, pauseMs: graceMs };
  return withService({ stage, directory }, async () => {
    const stable = await reconcileStill(passes);
    if (countDifferences(stable) === 0) return 0;
    if (repairs) return repairAll(passes, stable);
    process.stdout.write(`Repair it with npm run reconcile -- ${["--repair", ...parameters].join(" ")}\n`);
    return 1;
  }).catch(rethrow);
}

/** Every pass only reads, and every repair is one write of its own: where the table fails, the next call goes on. */
function rethrow(error: unknown): never {
  if (!(error instanceof Error) || !isTransientError(error)) throw error;
  const next = "What is repaired stays so. Call the same command again; with --company ID it reads less at once.";
  throw new Error(`The table did not do what was asked: ${error.message}\n${next}`, { cause: error });
}

function lookAtAll(stage: string | undefined): Look {
  const parts = stage === undefined ? localReading : {};
  return (suspects) => readTable({ suspects, isConsistent: true }, { ...parts, onProgress: createProgress() });
}

function lookAt(companyId: number): Look {
  if (!Number.isSafeInteger(companyId)) throw new UsageError("--company takes the id of a company");
  return (suspects) => readCompany(companyId, suspects);
}

async function reconcileStill(passes: Passes, intro = ""): Promise<StableReconciliation> {
  const onWaiting = (differing: number) => void process.stderr.write(`${differing} differences become fewer …\n`);
  const stable = await reconcileUntilStable({ ...passes, isPatient: true, onWaiting });
  process.stdout.write(`${intro}${describe(stable)}`);
  return stable;
}

async function repairAll(passes: Passes, { found, suspects }: StableReconciliation): Promise<number> {
  const last = compare(await passes.look(suspects));
  const counted = await countRecords(last.uncounted, new Date());
  const totals = await rewriteTotals(found, last);
  let entries = 0;
  for (const { key, figure } of last.drifts) {
    if (figure === "entries") entries += await rewriteNumberEntries(key.pk, new Date());
  }
  process.stdout.write(`Counted ${counted} records, wrote ${totals} totals and ${entries} search entries.\n`);
  return countDifferences(await reconcileStill(passes, "After the repair: ")) === 0 ? 0 : 1;
}

function describe(stable: StableReconciliation): string {
  const { records } = stable.found;
  const differences = countDifferences(stable);
  if (differences === 0) return `${records} records: totals are exact.\n`;
  const lines = differencesOf(stable.found);
  const shown = lines.slice(0, mostLines).map((line) => `  ${line}\n`);
  const more = lines.length > mostLines ? `  and ${lines.length - mostLines} more\n` : "";
  return `${records} records, ${differences} differences:\n${shown.join("")}${more}`;
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
