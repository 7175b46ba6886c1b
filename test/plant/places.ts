import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { createCompiler } from "./compiler.ts";
import { type Fault, faultsOf } from "./faults.ts";

/** The change that a fault makes: the lines that it touches, without indentation, and the same lines with the fault. */
interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** A fault at its place in a tree. */
export interface Place extends Fault, Change {
  readonly line: number;
}

const sources = "{shared,functions,infra}/**/*.ts";
/** A browser runs the page, and the gate `programs` tests it there; texts of the contract are for people, their examples too. */
const exclude = ["infra/local/desk/page/**", "infra/document/texts/**"];

/** Changes that no test can notice, because nobody could. */
export function readEquivalents(): readonly (Change & { readonly reason: string })[] {
  return JSON.parse(textOf(import.meta.dirname, "equivalent.json"));
}

/** Places in the seed's order, the kinds of faults by turns. Faults that TypeScript refuses and equivalent ones are left out. */
export function* choosePlaces(root: string, seed: string): Generator<Place> {
  const paths = globSync(sources, { cwd: root, exclude });
  const places = new Map(paths.flatMap((path) => placesOf(root, path)).map((place) => [idOf(place), place]));
  for (const equivalent of readEquivalents()) places.delete(idOf(equivalent));
  const orders = new Map([...places].map(([id, place]) => [digestOf(seed, id), place]));
  const shuffled = [...orders.keys()].toSorted().flatMap((order) => orders.get(order) ?? []);
  const compiles = createCompiler(root);
  const kinds = [...Map.groupBy(shuffled, ({ kind }) => kind).values()];
  for (const turn of shuffled.keys()) {
    for (const place of kinds.flatMap((own) => own[turn] ?? [])) {
      if (compiles(place.file, plantInto(textOf(root, place.file), [place]))) yield place;
    }
  }
}

/** A change's name: the same if only other lines of the file have changed. */
export function idOf({ file, before, after }: Change): string {
  return digestOf(file, before, after).slice(0, 16);
}

/** A text with faults that do not overlap. */
export function plantInto(source: string, faults: readonly Fault[]): string {
  const backwards = faults.toSorted((one, other) => other.start - one.start);
  return backwards.reduce(
    (planted, { start, end, text }) => planted.slice(0, start) + text + planted.slice(end),
    source,
  );
}

function placesOf(root: string, file: string): Place[] {
  const text = textOf(root, file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return faultsOf(source).map((fault) => {
    const [from, to] = [text.lastIndexOf("\n", fault.start - 1) + 1, text.indexOf("\n", fault.end)];
    const after = text.slice(from, fault.start) + fault.text + text.slice(fault.end, to);
    const line = source.getLineAndCharacterOfPosition(fault.start).line + 1;
    return { ...fault, file, line, before: onOneLine(text.slice(from, to)), after: onOneLine(after) };
  });
}

function textOf(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** A digest of texts. */
export function digestOf(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}
