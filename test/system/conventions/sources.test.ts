import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { entities } from "../../../shared/entities.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

test("pauses and their jitter are made in one place", () => {
  const files = globSync("{functions,shared}/**/*.ts", { cwd: root });
  const making = files.filter((file) => {
    return /Math\.random|new Promise\(\(resume\) => setTimeout/.test(read(file));
  });
  expect(making).toEqual(["shared/run/backoff.ts"]);
});

/** Their files have the name of an operation, of the contract's entry that they describe, of what is provisioned, of a command. */
const namedAfter = [/^functions\//, /^infra\/document\/texts\//, /^infra\/constructs\//, /^infra\/tools\/[^/]+$/];
/** The contract's entry of a noun and its stored items share the noun's name. */
const ofNouns = [/^shared\/contract\/[^/]+$/, /^shared\/(?!contract\/)\w+\//];

test("no two files have one name, except by a convention", () => {
  const files = globSync("{functions,infra,shared}/**/*.{ts,tsx}", { cwd: root });
  const own = files.filter((file) => !namedAfter.some((folder) => folder.test(file)));
  const byName = Map.groupBy(own, (file) => basename(file));
  const repeated = [...byName.values()].filter((group) => group.length > 1 && !isNoun(group));
  expect(own.length).toBeGreaterThan(250);
  expect(repeated).toEqual([]);
});

function isNoun(group: readonly string[]): boolean {
  return group.length === 2 && ofNouns.every((folder) => group.some((file) => folder.test(file)));
}

/** The names that a file exports, those that it passes on among them. */
function exportsOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [];
    }
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
    return isExported ? declaredBy(statement) : [];
  });
}

const isExport = ({ kind }: ts.Modifier) => kind === ts.SyntaxKind.ExportKeyword;

function declaredBy(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  }
  const { name } = statement as { readonly name?: ts.Identifier };
  return name ? [name.text] : [];
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

const clientPackage = "shared/client/";

test("no two exports have one name, except the handlers of operations and workers", () => {
  const sources = globSync("{functions,infra,shared}/**/*.{ts,tsx}", { cwd: root });
  const exported = sources
    // Its own users import it from its index, which passes names on.
    .filter((file) => !file.startsWith(clientPackage))
    .flatMap((file) => [...new Set(exportsOf(file))].map((name) => ({ file, name })));
  const handlers = exported.filter(({ name }) => name === "handler");
  expect(exported.length).toBeGreaterThan(1_000);
  expect(handlers.map(({ file }) => file).filter((file) => !file.startsWith("functions/"))).toEqual([]);
  const byName = Map.groupBy(
    exported.filter(({ name }) => name !== "handler"),
    ({ name }) => name,
  );
  const repeated = [...byName].filter(([, places]) => places.length > 1);
  expect(
    repeated.map(([name, places]) => {
      return `${name} is exported by ${places.map(({ file }) => file).join(" and ")}: give each a name of its own`;
    }),
  ).toEqual([]);
}, 60_000);

/** Files that cast and are no entity's module: what they cast is a key, a stamp, an error, a line that comes in, or decoded already. */
const exceptions: readonly string[] = [
  "shared/table/table.ts",
  "shared/table/entity.ts",
  "shared/table/retry.ts",
  "shared/table/plans.ts",
  "shared/records/merge.ts",
  "functions/workers/outbound-events.ts",
  "functions/changes/find-changes.ts",
];

/** The type assertions of a file, but for `as const`, and its calls of Number() and String(), by line. */
function castsOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (node: ts.Node) =>
    found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText()}`);
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && node.type.getText() !== "const") add(node);
    if (ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)) add(node);
    if (ts.isCallExpression(node) && ["Number", "String"].includes(node.expression.getText())) add(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function declaresEntity(file: string): boolean {
  return /\bdefineEntity[<(]/.test(read(file).replaceAll(/function defineEntity/g, ""));
}

/** The files that see stored values. */
const files = globSync("{functions,shared}/*/*.ts", { cwd: root }).filter((file) => {
  return file.startsWith("shared/table/") || /from "[^"]*\/table\//.test(read(file));
});

test("a stored value is cast in the module of its entity and nowhere else", () => {
  const others = files.filter((file) => !declaresEntity(file) && !exceptions.includes(file));
  expect(others.length).toBeGreaterThan(20);
  expect(others.flatMap(castsOf)).toEqual([]);
});

test("every exception still is one", () => {
  const unused = exceptions.filter((file) => !files.includes(file) || castsOf(file).length === 0);
  expect(unused).toEqual([]);
});

test("every kind of item is registered: else it is never decoded, exported or forgotten", () => {
  const known = new Set(entities.map(({ name }) => name));
  const sources = globSync("{functions,shared}/**/*.ts", { cwd: root }).filter(declaresEntity);
  const declared = sources.flatMap((file) =>
    [...read(file).matchAll(/\bdefineEntity(?:<[^()]*>)?\(\s*"([^"]+)"/g)].map(([, name = ""]) => ({ name, file })),
  );
  const missing = declared.filter(({ name }) => !known.has(name));
  const advice = missing.map(({ name, file }) => `name the entity "${name}" of ${file} in shared/entities.ts`);
  expect(advice).toEqual([]);
  expect(declared).toHaveLength(known.size);
});
