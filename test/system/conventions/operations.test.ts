import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { functionFiles } from "../../support/service/function-files.ts";

const root = join(import.meta.dirname, "../../..");
const contractFiles = globSync("shared/contract/*.ts", { cwd: root });

test("every operation and worker has all its pieces", () => {
  expect(Object.entries(functions).flatMap(([name, { area }]) => missingPieces(name, area))).toEqual([]);
});

test("every contract entry is found: its file is an area of contract/operations.ts, which exports it", () => {
  const declared = contractFiles.flatMap((file) =>
    [...read(file).matchAll(/= operation\(\{\s+name: "([^"]+)"/g)].map(([, name = ""]) => ({ name, file })),
  );
  const found = new Set(operations.map(({ name }) => name));
  const forgotten = declared.filter(({ name }) => !found.has(name));
  const advice = ({ name, file }: { name: string; file: string }) =>
    `export ${name} from ${file}, and name that file in the areas of shared/contract/operations.ts`;
  expect(forgotten.map(advice)).toEqual([]);
  expect(declared).toHaveLength(operations.length);
});

test("an operation's contract entry stands in the file of its area", () => {
  const strays = operations.flatMap(({ name }) => {
    const file = `shared/contract/${areaOf(name)}.ts`;
    return read(file).includes(`name: "${name}"`) ? [] : [`move the contract entry of ${name} to ${file}`];
  });
  expect(strays).toEqual([]);
});

test("every row says in words of its own what people cannot do while the function fails", () => {
  const unsaid = Object.entries(functions).filter(([name, { impact }]) => impact.includes(`use ${name}`));
  expect(unsaid.map(([name]) => `say the impact of ${name} in its row in infra/functions/`)).toEqual([]);
});

test.each(operations)("the sample event of $name is one that API Gateway would send", ({
  name,
  method,
  path,
  access,
}) => {
  const file = `events/${areaOf(name)}/${name}.json`;
  const event: APIGatewayProxyEventV2 = JSON.parse(read(file));
  const { http, routeKey, requestId } = event.requestContext;
  expect(event.version).toBe("2.0");
  expect([event.routeKey, routeKey]).toEqual([`${method} ${path}`, `${method} ${path}`]);
  const address = path.replace(/\{(\w+)\}/g, (_, parameter) => String(event.pathParameters?.[parameter]));
  expect([http.method, http.path, event.rawPath]).toEqual([method, address, address]);
  expect(requestId).toBeTruthy();
  expect(Object.fromEntries(new URLSearchParams(event.rawQueryString))).toEqual(event.queryStringParameters ?? {});
  expect(event.headers.authorization).toBe(access === "anyone" ? undefined : "Bearer {{token}}");
  expect(Number(event.headers["content-length"] ?? 0)).toBe(Buffer.byteLength(event.body ?? ""));
});

test("no function, event or function's test is left over from an operation that is gone", () => {
  const files = [...functionFiles(), ...globSync(["events/*/*.json", "test/functions/*/*.test.ts"], { cwd: root })];
  const advice = files.flatMap((file) => {
    const name = basename(file).replace(/(\.test)?\.\w+$/, "");
    return Object.hasOwn(functions, name) ? [] : [`delete ${file}, or ${rowFor(name)}`];
  });
  expect(advice).toEqual([]);
});

function areaOf(name: string): string {
  if (!Object.hasOwn(functions, name)) throw new Error(rowFor(name));
  return functions[name as OperationName].area;
}

function rowFor(name: string): string {
  return `give ${name} a row in infra/functions/functions.ts: its area, user impact, callers and rights`;
}

function missingPieces(name: string, area: string): string[] {
  const pieces = {
    [`functions/${area}/${name}.ts`]: "holds its handler",
    [`events/${area}/${name}.json`]: "is the sample event that invoke and the tests run it on",
    [`test/functions/${area}/${name}.test.ts`]: "says what it guarantees",
  };
  const owned = functionFiles();
  const has = (file: string) => (file.startsWith("functions/") ? owned.includes(file) : existsSync(join(root, file)));
  const missing = Object.entries(pieces).filter(([file]) => !has(file));
  return missing.map(([file, purpose]) => `${name} lacks ${file}, which ${purpose}`);
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
