import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/support/root.ts";

/** The commands of a chapter, by default of the runbook; one text a block. */
export function shellBlocksOf(heading: string, page = runbookText()): string[] {
  const chapter = page.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`));
  if (chapter === undefined) throw new Error(`The page has no chapter ${heading}`);
  return blocksIn(chapter);
}

function blocksIn(page: string): string[] {
  return [...page.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = ""]) => block);
}

/** The runbook, as operators read it. */
export const runbookText = (): string => readPage("infra/RUNBOOK.md");

/** A page of the project, by its path in it. */
export const readPage = (path: string): string => readFileSync(join(root, path), "utf8");

/** The commands of AWS in a page: what is written as shell, each as the words that the shell would pass on. */
export function awsCommandsIn(page: string): string[][] {
  const inline = [...page.replaceAll(/```.*?```/gs, "").matchAll(/`([^`]*\baws\s[^`]*)`/g)].map(([, code = ""]) =>
    code.replaceAll(/\s*\n\s*/g, " "),
  );
  return [...blocksIn(page), ...inline].flatMap((text) => {
    const joined = text.replaceAll(/\\\n\s*/g, " ");
    return [...joined.matchAll(/(?<![\w/-])aws (?=[a-z0-9-]+ [a-z])/g)].map(({ index }) =>
      wordsFrom(joined.slice(index + 4)),
    );
  });
}

/** A number of as many characters as the shortest name in AWS has: it counts as text and as a number. */
const filledIn = "100";

/** The inside of parentheses, which may have parentheses in it. */
const inside = (depth: number): string => (depth === 0 ? "[^()]*" : `(?:[^()]|\\(${inside(depth - 1)}\\))*`);
/** A variable or a command that the shell fills in. */
const expansion = `\\$(?:\\w+|\\{[^}]*\\}|\\(${inside(4)}\\))`;
const quoted = `(?:${expansion}|\\\\.|[^"\\\\$]|\\$(?![\\w{(]))*`;
/** A piece of a word: between single or double quotes, filled in, or plain. */
const piece = `'([^']*)'|"(${quoted})"|${expansion}|[^\\s'"$|;&()<>]+`;

/** The words that the shell makes of the text of a command, up to its end, with the same for all that it would fill in. */
function wordsFrom(text: string): string[] {
  const [command = ""] = new RegExp(`^(?:${piece}| +)*`, "s").exec(text) ?? [];
  const words = command.match(new RegExp(`(?:${piece})+`, "gs")) ?? [];
  return words.map((word) =>
    word.replaceAll(new RegExp(piece, "gs"), (plain, single, double) => single ?? fillIn(double ?? plain)),
  );
}

function fillIn(text: string): string {
  return text.replaceAll(new RegExp(`${expansion}|\\\\(.)`, "gs"), (_, escaped = filledIn) => escaped);
}
