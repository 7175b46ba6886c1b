import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operationAreas } from "../functions/function-row.ts";
import { root as checkout } from "../local/stack/synthesis.ts";
import { readArguments, runCommand, UsageError } from "./cli/command.ts";
import { type Draft, readDraft } from "./new/draft.ts";
import { withEntry, withRow, withText } from "./new/edits.ts";
import { eventOf, functionOf, testOf } from "./new/pieces.ts";
import { type Texts, writeAll } from "./new/write.ts";

const help = `npm run new -- NAME METHOD PATH --area AREA

Adds an operation in the places that it has: its contract entry and its texts, its row of rights, its function, its sample event
and its test. The test fails until it is filled in, and says where. Until then only admins may call the operation.

  NAME         words with hyphens, such as get-job
  METHOD       GET, POST, PUT, PATCH or DELETE
  PATH         such as /api/v1/jobs/{id}
  --area AREA  ${operationAreas.join(", ")}
  --help       show this

Ends with 0 when it is added, 1 when that failed, 2 when the call was wrong. Unless it is added, no file changes.
`;

if (import.meta.main) await runCommand((parameters) => addOperation(parameters));

/** Runs the command on a checkout and returns its exit code. */
export function addOperation(parameters: string[], root = checkout): number {
  const options = { area: { type: "string" } } as const;
  const call = readArguments("new", help, { args: parameters, allowPositionals: true, options });
  if (!call) return 0;
  const draft = readDraft(call.positionals, call.values.area);
  // Makes all texts before it writes any, so that an error leaves no file behind.
  const added = formatted(addedBy(draft, root), root);
  const edited = formatted(editedBy(draft, root), root);
  writeAll(root, { added, edited });
  process.stdout.write(`${[...edited.keys(), ...added.keys()].join("\n")}\n\n${nextSteps(draft)}`);
  return 0;
}

function addedBy(draft: Draft, root: string): Texts {
  const { name, area } = draft;
  const added = new Map([
    [`functions/${area}/${name}.ts`, functionOf(draft)],
    [
      `events/${area}/${name}.json`,
      eventOf(draft, readFileSync(join(root, "events/accounts/get-profile.json"), "utf8")),
    ],
    [`test/functions/${area}/${name}.test.ts`, testOf(draft)],
  ]);
  const there = [...added.keys()].find((file) => existsSync(join(root, file)));
  if (there) throw new UsageError(`There is a file ${there} already.`);
  return added;
}

function editedBy(draft: Draft, root: string): Texts {
  const [entries, texts] = [`shared/contract/${draft.area}.ts`, `shared/contract/texts/${draft.area}.ts`];
  const rows = "infra/functions/functions.ts";
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return new Map([
    [entries, withEntry(read(entries), draft)],
    [texts, withText(read(texts), draft)],
    [rows, withRow(read(rows), draft)],
  ]);
}

function formatted(texts: Texts, root: string): Texts {
  return new Map([...texts].map(([file, text]) => [file, formattedText(file, text, root)]));
}

function formattedText(file: string, text: string, root: string): string {
  const biome = join(checkout, "node_modules/.bin/biome");
  const { status, stdout, stderr, error } = spawnSync(biome, ["check", "--write", `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${file} cannot be formatted: ${error?.message ?? stderr}`);
  return stdout;
}

function nextSteps({ name, area }: Draft): string {
  return `Fill it in; npm test -- ${name} says where.
Then npm run invoke -- ${name} calls it on the demo data, npm run docs writes the tables, and these tests
check the rules of every operation:
  npm test -- test/functions/${area} test/system/attacks test/system/conventions test/system/rights test/openapi test/infra
A running local machine adds the new route without a restart.
`;
}
