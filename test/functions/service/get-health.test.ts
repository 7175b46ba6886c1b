import { afterEach, expect, test } from "vitest";
import { handler } from "../../../functions/service/get-health.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { deleteItemAt } from "../../../shared/table/writes.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import { testKeyId } from "../../support/tokens/tokens.ts";

useService();
const table = useNetwork();
afterEach(() => table.reset());

const dead = { status: 500, body: { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError" } };

test("200: the table answers one query, and nothing else is said", async () => {
  const { status, body } = await call(handler, getHealth);
  expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
  expect(Object.fromEntries(table.calls)).toEqual({ Query: 1 });
});

test("500: a service whose table does not answer is not healthy, and says no more to strangers", async () => {
  table.fail("Query", dead, 3);
  const { status, body } = await call(handler, getHealth);
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toMatch(/dynamo|Internal ?Server ?Error|table/i);
});

test("500: nor is one without a published key, which refuses every access token", async () => {
  await deleteItemAt({ pk: "KEYS", sk: testKeyId });
  expect((await call(handler, getHealth)).status).toBe(500);
});
