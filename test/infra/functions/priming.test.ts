import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { primingStepsOf } from "../../../infra/functions/priming-steps.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { getKeySet } from "../../../shared/contract/service.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { builtBundles } from "../../support/service/made-stack.ts";
import { useService } from "../../support/service/service.ts";

useService();
const table = useFaultProxy();

const admin = { id: 1, role: "admin", company_id: null } as const;
const bundles = await builtBundles();
const directory = mkdtempSync(join(tmpdir(), "workforce-priming-"));
const refused = { status: 400, body: { __type: "com.amazon.coral.service#AccessDeniedException" } };

afterEach(() => {
  table.reset();
  loggedLines.length = 0;
});
afterAll(() => rmSync(directory, { recursive: true }));

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
    expect(Object.fromEntries(table.calls)).toEqual({ Query: 1, GetItem: 1 });
    expect((await call(handler, getUnreadCounts, { as: admin })).status).toBe(200);
    expect(Object.fromEntries(table.calls)).toEqual({ Query: 1, GetItem: 2 });
  });

  test("that cannot reach what it primes succeeds all the same, says so, and leaves it to the first call", async () => {
    table.fail("Query", refused, 1);
    const handler = await startEnvironment("list-invoices");
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "priming failed", step: "primeVerification" }),
    );
    expect((await call(handler, listInvoices, { as: admin })).status).toBe(200);
  });

  test("is delayed by priming for a second at most", async () => {
    const release = table.hold("Query");
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
