import { appendFileSync, createReadStream, fstatSync, openSync, rmSync } from "node:fs";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { type RecordLine, recordTypes } from "../../shared/contract/records.ts";
import { escapeLine } from "../runtime/console/style.ts";
import type { ChosenStage } from "../stages/stages.ts";
import {
  abortOnSignals,
  flagOption,
  interrupted,
  orMistake,
  readArguments,
  readWholeNumber,
  runCommand,
  textOption,
  UsageError,
  unknownWord,
} from "./cli/command.ts";
import { readColumnMap } from "./import/column-map.ts";
import { csvReader } from "./import/csv-lines.ts";
import { type RecordReader, readJsonLines } from "./import/import-lines.ts";
import { type ImportOptions, type ImportProgress, type ImportSummary, importRecords } from "./import/import-records.ts";
import type { LineError } from "./import/line-errors.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";
import type { Service } from "./service/tool-service.ts";

const help = `npm run import -- FILE.jsonl [--stage NAME [--stages FILE]] [--notify] [--dry-run] [--from LINE]
npm run import -- FILE.csv --csv TYPE [--map FILE] […]

Imports records, one JSON object a line, into a stage in AWS or, without --stage, the local machine, whether it runs or
not. "-" reads standard input. Adds or changes by id: fields left out stay as they are. Safe to repeat. If there are errors, all of them
go to FILE.jsonl.errors.jsonl (import.errors.jsonl) as JSON lines.

  {"type": "invoice", "id": 17, "company_id": 1, "number": "INV-17", ...}   type: company, user, timesheet, invoice,
  {"type": "invoice", "id": 17, "deleted": true}                            job or notification

  --csv TYPE       the file is a table of one type, as npm run export --csv writes it
  --map FILE       the table is another system's: FILE says which columns fill which fields (infra/tools/README.md)
  --stage NAME     the stage; your own AWS credentials are used
  --stages FILE    the file that has the stage (infra/stages/stages.ts)
  --notify         notify the affected users, as if the changes had been made through the interface
  --dry-run        check every line as a real run would, and write nothing; shows the first record of a table
  --from LINE      pass over the lines before this one, such as those that an interrupted import says are done
`;

/** One screen; the report's file has all of them. */
const shownErrors = 20;

