import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A number that a source file names, or the numbers of a table there, and the doc comment above it. */
export interface Constant {
  readonly file: string;
  /** Such as `leaseSeconds`, or `paces.bulk` for a line of a table. */
  readonly name: string;
  /** The numbers, and the words beside them in a table, by their names there; a constant's own number has the name "". */
  readonly values: Readonly<Record<string, Value>>;
  readonly reason: string;
}

type Value = number | string | readonly number[];

/** Every number that the files name at their top level. Sources are read, as most constants are private to their module. */
export function readConstants(root: string, folders: readonly string[], leftOut: readonly string[]): Constant[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })).toSorted();
  return files
    .filter((file) => !leftOut.some((each) => file.startsWith(each)))
    .flatMap((file) => constantsOf(file, readFileSync(join(root, file), "utf8")));
}

function constantsOf(file: string, text: string): Constant[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const rows = statements
    .filter(ts.isVariableStatement)
    .filter(({ declarationList }) => declarationList.flags & ts.NodeFlags.Const)
    .flatMap((each) =>
      each.declarationList.declarations.flatMap(declaredBy).map((row) => ({ ...row, reason: commentOf(each) })),
    );
  const known = new Map(rows.map(({ name, value }) => [name, value]));
  return rows.flatMap((row) => rowsOf(row, known)).map((row) => ({ file, ...row }));
}

interface Row {
  readonly name: string;
  readonly value: ts.Expression;
  readonly reason: string;
}

/** The lines of a constant: one for a number, one for each object of a table that has numbers. */
function rowsOf({ name, value: given, reason }: Row, known: Known): Omit<Constant, "file">[] {
  const node = withoutType(given);
  if (!ts.isObjectLiteralExpression(node)) {
    const found = evaluate(node, known);
    const value = isFigure(found) ? found : termOf(node);
    return value === undefined ? [] : [{ name, values: { "": value }, reason }];
  }
  const members = node.properties.filter(ts.isPropertyAssignment).map((each) => ({
    name: each.name.getText(),
    value: each.initializer,
    comment: commentOf(each),
  }));
  const values = members.map((each) => [each.name, evaluate(each.value, known), each.comment] as const);
  const figures = values.filter(([key, each]) => isFigure(each) && key !== "status");
  const words = values.filter(([, each]) => typeof each === "string" && /^[a-z]+$/.test(each));
  const shown = values.filter((each) => figures.includes(each) || words.includes(each));
  const comments = [reason, ...figures.map(([, , comment]) => comment)].filter((each) => each !== "");
  const inner = members.flatMap((each) =>
    ts.isObjectLiteralExpression(withoutType(each.value))
      ? rowsOf({ name: `${name}.${each.name}`, value: each.value, reason: each.comment || reason }, known)
      : [],
  );
  if (figures.length === 0) return inner;
  const own = Object.fromEntries(shown.map(([key, each]) => [key, each as Value]));
  return [{ name, values: own, reason: comments.join(" ") }, ...inner];
}

/** The names that a declaration gives, `const [a, b] = [1, 2]` being two of them. */
function declaredBy({ name, initializer }: ts.VariableDeclaration): { name: string; value: ts.Expression }[] {
  if (initializer === undefined) return [];
  if (ts.isIdentifier(name)) return [{ name: name.text, value: initializer }];
  const list = withoutType(initializer);
  if (!ts.isArrayBindingPattern(name) || !ts.isArrayLiteralExpression(list)) return [];
  return name.elements.flatMap((each, at) => {
    const value = list.elements[at];
    return value && ts.isBindingElement(each) ? [{ name: each.name.getText(), value }] : [];
  });
}

type Known = ReadonlyMap<string, ts.Expression>;

/** The number, text or list that an expression is; undefined if it takes more than the arithmetic of one file to know. */
function evaluate(expression: ts.Expression, known: Known): unknown {
  const node = withoutType(expression);
  const of = (each: ts.Expression) => evaluate(each, known);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isBinaryExpression(node)) return calculate(of(node.left), node.operatorToken.getText(), of(node.right));
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(of);
  const named = ts.isIdentifier(node) && known.get(node.text);
  return named ? of(named) : undefined;
}

/** The term itself of a product or sum with a figure of another file. */
function termOf(node: ts.Expression): string | undefined {
  if (!ts.isBinaryExpression(node) || !/^[-+*/]$/.test(node.operatorToken.getText())) return undefined;
  return [node.left, node.right].some(ts.isNumericLiteral) ? node.getText() : undefined;
}

function withoutType(node: ts.Expression): ts.Expression {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
    return withoutType(node.expression);
  return node;
}

function calculate(left: unknown, operator: string, right: unknown): number | undefined {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  const operators: Readonly<Record<string, number>> = {
    "+": left + right,
    "-": left - right,
    "*": left * right,
    "/": left / right,
    "**": left ** right,
  };
  return operators[operator];
}

function isFigure(value: unknown): value is number | readonly number[] {
  const isNumber = (each: unknown) => typeof each === "number" && !Number.isNaN(each);
  return Array.isArray(value) ? value.length > 0 && value.every(isNumber) : isNumber(value);
}

function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comments.at(-1)?.comment) ?? "";
  return text.replaceAll(/\s+/g, " ").trim();
}
