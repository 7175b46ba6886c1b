import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { readers } from "../readers.ts";

/** `npm test` leaves them out, or they read what all others have recorded. */
const exclude = ["test/system/{programs,journeys,deploy,runtime,lint,document,rights}/**", "test/bench/**"];
/** A test of the source's name and folders comes before one that imports it so many steps nearer. */
const namesake = 4;

/** Orders the test files that may notice a fault of a source: the one that mirrors it, then those that import it nearest. */
export function createTestFinder(root: string): (source: string) => string[] {
  const files = globSync("{shared,functions,infra,test}/**/*.ts", { cwd: root, exclude });
  const importers = Map.groupBy(
    files.flatMap((file) => importsOf(root, file, files).map((imported) => ({ file, imported }))),
    ({ imported }) => imported,
  );
  return (source) => {
    const distances = new Map([[source, 0]]);
    for (const [file, distance] of distances) {
      for (const importer of importers.get(file) ?? []) {
        if (!distances.has(importer.file)) distances.set(importer.file, distance + 1);
      }
    }
    const rankOf = (test: string) => (distances.get(test) ?? 0) - namesake * likeness(source, test);
    return [...distances.keys()]
      .filter((file) => file.endsWith(".test.ts"))
      .toSorted((one, other) => rankOf(one) - rankOf(other));
  };
}

/** The files that a file imports, and those that it reads by their paths. */
function importsOf(root: string, file: string, files: readonly string[]): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"));
  const imported = importedFiles.map(({ fileName }) => join(dirname(file), fileName));
  const read = readers.flatMap(([read, by]) => (by.includes(file) ? files.filter((each) => read.test(each)) : []));
  return [...imported, ...read];
}

/** Between 0 and 1: the share of the names in the test's path that are in the source's too, in any place. */
function likeness(source: string, test: string): number {
  const [, ...names] = test.replace(/\.test\.ts$/, "").split("/");
  const own = source.replace(/\.ts$/, "").split("/");
  return names.filter((name) => own.includes(name)).length / names.length;
}
