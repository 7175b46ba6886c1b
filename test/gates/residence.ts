import { globSync, readFileSync } from "node:fs";
import { join, parse, relative } from "node:path";
import { type BuildOptions, buildSync, transformSync } from "esbuild";
import { bundleOptions } from "../../infra/functions/bundle.ts";
import { writeEntries } from "../../infra/functions/entries.ts";
import { root } from "../../infra/support/root.ts";
import { makeTemporaryFolder } from "../../infra/support/temporary-folder.ts";
import { flagOption, readArguments, runCommand } from "../../infra/tools/cli/command.ts";

const help = `npm run check:residence [-- --report]

Refuses each file of shared/ that is in no function's bundle, but for shared/client. A file of types alone counts with the
files that import it.

  --report  print instead which exports of shared/ are in the bundle of one function and in no command; fails never
`;

/** The code in bundles: by program, then by source file from the folder of the checkout. */
export type Bundles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Bundles programs, with names as in their sources, so that exports can be found in what is left of each file. */
export function readBundles(folder: string, options: BuildOptions): Bundles {
  const readable = { absWorkingDir: folder, bundle: true, minify: false, write: false, metafile: true } as const;
  const { outputFiles, metafile } = buildSync({ ...options, ...readable });
  const outputs = outputFiles.map(({ path, text }) => ({ ...metafile.outputs[relative(folder, path)], text }));
  return new Map(
    outputs.map(({ entryPoint = "", inputs = {}, text }) => [parse(entryPoint).name, codeOf(text, inputs)]),
  );
}

function codeOf(text: string, inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>) {
  // esbuild writes a file's path above its code.
  const sections = text.split(/^\/\/ (?=\S+$)/m).map((section) => [section.split("\n", 1)[0] ?? "", section] as const);
  return new Map(sections.filter(([file]) => (inputs[file]?.bytesInOutput ?? 0) > 0));
}

/** A sentence for each file of `shared/` that no bundle of a function has code or types of. */
export function findMisplaced(folder: string, functions: Bundles): string[] {
  const sources = readSources(folder);
  const importersOf = (file: string) => [...sources.keys()].filter((each) => sources.get(each)?.imports.has(file));
  const run = new Set([...functions.values()].flatMap((files) => [...files.keys()]));
  // A set's loop reaches what is added to it.
  for (const file of run) {
    const types = [...(sources.get(file)?.imports ?? [])].filter((each) => sources.get(each)?.isTypesAlone);
    for (const each of types) run.add(each);
  }
  const shared = globSync("shared/**/*.*", { cwd: folder, exclude: ["shared/client/**", "shared/**/*.md"] }).sort();
  return shared.filter((file) => !run.has(file)).map((file) => `${file} ${adviceOn(importersOf(file))}`);
}

function adviceOn(importers: readonly string[]): string {
  const user = importers.find((each) => each.startsWith("infra/")) ?? importers[0];
  if (user === undefined)
    return "is imported by nobody: move it to infra/ if a command or a build reads it, else delete it.";
  return `is in no function: move it to infra/, beside what uses it, such as ${user}.`;
}

/** The files that may import `shared/`, with what each imports. Tests are none: what they alone use is theirs. */
function readSources(folder: string) {
  const files = globSync("{functions,shared,infra}/**/*.{ts,tsx}", { cwd: folder });
  return new Map(files.map((file) => [file, readSource(folder, file)]));
}

function readSource(folder: string, file: string) {
  const text = readFileSync(join(folder, file), "utf8");
  const named = [...text.matchAll(/(?:\bfrom|\bimport) "(\.[^"]+)"/g)].map(([, path = ""]) => join(file, "..", path));
  return {
    imports: new Set(named),
    get isTypesAlone() {
      return transformSync(text, { loader: "ts" }).code.trim() === "";
    },
  };
}

/** Exports of `shared/` that the bundle of one function has, as `file: names`, by the program of this function. */
export function findSingles(folder: string, functions: Bundles, commands: Bundles): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync("shared/**/*.ts", { cwd: folder }).sort()) {
    const source = readFileSync(join(folder, file), "utf8");
    const names = [...source.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)];
    const users = Map.groupBy(names, ([, name = ""]) => holdersOf(functions, file, name).join());
    for (const [user, exported] of users) {
      const own = exported.filter(([, name = ""]) => holdersOf(commands, file, name).length === 0);
      if (user === "" || user.includes(",") || own.length === 0) continue;
      found.set(user, [...(found.get(user) ?? []), `${file}: ${own.map(([, name]) => name).join(", ")}`]);
    }
  }
  return found;
}

/** The programs in which an export is left. A name that two files declare has digits at its end in one of them. */
function holdersOf(bundles: Bundles, file: string, name: string): string[] {
  const declared = new RegExp(`^(?:async )?(?:function\\*?|var|let|const|class) ${name}\\d*\\b`, "m");
  return [...bundles].filter(([, code]) => declared.test(code.get(file) ?? "")).map(([program]) => program);
}

if (import.meta.main)
  await runCommand((parameters) => {
    const { values } = readArguments("check:residence", help, { args: parameters, options: { report: flagOption } });
    const outdir = makeTemporaryFolder("residence");
    writeEntries(outdir.path);
    const functions = readBundles(root, bundleOptions(outdir.path));
    outdir.remove();
    const misplaced = values.report ? [] : findMisplaced(root, functions);
    process.stdout.write(values.report ? reportOn(functions) : misplaced.map((sentence) => `${sentence}\n`).join(""));
    return Math.min(misplaced.length, 1);
  });

function reportOn(functions: Bundles): string {
  // invoke loads the functions themselves.
  const entryPoints = globSync(["infra/tools/*.ts", "infra/local/start.ts"], { cwd: root, exclude: ["**/invoke.ts"] });
  const commands = readBundles(root, {
    entryPoints,
    outdir: ".",
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const singles = [...findSingles(root, functions, commands)].sort();
  return singles.map(([program, files]) => `${program}\n${files.map((each) => `  ${each}\n`).join("")}`).join("");
}
