import { globSync } from "node:fs";
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
  const paths = files.map((file) => join(root, file));
  const program = ts.createProgram(paths, { noResolve: true, noLib: true, types: [] });
  const checker = program.getTypeChecker();
  return files
    .filter((file) => !leftOut.some((each) => file.startsWith(each)))
    .flatMap((file) => {
      const { statements = [] } = program.getSourceFile(join(root, file)) ?? {};
      return statements.flatMap((statement) => constantsOf(statement, checker)).map((row) => ({ file, ...row }));
    });
}

function constantsOf(statement: ts.Statement, checker: ts.TypeChecker): Omit<Constant, "file">[] {
  if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) return [];
  const reason = commentOf(statement);
  return statement.declarationList.declarations
    .flatMap(declaredBy)
    .flatMap(({ name, value }) => rowsOf({ name, value, reason }, (each) => evaluate(each, checker)));
}

interface Row {
  readonly name: string;
  readonly value: ts.Expression;
  readonly reason: string;
}

/** The lines of a constant: one for a number, one for each object of a table that has numbers. */
function rowsOf({ name, value, reason }: Row, evaluate: (node: ts.Expression) => unknown): Omit<Constant, "file">[] {
  const node = withoutType(value);
  if (!ts.isObjectLiteralExpression(node)) {
    const found = evaluate(node);
    return isFigure(found) ? [{ name, values: { "": found }, reason }] : [];
  }
  const members = node.properties.filter(ts.isPropertyAssignment).map((each) => ({
    name: each.name.getText(),
    value: each.initializer,
    comment: commentOf(each),
  }));
  const values = members.map((each) => [each.name, evaluate(each.value), each.comment] as const);
  const figures = values.filter(([key, each]) => isFigure(each) && key !== "status");
  const words = values.filter(([, each]) => typeof each === "string" && /^[a-z]+$/.test(each));
  const shown = values.filter((each) => figures.includes(each) || words.includes(each));
  const comments = [reason, ...figures.map(([, , comment]) => comment)].filter((each) => each !== "");
  const inner = members.flatMap((each) =>
    ts.isObjectLiteralExpression(withoutType(each.value))
      ? rowsOf({ name: `${name}.${each.name}`, value: each.value, reason: each.comment || reason }, evaluate)
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

/** The number, text or table that an expression is; undefined if it takes more than arithmetic to know. */
function evaluate(expression: ts.Expression, checker: ts.TypeChecker): unknown {
  const node = withoutType(expression);
  const of = (each: ts.Expression) => evaluate(each, checker);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isStringLiteral(node)) return node.text;
  if (ts.isBinaryExpression(node)) return calculate(of(node.left), node.operatorToken.getText(), of(node.right));
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(of);
  if (ts.isPropertyAccessExpression(node)) return memberOf(of(node.expression), node.name.text);
  if (ts.isObjectLiteralExpression(node)) {
    const members = node.properties.filter(ts.isPropertyAssignment);
    return Object.fromEntries(members.map((each) => [each.name.getText(), of(each.initializer)]));
  }
  const named = ts.isIdentifier(node) && namedBy(node, checker);
  return named ? of(named) : undefined;
}

/** The expression that a name has, in this file or another. */
function namedBy(node: ts.Identifier, checker: ts.TypeChecker): ts.Expression | undefined {
  const found = checker.getSymbolAtLocation(node);
  const symbol = found && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  const declaration = ts.findAncestor(symbol?.valueDeclaration, ts.isVariableDeclaration);
  return declaration && declaredBy(declaration).find(({ name }) => name === symbol?.name)?.value;
}

function withoutType(node: ts.Expression): ts.Expression {
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return withoutType(node.expression);
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

function memberOf(table: unknown, name: string): unknown {
  return typeof table === "object" && table !== null ? Reflect.get(table, name) : undefined;
}

function isFigure(value: unknown): value is number | readonly number[] {
  const isNumber = (each: unknown) => typeof each === "number" && !Number.isNaN(each);
  return Array.isArray(value) ? value.length > 0 && value.every(isNumber) : isNumber(value);
}

function commentOf(node: ts.Node): string {
  const text = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node).at(-1)?.comment) ?? "";
  return text.replaceAll(/\s+/g, " ").trim();
}