if (import.meta.main) await runCommand((parameters) => runImport(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. A signal to the process ends it after the lines in hand. */
export async function runImport(parameters: string[], directory: string): Promise<number> {
  const call = readCall(parameters);
  using ending = new DisposableStack();
  const { source, size } = openSource(call.file);
  ending.defer(() => source.destroy());
  const { signal } = ending.use(abortOnSignals());
  let far: ImportProgress = { bytesRead: 0, doneUpTo: call.from - 1, failed: 0 };
  let first: RecordLine | undefined;
  const next = () => describeStop(far);
  return await withService({ stage: call.stage, directory, signal, next }, async (service, progress) => {
    const report = createErrorReport(call.report, process.stderr);
    const began = performance.now();
    progress.show(() => describeProgress(far, size));
    const options: ImportOptions = {
      ...call,
      source,
      file: basename(call.file),
      now: new Date(),
      signal,
      onError(error) {
        progress.clear();
        report.add(error);
      },
      onRecord(record) {
        first ??= record;
      },
      onProgress(made) {
        far = made;
      },
    };
    const summary = await importRecords(options).finally(() => {
      progress.end();
      process.stderr.write(report.close());
    });
    if (summary.isComplete && source.bytesRead === 0)
      throw new UsageError(`${call.file} has no bytes: nothing to import`);
    process.stdout.write(describe(summary, call.dryRun, (performance.now() - began) / 1_000));
    if (!summary.isComplete) process.stdout.write(`${describeStop(far)}\n`);
    if (call.dryRun && call.isTable && first) process.stdout.write(`The first record: ${JSON.stringify(first)}\n`);
    if (!call.dryRun) await followImport(service, call.stage, directory);
    return summary.isComplete ? Number(summary.failed > 0) : interrupted;
  });
}

function describeProgress({ bytesRead, doneUpTo, failed }: ImportProgress, size: number | undefined) {
  const share = size ? `${Math.floor((bytesRead / size) * 100)}% ` : "";
  return `${share}line ${doneUpTo}${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** The history and notifications come from the table's stream, which somebody has to process. */
async function followImport(service: Service, stage: ChosenStage | undefined, directory: string): Promise<void> {
  if (stage !== undefined) process.stderr.write("The stage's own workers process what follows from the import.\n");
  if (service.running) return;
  process.stderr.write(`No machine runs in ${directory}: processing what follows from the import …\n`);
  await service.processPending();
}

function readCall(parameters: string[]) {
  const options = {
    ...stageOptions,
    notify: flagOption,
    "dry-run": flagOption,
    csv: textOption,
    map: textOption,
    from: textOption,
  };
  const call = readArguments("import", help, { args: parameters, allowPositionals: true, options });
  const { values } = call;
  const [file, ...others] = call.positionals;
  if (file === undefined || others.length > 0) throw new UsageError("Name one file (npm run import -- --help)");
  const from = readWholeNumber("from", values.from ?? 1, 1, Number.MAX_SAFE_INTEGER);
  const report = `${file === "-" ? "import" : file}.errors.jsonl`;
  const read = readerOf(values.csv, values.map);
  const looksLikeTable = /\.[ct]sv$/i.test(file);
  if (looksLikeTable && values.csv === undefined) throw new UsageError(`${file} looks like a table: --csv TYPE`);
  const stage = readStage(values);
  const { notify: notifies = false, "dry-run": dryRun = false } = values;
  return { file, report, from, stage, notifies, dryRun, isTable: values.csv !== undefined, read };
}

function readerOf(csv: string | undefined, map: string | undefined): RecordReader {
  const type = recordTypes.find((known) => known === csv);
  if (map !== undefined && csv === undefined) throw new UsageError("--map goes with --csv TYPE");
  if (csv !== undefined && !type) throw unknownWord("type to import", csv, recordTypes);
  return type ? csvReader(type, map === undefined ? undefined : readColumnMap(map, type)) : readJsonLines;
}

function openSource(file: string): { source: Readable & { readonly bytesRead: number }; size: number | undefined } {
  if (file === "-") return { source: process.stdin, size: undefined };
  return orMistake(`Cannot read ${file}: `, () => {
    const fd = openSync(file, "r");
    const about = fstatSync(fd);
    if (about.isDirectory()) throw new Error("it is a folder");
    return { source: createReadStream(file, { fd }), size: about.size };
  });
}

function describe({ isComplete: _, ...counts }: ImportSummary, isDry: boolean, seconds: number): string {
  const lines = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  const speed = `${lines} records in ${seconds.toFixed(1)} s, ${Math.round(lines / seconds)} a second`;
  return `${isDry ? "Dry run, nothing written: " : ""}${parts.join(", ")} (${speed})\n`;
}

function describeStop({ doneUpTo }: ImportProgress): string {
  const done = doneUpTo > 0 ? `lines 1 to ${doneUpTo} are done` : "no line is done";
  return `Stopped: ${done}. Importing the file again is safe. To go on: --from ${doneUpTo + 1}`;
}

/** The file of an earlier import goes, and the new one begins with the first error. */
function createErrorReport(path: string, screen: NodeJS.WritableStream) {
  rmSync(path, { force: true });
  let count = 0;
  return {
    add(error: LineError): void {
      appendFileSync(path, `${JSON.stringify(error)}\n`, { mode: 0o600 });
      count += 1;
      if (count <= shownErrors) screen.write(`${describeError(error)}\n`);
    },
    close(): string {
      if (count === 0) return "";
      const more = count > shownErrors ? `and ${count - shownErrors} more errors; ` : "";
      return `${more}all errors are in ${path}\n`;
    },
  };
}

function describeError({ line, id, field, value, code, detail }: LineError): string {
  const printable = escapeLine(field.slice(0, 100));
  const place = `line ${line}${id === undefined ? "" : ` (id ${id})`}`;
  return `${place}: ${printable ? `${printable}${value === undefined ? "" : ` ${value}`}: ` : ""}${code} — ${detail}`;
}
