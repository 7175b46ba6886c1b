import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { parseAst } from "vitest/node";
import { root } from "../../../infra/support/root.ts";
import { entities } from "../../../shared/entities.ts";

/** What the tests read of a node of a file's syntax tree, as ESTree has it. */
interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly body: readonly Syntax[];
  readonly declaration: Syntax | null;
  readonly declarations?: readonly Syntax[];
  readonly specifiers: readonly { readonly exported: Syntax }[];
  readonly id: Syntax;
  readonly callee: Syntax;
  readonly typeAnnotation: { readonly typeName?: Syntax };
}

const treeOf = (file: string): Syntax =>
  parseAst(read(file), { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown as Syntax;

/** A part of a syntax tree, if it is a node, and all nodes below it. */
function nodesIn(part: unknown): Syntax[] {
  if (typeof part !== "object" || part === null) return [];
  const below = Object.values(part).flatMap(nodesIn);
  return "type" in part ? [part as Syntax, ...below] : below;
}

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
  return treeOf(file).body.flatMap(({ type, declaration, specifiers }) => {
    if (type !== "ExportNamedDeclaration") return [];
    if (!declaration) return specifiers.map(({ exported }) => exported.name);
    const declared = declaration.declarations ?? [declaration];
    // The names of a pattern; a type beside it names others.
    return declared.flatMap(({ id }) =>
      nodesIn({ ...id, typeAnnotation: null })
        .filter(isName)
        .map(({ name }) => name),
    );
  });
}

const isName = ({ type }: Syntax) => type === "Identifier";

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
  const text = read(file);
  const casts = nodesIn(treeOf(file)).filter(({ type, typeAnnotation, callee }) => {
    if (type === "TSAsExpression") return typeAnnotation.typeName?.name !== "const";
    if (type === "CallExpression") return ["Number", "String"].includes(callee.name);
    return type === "TSTypeAssertion" || type === "TSNonNullExpression";
  });
  return casts.map(({ start, end }) => `${file}:${text.slice(0, start).split("\n").length} ${text.slice(start, end)}`);
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
