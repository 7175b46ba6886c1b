import { type ChangedType, changedTypes } from "../../shared/contract/changes.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { findChanges } from "../../shared/history/find-changes.ts";
import type { ShownChange } from "../../shared/history/shown-changes.ts";
import { styleOf } from "../local/console/style.ts";
import { readArguments, runCommand, UsageError, unknownWord } from "./cli/command.ts";
import { describeChanges } from "./history/change-story.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const types = changedTypes.map((type) => type.toLowerCase());
/** Changes in a page: one query of the table. */
const changesAtOnce = 100;

const help = `npm run history -- TYPE ID [--json] [--stage NAME]
npm run history -- --change ID [--json] [--stage NAME]

Prints the changes of a record, the latest first: who made each, when, by which call, and each field before and after.

  TYPE           ${types.join(", ")}
  ID             the record's id; it may have been removed
  --change ID    one change of all its records, each named
  --json         a line of JSON for each change, as GET /api/v1/changes shows it
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine, whether it runs or not

Ends with 0, with 1 if there is no such record and no change of it is kept, and with 2 if the call was wrong.
`;

const unchanged =
  "Unchanged since it was imported, as far back as changes are kept. Its creation is shown from its first change on.\n";

type Subject = { readonly record_type: ChangedType; readonly record_id: number } | { readonly change_id: string };

if (import.meta.main) await runCommand((parameters) => history(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function history(parameters: string[], directory: string): Promise<number> {
  const options = { change: { type: "string" }, json: { type: "boolean" }, stage: { type: "string" } } as const;
  const call = readArguments("history", help, { args: parameters, options, allowPositionals: true });
  const { change, json = false, stage } = call.values;
  const subject = readSubject(call.positionals, change);
  return withService({ stage, directory }, () => printHistory(subject, json));
}

/** Prints the history of a record or a change, page by page. Returns the command's exit code. */
export async function printHistory(subject: Subject, asJson: boolean): Promise<number> {
  let count = 0;
  for await (const changes of pagesOf(subject)) {
    count += changes.length;
    const lines = changes.map((each) => `${JSON.stringify(each)}\n`).join("");
    const namesRecords = "change_id" in subject;
    process.stdout.write(asJson ? lines : describeChanges(changes, styleOf(process.stdout), { namesRecords }));
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
