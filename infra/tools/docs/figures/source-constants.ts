import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

type Module = ReadonlyMap<string, ts.Expression | Imported>;

interface Imported {
  readonly from: string;
  readonly name: string;
}

/** Every number that the files name at their top level. Sources are read, as most constants are private to their module. */
export function readConstants(root: string, folders: readonly string[], leftOut: readonly string[]): Constant[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })).toSorted();
  const sources = new Sources(root);
  return files
    .filter((file) => !leftOut.some((each) => file.startsWith(each)))
    .flatMap((file) => sources.parse(file).statements.flatMap((statement) => constantsOf(statement, file, sources)));
}

function constantsOf(statement: ts.Statement, file: string, sources: Sources): Constant[] {
  if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) return [];
  const reason = commentOf(statement);
  return statement.declarationList.declarations
    .flatMap(declaredBy)
    .flatMap(({ name, value }) => rowsOf({ name, value, reason }, (each) => sources.evaluate(each, file)))
    .map((row) => ({ file, ...row }));
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

class Sources {
  readonly #root: string;
  readonly #parsed = new Map<string, ts.SourceFile>();
  readonly #modules = new Map<string, Module>();

  constructor(root: string) {
    this.#root = root;
  }

  parse(file: string): ts.SourceFile {
    const parsed =
      this.#parsed.get(file) ??
      ts.createSourceFile(file, readFileSync(join(this.#root, file), "utf8"), ts.ScriptTarget.Latest, true);
    this.#parsed.set(file, parsed);
    return parsed;
  }

  /** The number, text or table that an expression is; undefined if it takes more than arithmetic to know. */
  evaluate(expression: ts.Expression, file: string): unknown {
    const node = withoutType(expression);
    const of = (each: ts.Expression) => this.evaluate(each, file);
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isStringLiteral(node)) return node.text;
    if (ts.isBinaryExpression(node)) return calculate(of(node.left), node.operatorToken.getText(), of(node.right));
    if (ts.isArrayLiteralExpression(node)) return node.elements.map(of);
    if (ts.isIdentifier(node)) return this.#find(node.text, file);
    if (ts.isPropertyAccessExpression(node)) return memberOf(of(node.expression), node.name.text);
    if (ts.isObjectLiteralExpression(node)) {
      const members = node.properties.filter(ts.isPropertyAssignment);
      return Object.fromEntries(members.map((each) => [each.name.getText(), of(each.initializer)]));
    }
    return undefined;
  }

  #find(name: string, file: string): unknown {
    const found = this.#moduleOf(file).get(name);
    if (found === undefined) return undefined;
    return "from" in found ? this.#find(found.name, found.from) : this.evaluate(found, file);
  }

  #moduleOf(file: string): Module {
    const known = this.#modules.get(file);
    if (known) return known;
    const module = new Map(this.parse(file).statements.flatMap((each) => namesOf(each, file)));
    this.#modules.set(file, module);
    return module;
  }
}

function namesOf(statement: ts.Statement, file: string): [string, ts.Expression | Imported][] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(declaredBy).map(({ name, value }) => [name, value]);
  }
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
  const from = statement.moduleSpecifier.text;
  const bindings = statement.importClause?.namedBindings;
  if (!from.startsWith(".") || !/\.tsx?$/.test(from) || !bindings || !ts.isNamedImports(bindings)) return [];
  const path = join(dirname(file), from);
  return bindings.elements.map((each) => [each.name.text, { from: path, name: (each.propertyName ?? each.name).text }]);
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
