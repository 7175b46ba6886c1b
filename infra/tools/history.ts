import type { ShownChange } from "../../functions/changes/find-changes.ts";
import { findChanges } from "../../functions/changes/find-changes.ts";
import { type ChangedType, changedTypes } from "../../shared/contract/changes.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { escapeLine, type Style, styleOf } from "../runtime/console/style.ts";
import { readArguments, runCommand, textOption, UsageError, unknownWord } from "./cli/command.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const types = changedTypes.map((type) => type.toLowerCase());
/** Changes in a page: one query of the table. */
const changesAtOnce = 100;

const help = `npm run history -- TYPE ID [--stage NAME [--stages FILE]]
npm run history -- --change ID [--stage NAME [--stages FILE]]

Prints the changes of a record, the latest first: who made each, when, by which call, and each field before and after.

  TYPE           ${types.join(", ")}
  ID             the record's id; it may have been removed
  --change ID    one change of all its records, each named
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Ends with 0, with 1 if there is no such record and no change of it is kept, and with 2 if the call was wrong.
`;

const unchanged =
  "Unchanged since it was imported, as far back as changes are kept. Its creation is shown from its first change on.\n";

type Subject = { readonly record_type: ChangedType; readonly record_id: number } | { readonly change_id: string };

/** Characters of a value on the screen: three lines of a terminal. */
const mostOfValue = 200;

if (import.meta.main) await runCommand((parameters) => history(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function history(parameters: string[], directory: string): Promise<number> {
  const options = { change: textOption, ...stageOptions };
  const { values, positionals } = readArguments("history", help, { args: parameters, options, allowPositionals: true });
  const subject = readSubject(positionals, values.change);
  return withService({ stage: readStage(values), directory }, () => printHistory(subject));
}

/** Prints the history of a record or a change, page by page. Returns the command's exit code. */
export async function printHistory(subject: Subject): Promise<number> {
  let count = 0;
  for await (const changes of pagesOf(subject)) {
    count += changes.length;
    const style = styleOf(process.stdout);
    // Changes of one call are of several records.
    const nameOf = "change_id" in subject ? recordOf : () => "";
    process.stdout.write(changes.map((each) => describeChange(each, style, nameOf(each))).join(""));
  }
  if (count === 0) process.stderr.write("record_id" in subject ? unchanged : "No change of it is kept.\n");
  return count > 0 || "record_id" in subject ? 0 : 1;
}

async function* pagesOf(subject: Subject): AsyncGenerator<readonly ShownChange[]> {
  const now = new Date();
  let after: string | undefined;
  do {
    const page = await findChanges(subject, "all", { limit: changesAtOnce, after, now }).catch(explain);
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

function explain(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  throw new Error("There is no such record, and no change of it is kept.", { cause: error });
}

function readSubject(words: readonly string[], change: string | undefined): Subject {
  const [word = "", id = "", ...others] = words;
  if (change !== undefined && words.length === 0) return { change_id: change };
  if (change !== undefined || id === "" || others.length > 0) {
    throw new UsageError("Say TYPE and ID of a record, or --change ID (npm run history -- --help)");
  }
  const type = changedTypes.find((each) => each.toLowerCase() === word.toLowerCase());
  if (!type) throw unknownWord("type of records with a history", word, types);
  if (!/^[1-9]\d{0,15}$/.test(id)) throw new UsageError(`"${id}" is no id: it is a whole number above 0.`);
  return { record_type: type, record_id: Number(id) };
}

function describeChange(
  { at, action, by, key_id, operation, change_id, request_id, fields }: ShownChange,
  style: Style,
  record: string,
): string {
  const sources = { "API key": key_id, operation, change: change_id, request: request_id };
  const facts = Object.entries(sources).flatMap(([name, value]) =>
    value === null ? [] : `${name} ${escapeLine(String(value))}`,
  );
  const head = [
    style("bold", `${at}  ${action.replaceAll("_", " ")}${record} by ${actorOf(by)}`),
    style("dim", facts.join(", ")),
  ];
  const width = Math.max(...fields.map(({ name }) => name.length));
  const lines = fields.map(({ name, before, after }) => {
    return `    ${escapeLine(name).padEnd(width)}  ${textOf(before)} → ${textOf(after)}\n`;
  });
  return `${head.join("  ").trimEnd()}\n${lines.join("")}`;
}

function recordOf({ record_type, record_id }: ShownChange): string {
  return record_id === null ? "" : ` ${record_type.toLowerCase()} ${record_id}`;
}

function actorOf({ kind, id, name }: ShownChange["by"]): string {
  const words = kind === "unknown" ? ["nobody that is known"] : [kind, id];
  return escapeLine([...words, name === null ? "" : `(${name})`].filter(Boolean).join(" "));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = escapeLine(typeof value === "string" ? value : JSON.stringify(value));
  const rest = text.length - mostOfValue;
  return rest > 0 ? `${text.slice(0, mostOfValue)}… (${rest} more characters)` : text;
}
