import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { nameOf } from "../../shared/db/keys.ts";
import { type Drift, type Survey, surveyTotals } from "../../shared/db/recount.ts";
import { countAgain, rewriteNumberEntries, rewriteTotals } from "../../shared/db/recount-repair.ts";
import { readArguments, runCommand } from "./command.ts";
import { localDirectory, withLocalService } from "./local-service.ts";

const help = `npm run recount [-- --repair]

Counts all records of the local machine anew and compares the totals of the lists, and what a search by number finds,
with that. Reads the whole table; safe while the machine runs: what changes meanwhile is looked at twice, and consumers
of the table's stream that are behind are waited for.

  --repair  put right what differs
  --help    show this

Ends with 0 when all is equal, or has been put right; 1 when it is not; 2 when the call was wrong.
`;

/** How long the consumers have to count what was just changed before it is called uncounted. */
const graceMs = 3_000;
const mostLines = 50;

if (import.meta.main) await runCommand((parameters) => recount(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function recount(parameters: string[], directory: string): Promise<number> {
  const options = { repair: { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = readArguments("recount", { args: parameters, options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  return withLocalService(directory, () => compare(values.repair));
}

async function compare(repairs = false): Promise<number> {
  const found = await surveyUntilStill();
  process.stdout.write(describe(found.last));
  if (isRight(found.last)) return 0;
  if (!repairs) {
    process.stdout.write("Put it right with npm run recount -- --repair\n");
    return 1;
  }
  await repair(found.first, found.last);
  const after = await surveyUntilStill();
  process.stdout.write(`After the repair: ${describe(after.last)}`);
  return isRight(after.last) ? 0 : 1;
}

/**
 * Surveys until nothing differs, or what differs stays: what was just changed is on its way, and consumers that are behind
 * are waited for as long as they come nearer. Only what differs in two surveys, unchanged between them, is a difference.
 */
async function surveyUntilStill(): Promise<{ first: Survey; last: Survey }> {
  let first = await surveyTotals(createProgress());
  let last = first;
  while (!isRight(last)) {
    await pause(graceMs);
    [first, last] = [last, await surveyTotals(createProgress())];
    if (last.uncounted.length >= first.uncounted.length) break;
    process.stderr.write(`${last.uncounted.length} records wait to be counted …\n`);
  }
  if (first === last) return { first, last };
  const wasUncounted = new Set(first.uncounted.map(nameOf));
  const uncounted = last.uncounted.filter((key) => wasUncounted.has(nameOf(key)));
  const drifts = last.drifts.filter((drift) => isUnchanged(drift, first, last));
  return { first, last: { ...last, uncounted, drifts } };
}

function isUnchanged(drift: Drift, first: Survey, last: Survey): boolean {
  if (drift.figure === "entries") return first.drifts.some((each) => isDeepStrictEqual(each, drift));
  const name = nameOf(drift.key);
  return first.stored.get(name)?.revision === last.stored.get(name)?.revision;
}

function isRight({ drifts, uncounted, unreadable }: Survey): boolean {
  return drifts.length + uncounted.length + unreadable.length === 0;
}

async function repair(first: Survey, last: Survey): Promise<void> {
  const counted = await countAgain(last.uncounted, new Date());
  const totals = await rewriteTotals(first, last);
  let entries = 0;
  for (const { key, figure } of last.drifts) {
    if (figure === "entries") entries += await rewriteNumberEntries(key.pk, last.numbered.get(key.pk) ?? []);
  }
  process.stdout.write(`Counted ${counted} records, wrote ${totals} totals and ${entries} search entries.\n`);
}

function describe({ records, drifts, uncounted, unreadable }: Survey): string {
  const lines = [
    ...drifts.map(
      ({ key, figure, stored, counted }) => `${key.pk} ${key.sk} ${figure}: ${stored}, should be ${counted}`,
    ),
    ...uncounted.map((key) => `${key.pk}: not counted as it is now`),
    ...unreadable.map((key) => `${key.pk}: lacks what its list goes by`),
  ];
  const summary =
    lines.length === 0
      ? `${records} records: totals are exact.\n`
      : `${records} records, ${lines.length} differences:\n`;
  const shown = lines.slice(0, mostLines).map((line) => `  ${line}\n`);
  const more = lines.length > mostLines ? `  and ${lines.length - mostLines} more\n` : "";
  return `${summary}${shown.join("")}${more}`;
}

/** Says on a terminal how far a survey is. */
function createProgress(): (records: number) => void {
  let shown = 0;
  return (records) => {
    if (!process.stderr.isTTY || records < shown + 1_000) return;
    shown = records;
    process.stderr.write(`\r\x1b[2K${records} records counted`);
  };
}
