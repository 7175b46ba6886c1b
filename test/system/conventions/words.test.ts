import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { bannedWords, type WordException, wordExceptions } from "./word-list.ts";

const root = join(import.meta.dirname, "../../..");
const ownFiles = ["test/system/conventions/word-list.ts", "test/system/conventions/words.test.ts"];

const files = [
  ...globSync("{functions,shared,infra,test,events}/**/*.{ts,md,json,py,cjs}", { cwd: root }),
  ...globSync(["*.md", ".github/*.md", "*.json", ".*.cjs", ".*.json*"], { cwd: root }),
].filter((file) => !ownFiles.includes(file) && file !== "package-lock.json" && !file.includes("node_modules/"));

// A file's name counts as its line 0.
const found = files.flatMap((file) =>
  [file, ...readFileSync(join(root, file), "utf8").split("\n")].flatMap((line, at) =>
    bannedIn(line).map((banned) => ({ file, line, at, ...banned })),
  ),
);

test("no document, help text, comment or name uses a word that has a standard term", () => {
  const wrong = found.filter((each) => !wordExceptions.some((exception) => allows(exception, each)));
  expect(wrong.map(({ file, at, word, use }) => `${file}:${at}: not "${word}", use: ${use}`)).toEqual([]);
});

test("no exception is left over", () => {
  const unused = wordExceptions.filter((exception) => !found.some((each) => allows(exception, each)));
  expect(unused.map(({ files, text }) => `${files} ${text ?? ""}`)).toEqual([]);
});

function bannedIn(line: string): { word: string; use: string }[] {
  // An identifier is read as its words; a hyphen stays what it is.
  const words = line
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return bannedWords.flatMap(({ pattern, use }) => {
    const word = pattern.exec(words)?.[0];
    return word === undefined ? [] : [{ word, use }];
  });
}

function allows({ files, text }: WordException, { file, line }: { file: string; line: string }): boolean {
  return matchesGlob(file, files) && (text?.test(line) ?? true);
}
