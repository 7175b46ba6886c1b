import { watchLogins } from "../../shared/db/accounts/login-collisions.ts";
import { entities } from "../../shared/db/entities.ts";
import {
  type MigrateOptions,
  type MigrationProgress,
  type MigrationSummary,
  migrateTable,
} from "../../shared/db/migrate/migrate-table.ts";
import { requiredMigrations } from "../../shared/db/table/migrations.ts";
import { readArguments, runCommand, UsageError } from "./cli/command.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run migrate [-- --stage NAME] [--dry-run] [--rate N] [--restart]

Rewrites the items that older releases stored to the newest version of their shape, and marks new indexes and keys as
complete. Run it after a deploy has ended everywhere. Safe while the service runs: an item that changes meanwhile is read
again. Users see nothing of it, and nobody is notified. It keeps its place in the table: run it again after an interruption
and it goes on; run it again after its end and it changes nothing.

  --stage NAME  a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --dry-run     count what would be rewritten, and write nothing
  --rate N      at most N writes a second, 1 to 10000; 200 without it, a fifth of what one index partition takes
  --restart     look at the whole table again, and first revoke that new indexes and keys are complete. Run it after going
                back to the release before, with that release: it leaves their keys behind. Functions that already read
                from an index do so until they are replaced
  --help        show this

Ends with 0 when all items are of the newest version; 1 when some could not be rewritten, by this run or by one that it
goes on from, and where a new index or key is not complete; 2 when the call was wrong.
`;

const usualRate = 200;
const mostRate = 10_000;
const mostLines = 50;
const linePauseMs = 10_000;

if (import.meta.main) await runCommand((parameters) => migrate(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function migrate(parameters: string[], directory: string): Promise<number> {
  const options = {
    stage: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    rate: { type: "string", default: String(usualRate) },
    restart: { type: "boolean", default: false },
  } as const;
  const call = readArguments("migrate", help, { args: parameters, options });
  if (!call) return 0;
  const { values } = call;
  const work = { isDryRun: values["dry-run"], restarts: values.restart, writesPerSecond: readRate(values.rate) };
  return withService({ stage: values.stage, directory }, async (service) => {
    const code = await run(work);
    if (!service.running) await service.processPending();
    return code;
  });
}

function readRate(text: string): number {
  const rate = Number(text);
  if (Number.isInteger(rate) && rate >= 1 && rate <= mostRate) return rate;
  throw new UsageError(`--rate is a whole number from 1 to ${mostRate} (npm run migrate -- --help)`);
}

type Work = Required<Pick<MigrateOptions, "isDryRun" | "restarts" | "writesPerSecond">>;

async function run({ isDryRun, ...options }: Work): Promise<number> {
  const onProgress = createProgress();
  const { onItem, collisions } = watchLogins();
  const required = requiredMigrations;
  const summary = await migrateTable({ entities, required, isDryRun, onItem, onProgress, ...options });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  process.stdout.write(describe(summary, isDryRun));
  const pairs = collisions.map(([one, other]) => `users ${one} and ${other}`);
  for (const line of listed(
    pairs,
    "pairs of users have e-mail logins that are one address; give one of them another",
  )) {
    process.stdout.write(`${line}\n`);
  }
  const { damaged, contended, missedBefore, incomplete } = summary;
  const isWhole = damaged.length + contended.length + missedBefore === 0;
  return isWhole && (isDryRun || incomplete.length === 0) ? 0 : 1;
}

function describe(summary: MigrationSummary, isDryRun: boolean): string {
  const { seen, rewritten, newer, unknown, damaged, contended, missedBefore, isResumed, completed, incomplete } =
    summary;
  const place = isResumed ? ", from where the last run broke off" : "";
  const lines = [
    `${seen} items looked at${place}, ${sumOf(rewritten)} ${isDryRun ? "would be rewritten" : "rewritten"}.`,
    ...[...rewritten].map(([name, count]) => `  ${name}: ${count}`),
    ...(newer > 0 ? [`${newer} are of a newer version than this release has: left as they are.`] : []),
    ...(unknown > 0 ? [`${unknown} are of no kind that this release knows: left as they are.`] : []),
    ...completed.map((name) => `Complete: ${name}.`),
    ...listed(damaged, "could not be rewritten"),
    ...listed(contended, "were written by others each time; run it again"),
    ...(missedBefore > 0 ? [`${missedBefore} were not rewritten before the run broke off; run it again.`] : []),
    ...incomplete.map((name) => `Not complete: ${name}.`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function listed(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostLines ? [`  and ${names.length - mostLines} more`] : [];
  return [`${names.length} ${what}:`, ...names.slice(0, mostLines).map((name) => `  ${name}`), ...more];
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Says how far a run is: always on a terminal, every ten seconds elsewhere. */
function createProgress(): (progress: MigrationProgress) => void {
  const began = performance.now();
  let shownAt = began;
  return ({ seen, total, rewritten }) => {
    const now = performance.now();
    if (!process.stderr.isTTY && now - shownAt < linePauseMs) return;
    shownAt = now;
    const rate = Math.round(seen / ((now - began) / 1000));
    const share = total ? `, ${Math.min(100, Math.floor((seen / total) * 100))} %` : "";
    const text = `${seen} items${share}, ${sumOf(rewritten)} rewritten, ${rate} items a second`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
  };
}
