import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { guideSources } from "../../../infra/document/guide-pages.ts";
import { root } from "../../../infra/support/root.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const own = useOwnMachine(await makeDemoDirectory());
const folder = newFolder();

const guides = guideSources().map((file) => ({
  name: basename(file, ".md"),
  markdown: readFileSync(join(root, file), "utf8"),
}));

/** The output of the samples of each guide, by their language. */
const printed: Readonly<Record<string, { readonly js?: RegExp; readonly sh?: RegExp }>> = {
  "0-first-call": { sh: /^\{\n {2}"id": \d+,\n[\s\S]*\n\}\n$/ },
  "1-sign-in": {
    js: /^signed in as Owen Pryce\nrefreshed for operator@harbour-logistics\.example\n$/,
    sh: /^"operator@harbour-logistics\.example"\n$/,
  },
  "2-register": { sh: /^driver\nRobin\nsigned in: 200\n$/ },
  "3-lists": {
    js: /^found (?:[6-9]|\d\d+) open invoices\npage 2 of (?:[2-9]|\d\d+) has 5 invoices\n$/,
    sh: /^(?:INV-\d{4}-\d{5}\n){7,}$/,
  },
  "4-retries": {
    js: /^paid 1\nreplayed: true\nanswered with 200\n$/,
    sh: /^200 replayed: \n200 replayed: true\n$/,
  },
  "5-changes": {
    js: /^paid: 200\nundone: 200\n(?:part: 200\n)+Owen Pryce bulk-update-timesheets\n$/,
    sh: /^paid: 200\nundone: 200\n(?:part: 200\n)+\{\n {2}"by": "Owen Pryce",\n {2}"fields": \[\n[\s\S]*"after": "paid"/,
  },
  "6-problems": { js: /^fields_invalid from_date invalid\n$/, sh: /"pointer": "\/user\/password"/ },
  "7-push": {
    js: /^registered for fcm\nremoved: true\nunread: \d+ in all, \d+ of jobs\nmarked: 200\n$/,
    sh: /^\d+\n\{\n {2}"notifications": \d+,[\s\S]*marked: 200\n$/,
  },
  "8-try": { sh: /"role": "\w+"[\s\S]*\nreset: 200\n$/ },
  // test/client compiles its samples.
  "9-client": {},
  "10-programs": { sh: /^ *[1-9]\d*\ndeleted: 200\n$/ },
  "11-events": {
    js: /^timesheet\/17 is paid, seen before, overtaken\n$/,
    sh: /^\{\n {2}"type": "user\.password_changed",\n {2}"source": "urn:workforce:local"\n\}\n$/,
  },
};

/** A line before the samples of each guide, which no sample prints. */
const lineOf = (name: string) => `---- ${name}`;

/** The samples of all guides in one language, in the order that they are read in, as one program. */
function programOf(language: "js" | "sh", print: (line: string) => string): string {
  return guides
    .flatMap(({ name, markdown }) => {
      const samples = markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
      return [print(lineOf(name)), ...[...samples].map(([, sample]) => sample)];
    })
    .join("\n")
    .replaceAll("http://localhost:3000", own.machine.baseUrl);
}

/** In milliseconds: the samples start a dozen programs. */
const patience = 90_000;

/** Runs the samples, and gives what those of each guide print. */
async function run(program: string, parameters: readonly string[]): Promise<Map<string, string>> {
  const child = spawn(program, parameters, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code: child.exitCode, errors }).toEqual({ code: 0, errors: "" });
  const parts = output.split(/^---- (.*)\n/m).slice(1);
  return new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? ""]] : [])));
}

test("every guide is known, and what its samples print", () => {
  expect(guides.map(({ name }) => name)).toEqual(Object.keys(printed));
});

describe("the samples of the guides run as they are printed, one after the other", () => {
  test(
    "in JavaScript",
    async () => {
      const program = programOf("js", (line) => `console.log(${JSON.stringify(line)});`);
      const outputs = await run(process.execPath, ["--input-type=module", "--eval", program]);
      for (const [name, { js }] of Object.entries(printed)) expect(outputs.get(name), name).toMatch(js ?? /^$/);
    },
    patience,
  );

  const hasJq = spawnSync("jq", ["--version"]).status === 0;
  test.skipIf(!hasJq)(
    "in the shell, with jq",
    async () => {
      const program = programOf("sh", (line) => `echo '${line}'`);
      const outputs = await run("bash", ["-euo", "pipefail", "-c", program]);
      for (const [name, { sh }] of Object.entries(printed)) expect(outputs.get(name), name).toMatch(sh ?? /^$/);
    },
    patience,
  );
});
