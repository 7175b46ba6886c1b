import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { recordTypes } from "../../shared/contract/records.ts";
import { tombstoneDays } from "../../shared/table/record-plans.ts";
import {
  abortOnSignals,
  flagOption,
  readArguments,
  readId,
  runCommand,
  textOption,
  UsageError,
} from "./cli/command.ts";
import { nextSince } from "./export/changed-since.ts";
import { describeTable } from "./export/describe-table.ts";
import { noFile } from "./export/draft-files.ts";
import { type ExportSummary, exportRecords } from "./export/export-records.ts";
import { csvTypes, readSelection } from "./export/selection.ts";
import { exportUser } from "./export/user-lines.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const help = `npm run export [-- [--stage NAME [--stages FILE]] [--types TYPE,…] [--company ID] [--since TIME] [--out FILE] [--csv]]
npm run export -- --user ID [--stage NAME [--stages FILE]] [--out FILE]

Writes records to a file that npm run import takes: one JSON object a line, by type and ascending id, the same bytes for the
same records. Reads the whole table, which costs money in AWS (some 4 cents a gigabyte). Safe while the service runs. Each
record is as it was at one moment between the start and the end, which are printed. The file may lack changes made meanwhile:
the next export has them, with the --since that is printed last unless --company or --csv is given.

  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)
  --types TYPES  only these, with commas between them: ${recordTypes.join(", ")}
  --company ID   only this company, its users, their notifications, and its timesheets, invoices and jobs
  --since TIME   only what has changed from then on, such as 2026-11-20 or 2026-11-20T08:30:00Z, at most ${tombstoneDays} days ago;
                 a removed record is a line with "deleted" (infra/tools/README.md)
  --out FILE     the file, which must not be there yet (workforce-STAGE.jsonl)
  --csv          tables for a spreadsheet in place of lines, ${csvTypes.join(" and ")}, each in a file of its own; npm run import
                 takes them with --csv, too
  --user ID      the data of one user in place of records, for the person: account, logins, sessions, devices, notifications,
                 notices, the timesheets of their profile, and the history of all these. No import takes this file

Only you may read the file (mode 0600). It appears whole, at the end: start an interrupted export again.

It does not hold: credentials of any kind (passwords, passcodes, sessions, pins, tokens, keys); devices; the timers of
jobs; counters and search entries, which follow from the records; the history and what can be undone, and tombstones;
limits that were reached, and what was sent.
Import makes every login a confirmed one, and its user asks for a password by pin.
`;

/**
 * Segments of a table that are read in parallel; each page takes some MB of memory. The engine of a local machine loses items of
 * a segment if the item before a page was removed. So it is read as one.
 */
const segments = { stage: 4, local: 1 } as const;

if (import.meta.main)
  await runCommand((parameters) => runExport(parameters, localDirectory(), abortOnSignals().signal));

/** Runs the command on a machine's directory; gives its exit code. */
export async function runExport(parameters: string[], directory: string, signal?: AbortSignal): Promise<number> {
  const call = readCall(parameters);
  const { stage, out, userId } = call;
  const next = ({ isOutage }: { isOutage: boolean }) => (isOutage ? noFile : undefined);
  const service = { stage, directory: resolve(directory), signal, next };
  const said = await withService(service, async (_, { show: onProgress }) => {
    if (userId !== undefined) return `${await exportUser({ userId, out, signal, onProgress })} lines, in ${out}\n`;
    const parts = stage === undefined ? segments.local : segments.stage;
    const table = await describeTable();
    return describe(call, await exportRecords({ ...call, table, segments: parts, signal, onProgress }));
  });
  process.stdout.write(said);
  return 0;
}

function readCall(parameters: string[]) {
  const options = {
    ...stageOptions,
    types: textOption,
    company: textOption,
    since: textOption,
    out: textOption,
    csv: flagOption,
    user: textOption,
  };
  const { values } = readArguments("export", help, { args: parameters, options });
  const { csv = false, user, types, company, since } = values;
  if (user !== undefined && (csv || (types ?? company ?? since) !== undefined)) {
    throw new UsageError("--user goes with --stage and --out alone: it exports all about one person");
  }
  const userId = user === undefined ? undefined : readId("user", user);
  const stage = readStage(values);
  const name = `workforce-${stage?.stage.name ?? "local"}${userId === undefined ? "" : `-user-${userId}`}`;
  const out = values.out ?? `${name}.${csv ? "csv" : "jsonl"}`;
  if (!existsSync(dirname(resolve(out)))) throw new UsageError(`There is no folder for ${out}`);
  return { stage, csv, userId, out, selection: readSelection({ ...values, csv }, new Date()) };
}

type Call = ReturnType<typeof readCall>;

function describe({ selection, csv }: Call, { files, counts, begunAt, readAt }: ExportSummary): string {
  const parts = [...counts].map(([type, count]) => `${type} ${count}`);
  const takesSince = selection.companyId === undefined && !csv;
  const next = `For the next export of changes, pass --since ${nextSince(begunAt)}: it is earlier, so that none is missed.\n`;
  const found = `Records: ${parts.join(", ")}, in ${files.join(" and ")}\n`;
  return `${found}Each as it was between ${begunAt} and ${readAt}.\n${takesSince ? next : ""}`;
}
