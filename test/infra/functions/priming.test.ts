import { cpSync, mkdtempSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { primingStepsOf } from "../../../infra/functions/priming-steps.ts";
import { type HttpService, readBody, startHttpService } from "../../../infra/local/http-service.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { getKeySet } from "../../../shared/contract/service.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { builtBundles } from "../../support/service/made-stack.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { useService } from "../../support/service/service.ts";

useService();
/** The actions that were asked of the table. */
let actions: string[] = [];
/** Answers the next query instead of the table, or holds it back. */
let meet: ((answer: ServerResponse) => unknown) | undefined;

const admin = { id: 1, role: "admin", company_id: null } as const;
const bundles = await builtBundles();
const directory = newFolder();
const refused = JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException" });
let before: HttpService | undefined;

// A bundle has an SDK of its own, whose calls are met before the engine.
beforeAll(async () => {
  const engine = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "";
  before = await startHttpService(async (request, answer) => {
    const action = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    actions.push(action);
    const body = await readBody(request, 1_000_000);
    const headers = ["content-type", "x-amz-target", "authorization", "x-amz-date"];
    const sent = headers.map((name): [string, string] => [name, String(request.headers[name])]);
    const met = action === "Query" ? meet : undefined;
    meet = undefined;
    await met?.(answer);
    if (answer.writableEnded) return;
    const stored = await fetch(engine, { method: "POST", headers: sent, body: new Uint8Array(body ?? []) });
    answer.writeHead(stored.status, { "content-type": "application/x-amz-json-1.0" }).end(await stored.text());
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${before.port}`;
});
afterEach(() => {
  actions = [];
  loggedLines.length = 0;
});
afterAll(async () => {
  await before?.close();
});

/** Loads a function's bundle as a new environment does. */
async function startEnvironment(name: FunctionName): Promise<HttpHandler> {
  const folder = mkdtempSync(join(directory, name));
  cpSync(bundleFolder(bundles, name), folder, { recursive: true });
  const { handler } = await import(pathToFileURL(join(folder, "index.mjs")).href);
  return handler;
}

function warnings(): { message: string; step: string }[] {
  return loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
}

describe("a start", () => {
  test("reads the public keys, so that the first call verifies without asking for them", async () => {
    const handler = await startEnvironment("get-unread-counts");
    expect(actions.toSorted()).toEqual(["GetItem", "Query"]);
    expect((await call(handler, getUnreadCounts, { as: admin })).status).toBe(200);
    expect(actions.toSorted()).toEqual(["GetItem", "GetItem", "Query"]);
  });

  test("that cannot reach what it primes succeeds all the same, says so, and leaves it to the first call", async () => {
    meet = (answer) => answer.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(refused);
    const handler = await startEnvironment("list-invoices");
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "priming failed", step: "primeVerification" }),
    );
    expect((await call(handler, listInvoices, { as: admin })).status).toBe(200);
  });

  test("is delayed by priming for a second at most", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    meet = () => promise;
    const began = performance.now();
    const handler = await startEnvironment("get-key-set");
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(warnings()).toMatchObject([{ message: "priming took too long", step: "primePublicKeys" }]);
    release();
    expect((await call(handler, getKeySet)).status).toBe(200);
  });
});

test.each(Object.entries(functions))("%s primes only what its row lets it do", (_, row) => {
  const needed = {
    primeVerification: row.verifiesTokens,
    primePublicKeys: row.readsPublicKeys,
    primeTable: row.table?.includes("GetItem"),
    primeHmacKey: row.readsHmacKey,
    primeEdgeSecret: row.readsClientAddress,
    primeSigningKey: row.signsTokens,
  };
  for (const step of primingStepsOf(row)) expect(needed[step], step).toBe(true);
});

test("every operation that limits clients by their address knows the edge's secret before the first call", () => {
  const rows = Object.values(functions).filter((row) => "readsClientAddress" in row);
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(primingStepsOf(row)).toContain("primeEdgeSecret");
});

test("every operation that reads the table opens its connection before the first call", () => {
  const rows = operations.map(({ name }) => [name, functions[name as OperationName]] as const);
  const readers = rows.filter(([, { table = [], readsPublicKeys }]) => table.length > 0 || readsPublicKeys);
  expect(readers.length).toBeGreaterThan(10);
  expect(readers.filter(([, row]) => primingStepsOf(row).length === 0).map(([name]) => name)).toEqual([]);
});
