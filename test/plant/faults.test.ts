import ts from "typescript";
import { expect, test } from "vitest";
import { faultsOf } from "./faults.ts";
import { plantInto } from "./places.ts";

/** Each text that a fault makes of a source. */
function planted(text: string, kind?: string): string[] {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const faults = faultsOf(source).filter((fault) => kind === undefined || fault.kind === kind);
  return faults.map((fault) => plantInto(text, [fault]));
}

test.each([
  ["comparison", "a < b", ["a <= b"]],
  ["comparison", "a >= b", ["a > b"]],
  ["comparison", "a === b", ["a !== b"]],
  ["comparison", "!a", ["a"]],
  ["comparison", 'f("n < :most")', ['f("n <= :most")']],
  ["figure", "0", ["1"]],
  ["figure", "15", ["30"]],
  ["figure", "60_000", ["120000"]],
  ["figure", "a - b", ["a + b"]],
  ["figure", "Math.max(a, b)", ["Math.min(a, b)"]],
  ["figure", "a + 1", ["a - 1", "a + 2"]],
  ["condition", "a && b", ["a", "b"]],
  ["condition", "a || b", ["a", "b"]],
  ["condition", "a.some(b)", ["a.every(b)"]],
  ["condition", "a.filter(b).length", ["a.length"]],
  ["condition", "allOf(a, b)", ["allOf(a)"]],
  ["condition", "f({ a, ConditionExpression: b })", ["f({ a, ...{} })"]],
  ["condition", "f(true)", ["f(false)"]],
  ["await", "await a()", ["a()"]],
  ["await", "await Promise.all(a);", []],
  ["await", "function a() {} await a(); await a().b();", ["function a() {} await a(); a().b();"]],
  ["await", 'import a from "./a"; await a(); b = await a();', ['import a from "./a"; await a(); b = a();']],
  ["branch", "if (a) b();", ["{}", "if (a) ;"]],
  ["branch", "if (a) b; else c;", ["c;"]],
  ["branch", "a ? b : c", ["b", "c"]],
  ["branch", "a ?? b", ["a"]],
  ["branch", "a();", [";"]],
  ["branch", "a.destroy();", []],
  [
    "branch",
    "switch (a) { case 1: b; case 2: case 3: c; }",
    ["switch (a) {  case 2: case 3: c; }", "switch (a) { case 1: b; case 2:  }"],
  ],
  ["order", "await a(); b();", ["b(); await a();"]],
  ["order", "a(); b(async () => await c());", []],
  ["order", "if (a) throw b; if (c) throw d;", ["if (c) throw d; if (a) throw b;"]],
  ["order", 'if (a === "b") return; if (a === "d") return;', []],
  ["order", "if (ts.isBlock(a)) return; if (ts.isCall(a)) return;", []],
  ["order", "a.toSorted(b)[0]", ["a[0]"]],
])("%s: %s", (kind, text, texts) => {
  expect(planted(text, kind)).toEqual(texts);
});

test.each([
  ["a text", 'const a = "b > c 12";'],
  ["a log line", 'log("info", a ? b : c, { d: 1 });'],
  ["what a tool prints", "process.stdout.write(a && b);"],
  ["a message of an error", "throw new UsageError(a > 1 ? b : c);"],
  ["a choice of words", 'const a = b ? "c" : "d";'],
  ["a type", "type A = 1 | 2; let a: A[1];"],
])("%s is left alone", (_, text) => {
  expect(planted(text)).toEqual([]);
});
