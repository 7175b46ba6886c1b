import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, test, vi } from "vitest";
import { lastTransactionMs } from "../../../functions/notifications/mark-notifications.ts";
import { timeoutSecondsOf } from "../../../infra/constructs/compute/service-function.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { startHttpService } from "../../../infra/runtime/http-service.ts";
import { callLimits, limitedBy } from "../../../shared/run/call-limits.ts";

/** Pauses of the SDK between the attempts of a call whose connection fails: up to 50 ms, then 100 ms. */
const pausesMs = 150;
/** Hashing a password, and what the function does itself. */
const ownMs = 1_000;

interface Calls extends Readonly<Partial<Record<keyof typeof callLimits, number>>> {
  readonly beginsAtMs?: number;
}

/** The most calls that a function without a row makes one after the other, when no race is lost. */
const usual: Calls = { table: 8, secret: 1 };

/**
 * The same for the other functions. Functions that go on from page to page as long as they have time are named with the
 * calls of their last page, and with the time at which it begins.
 */
const rows: Readonly<Partial<Record<FunctionName, Calls>>> = {
  // A broad search: three counts, two pages of entries, five of rows, and the invoices that are shown.
  "list-invoices": { table: 12 },
  "undo-change": { table: 10, secret: 1 },
  "request-password-reset": { table: 5, secret: 1, requestQueue: 1 },
  "mark-notifications": { table: 2, beginsAtMs: 29_000 - lastTransactionMs },
  "sign-in": { table: 6, secret: 2 },
  "refresh-token": { table: 6, secret: 2 },
  "set-password": { table: 4, requestQueue: 1 },
  "register-user": { table: 3, secret: 1, requestQueue: 1 },
  "deliver-pin": { table: 10, secret: 2, message: 1 },
  "notify-password-changed": { table: 3, message: 1 },
  "keep-history": { table: 25, workerQueue: 1 },
  notify: { workerQueue: 8 },
  "send-events": { outboundBus: 4 },
  "deliver-notifications": { table: 11, workerQueue: 4 },
  "send-pushes": { table: 5, message: 5 },
  intake: { table: 8, workerQueue: 4 },
  "mark-overdue": { table: 3, beginsAtMs: 600_000 },
  // Its pause, and the calls for ten shards.
  "rotate-signing-key": { table: 3, secret: 2 },
};

const names = Object.keys(functions) as FunctionName[];

test.each(names)("%s has time for each call in a row with all of its attempts", (name) => {
  const { beginsAtMs = 0, ...calls } = rows[name] ?? usual;
  const longest = Object.entries(calls).reduce((sum, [kind, count]) => {
    const { attemptMs, attempts } = callLimits[kind as keyof typeof callLimits];
    return sum + count * (attemptMs * attempts + (attempts > 1 ? pausesMs : 0));
  }, beginsAtMs + ownMs);
  expect(longest).toBeLessThanOrEqual(timeoutSecondsOf(functions[name]) * 1_000);
});

test("what a worker sends is tried once by the SDK, as its queue repeats it", () => {
  expect([callLimits.workerQueue.attempts, callLimits.message.attempts]).toEqual([1, 1]);
});

function placeOf({ port }: { readonly port: number }) {
  const credentials = { accessKeyId: "made-up", secretAccessKey: "made-up" };
  return { endpoint: `http://127.0.0.1:${port}`, region: "eu-west-2", credentials };
}

test("a call that gets no answer ends by itself, after its attempts", async () => {
  let asked = 0;
  const hanging = await startHttpService(() => {
    asked += 1;
  });
  const client = new DynamoDBClient({ ...placeOf(hanging), ...limitedBy({ attemptMs: 100, attempts: 2 }) });
  await expect(client.send(new ListTablesCommand())).rejects.toThrow(/timed? ?out|did not/i);
  expect(asked).toBe(2);
  client.destroy();
  await hanging.close();
});

test("where the table may be away for seconds, each of many calls has all its attempts, whatever the others needed", async () => {
  vi.stubEnv("CALL_ATTEMPTS", "5");
  const gone = await startHttpService(() => {});
  await gone.close();
  const client = new DynamoDBClient({ ...placeOf(gone), ...limitedBy(callLimits.table) });
  vi.unstubAllEnvs();
  const attempts = Array.from({ length: 20 }, () =>
    client.send(new ListTablesCommand()).catch(({ $metadata }) => $metadata.attempts),
  );
  expect(await Promise.all(attempts)).toEqual(Array(20).fill(5));
  client.destroy();
});

test("every client of AWS is made with the limits of its calls", () => {
  const root = join(import.meta.dirname, "../../..");
  const made = globSync("{functions,shared}/**/*.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/new \w+Client\([^;\n]*/g)].map(([text]) => `${file}: ${text}`),
  );
  expect(made.length).toBeGreaterThanOrEqual(6);
  expect(made.filter((text) => !/Client\(limitedBy\(callLimits\.\w+\)\)/.test(text))).toEqual([]);
});
