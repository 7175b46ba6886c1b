import { cpSync, mkdtempSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { primingStepsOf } from "../../../infra/functions/entries.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { type HttpService, readBody, startHttpService } from "../../../infra/runtime/http-service.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { getKeySet } from "../../../shared/contract/service.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { builtBundles } from "../../support/service/made-stack.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { useService } from "../../support/service/service.ts";

useService();
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

  test("waits only so long for what it primes, says so, and leaves it to the first call", async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    meet = () => promise;
    const handler = await startEnvironment("get-key-set");
    expect(warnings()).toMatchObject([{ message: "priming took too long", step: "primePublicKeys" }]);
    release();
    expect((await call(handler, getKeySet)).status).toBe(200);
  });
});

test("a start prepares all that a first call would wait for, and none for a worker, which nobody waits for", () => {
  expect(primingStepsOf(functions["sign-in"]).toSorted()).toEqual([
    "primeEdgeSecret",
    "primeHmacKey",
    "primeSigningKey",
    "primeTable",
  ]);
  expect(primingStepsOf(functions["get-profile"])).toEqual(["primeVerification", "primeTable"]);
  expect(primingStepsOf(functions["get-key-set"])).toEqual(["primePublicKeys"]);
  expect(primingStepsOf(functions["deliver-pin"])).toEqual([]);
});
