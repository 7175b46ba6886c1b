import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limitedBy } from "../../../shared/call-limits.ts";

/** Accepts connections and says nothing. */
let silent: Server;

beforeAll(async () => {
  silent = createServer((socket) => void socket.on("error", () => socket.destroy()));
  await new Promise<void>((ready) => silent.listen(0, "127.0.0.1", ready));
  process.env.CALL_PATIENCE = "1";
});
afterAll(() => void silent.close());

test("a call that is never answered ends with an error when the time of its attempts is over", async () => {
  const client = new DynamoDBClient({
    ...limitedBy({ attemptMs: 200, attempts: 2 }),
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const began = performance.now();
  await expect(client.send(new ListTablesCommand({}))).rejects.toMatchObject({
    name: "TimeoutError",
    $metadata: { attempts: 2 },
  });
  expect(performance.now() - began).toBeGreaterThan(350);
  expect(performance.now() - began).toBeLessThan(5_000);
  client.destroy();
}, 10_000);
