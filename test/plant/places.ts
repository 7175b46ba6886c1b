import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import ts from "typescript";
import { createCompiler } from "./compiler.ts";
import { type Fault, faultsOf, kinds } from "./faults.ts";

/** The change that a fault makes: the lines that it touches, without indentation, and the same lines with the fault. */
export interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** A fault at its place in a tree. */
export interface Place extends Fault, Change {
  readonly line: number;
}

/** The choice of places in a tree. */
export interface Choice {
  readonly root: string;
  readonly seed: string;
  /** A pattern of paths. */
  readonly files: string;
}

/** A change that nobody could notice, and the reason. */
export interface Equivalent extends Change {
  readonly reason: string;
}

const sources = "{shared,functions,infra}/**/*.ts";
/** A browser runs it, and the gate `programs` tests it there. */
const exclude = ["infra/local/desk/page/**"];

/** Changes that no test can notice, because nobody could. */
export function readEquivalents(): readonly Equivalent[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"));
}

/**
 * Places in the order that the seed gives them, the kinds of faults by turns. Faults that TypeScript refuses and equivalent
 * ones are left out.
 */
export function* choosePlaces({ root, seed, files }: Choice): Generator<Place> {
  const paths = globSync(sources, { cwd: root, exclude }).filter((path) => matchesGlob(path, files));
  const places = new Map(paths.flatMap((path) => placesOf(root, path)).map((place) => [idOf(place), place]));
  for (const equivalent of readEquivalents()) places.delete(idOf(equivalent));
  const shuffled = [...places]
    .map(([id, place]) => ({ place, order: digest(seed, id) }))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1))
    .map(({ place }) => place);
  const compiles = createCompiler(root);
  const isFault = (place: Place) => compiles({ ...place, text: plantInto(textOf(root, place.file), [place]) });
  const turns = new Set(kinds.map((kind) => shuffled.filter((place) => place.kind === kind).values()));
  while (turns.size > 0) {
    for (const turn of turns) {
      let next = turn.next();
      while (!next.done && !isFault(next.value)) next = turn.next();
      if (next.done) turns.delete(turn);
      else yield next.value;
    }
  }
}

/** A change's name: the same if only other lines of the file have changed. */
export function idOf({ file, before, after }: Change): string {
  return digest(file, before, after).slice(0, 16);
}

/** A text with faults that do not overlap. */
export function plantInto(text: string, faults: readonly Fault[]): string {
  const backwards = faults.toSorted((one, other) => other.start - one.start);
  return backwards.reduce(
    (planted, fault) => planted.slice(0, fault.start) + fault.text + planted.slice(fault.end),
    text,
  );
}

function placesOf(root: string, file: string): Place[] {
  const text = textOf(root, file);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return faultsOf(source).map((fault) => {
    const from = text.lastIndexOf("\n", fault.start - 1) + 1;
    const to = text.indexOf("\n", fault.end);
    const [before, after] = [
      text.slice(from, to),
      text.slice(from, fault.start) + fault.text + text.slice(fault.end, to),
    ];
    const line = source.getLineAndCharacterOfPosition(fault.start).line + 1;
    return { ...fault, file, line, before: onOneLine(before), after: onOneLine(after) };
  });
}

function textOf(root: string, file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

function digest(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}
