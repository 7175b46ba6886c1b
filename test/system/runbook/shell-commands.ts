import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/local/stack/synthesis.ts";

/** The commands of a chapter of the runbook; one text a block. */
export function shellBlocksOf(heading: string): string[] {
  const chapter = runbookText()
    .split(/^#+ /m)
    .find((each) => each.startsWith(`${heading}\n`));
  if (chapter === undefined) throw new Error(`The runbook has no chapter ${heading}`);
  return [...chapter.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = ""]) => block);
}

/** The runbook, as operators read it. */
export const runbookText = (): string => readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");

/** The commands of AWS in a page: what is written as shell, each as the words that the shell would pass on. */
export function awsCommandsIn(page: string): string[][] {
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = ""]) => block);
  const inline = [...page.replaceAll(/```.*?```/gs, "").matchAll(/`([^`]*\baws [^`]*)`/g)].map(([, code = ""]) =>
    code.replaceAll(/\s*\n\s*/g, " "),
  );
  return [...blocks, ...inline].flatMap((text) => {
    const joined = text.replaceAll(/\\\n\s*/g, " ");
    return [...joined.matchAll(/(?<![\w/-])aws (?=[a-z0-9-]+ [a-z])/g)].map(({ index }) =>
      wordsFrom(joined.slice(index + 4)),
    );
  });
}

/** A number of as many characters as the shortest name in AWS has: it counts as text and as a number. */
const filledIn = "100";

/** The words that the shell makes of the text of a command, up to its end, with the same for all that it would fill in. */
function wordsFrom(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const piece = readPiece(rest);
    if (piece) {
      word = (word ?? "") + piece.value;
      at += piece.length;
    } else if (/^[ \n]/.test(rest)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      if (rest.startsWith("\n")) return words;
      at += 1;
    } else break;
  }
  return word === undefined ? words : [...words, word];
}

/** A piece of a word at the start of a text: quoted, filled in or plain; undefined where a word or the command ends. */
function readPiece(text: string): { value: string; length: number } | undefined {
  const filled = readExpansion(text);
  if (filled) return { value: filledIn, length: filled };
  const [single] = /^'[^']*'/.exec(text) ?? [];
  if (single !== undefined) return { value: single.slice(1, -1), length: single.length };
  if (text.startsWith('"')) return readQuoted(text);
  const [plain] = /^[^\s'"$|;&()<>]+/.exec(text) ?? [];
  return plain === undefined ? undefined : { value: plain, length: plain.length };
}

function readQuoted(text: string): { value: string; length: number } {
  let value = "";
  let at = 1;
  while (at < text.length && text[at] !== '"') {
    const length = readExpansion(text.slice(at));
    if (text[at] === "\\") {
      value += text[at + 1] ?? "";
      at += 2;
    } else if (length) {
      value += filledIn;
      at += length;
    } else {
      value += text[at] ?? "";
      at += 1;
    }
  }
  return { value, length: at + 1 };
}

/** The length of a variable or a command that the shell fills in at the start of a text; 0 where there is none. */
function readExpansion(text: string): number {
  const [variable = ""] = /^\$(?:\w+|\{[^}]*\})/.exec(text) ?? [];
  if (variable || !text.startsWith("$(")) return variable.length;
  let depth = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
