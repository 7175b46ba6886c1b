import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { operationAreas } from "../functions/function-row.ts";
import { root as checkout } from "../local/stack/synthesis.ts";
import { readArguments, runCommand, text, UsageError } from "./cli/command.ts";
import { readDraft } from "./new/draft.ts";
import { areaEdits, areaFiles, operationEdits } from "./new/edits.ts";
import { operationFiles } from "./new/pieces.ts";

const gateTools = join(checkout, "test/gates/run.ts");

const help = `npm run new -- NAME METHOD PATH --area AREA

Adds an operation in the places that it has: its contract entry and its texts, its row of rights, its function, its sample event
and its test. The test fails until it is filled in, and says where. Until then only admins may call the operation. With GET and
a name such as list-jobs it is a list with pages.

  NAME             words with hyphens, such as get-job
  METHOD           GET, POST, PUT, PATCH or DELETE
  PATH             such as /api/v1/jobs/{id}
  --area AREA      ${operationAreas.join(", ")}
  --new-area AREA  an area that this makes: one word in lower case, such as companies

A call that is refused changes no file.
`;

if (import.meta.main) await runCommand((parameters) => addOperation(parameters));

/** Runs the command on a checkout and returns its exit code. */
export function addOperation(parameters: string[], root = checkout, format = formatted): number {
  const options = { area: text, "new-area": text };
  const call = readArguments("new", help, { args: parameters, allowPositionals: true, options });
  const { area, "new-area": newArea } = call.values;
  const draft = readDraft(call.positionals, area, newArea);
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const added = new Map([...operationFiles(draft, read), ...(draft.isNewArea ? areaFiles(draft) : [])]);
  const there = [...added.keys()].find((file) => existsSync(join(root, file)));
  if (there) throw new UsageError(`There is a file ${there} already.`);
  // Makes all texts before it writes any, so that an error leaves no file behind.
  const texts = new Map(added);
  for (const [file, edit] of [...(draft.isNewArea ? areaEdits(draft) : []), ...operationEdits(draft)]) {
    texts.set(file, edit(texts.get(file) ?? read(file)));
  }
  const written = [...texts].map(([file, text]) => [file, format(file, text)] as const);
  for (const [file, text] of written) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  process.stdout.write(`${written.map(([file]) => file).join("\n")}

Fill it in; npm test -- ${draft.name} used-rights says where, and which right is missing.
Then npm run invoke -- ${draft.name} calls it on the demo data, npm run docs -- --costs --examples writes the tables, and these tests
check the rules of every operation:
  npm test -- test/functions/${draft.area} test/system/attacks test/system/conventions test/system/rights test/openapi test/infra
A running local machine adds the new route without a restart.
`);
  return 0;
}

/** Formats as `npm run format` does, whose program is installed at its first use. */
function formatted(file: string, input: string): string {
  const parameters = [gateTools, "biome", "check", "--write", `--stdin-file-path=${file}`];
  return execFileSync(process.execPath, parameters, { cwd: checkout, input, encoding: "utf8" });
}
