import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useNetwork } from "../support/faults/network.ts";
import * as lines from "../support/records/records.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { store } from "../support/records/store.ts";
import { call, type TestRequest } from "../support/requests/call.ts";
import { allowedUser, endpoints, type TestEndpoint } from "../support/requests/every-operation.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";
import { type TestUser, tokenOf } from "../support/tokens/tokens.ts";

useService();
const network = useNetwork();

const otherSession = "session-2";
const writes = endpoints.filter(({ operation: { access, method } }) => access !== "anyone" && method !== "GET");
const reads = endpoints.filter(({ operation: { access, method } }) => access !== "anyone" && method === "GET");
const inSession = writes.filter(({ operation }) => operation.needsSession !== false);

beforeAll(() =>
  store([
    lines.companyLine(1),
    ...[1, 2].flatMap((id) => [lines.timesheetLine(id, 1), lines.invoiceLine(id, 1), lines.jobLine(id, 1)]),
  ]),
);

let lastId = 20_000;
let user: TestUser;

/** Gives a test a user of its own, with two sessions and the notifications that sample events name. */
async function useCaller({ operation }: TestEndpoint): Promise<void> {
  lastId += 1;
  const { role, company_id } = allowedUser(operation) as TestUser;
  user = { id: lastId, role, company_id };
  await store([lines.callerLine(user), ...[1, 2].map((id) => lines.notificationLine(id, user.id))]);
  await openTestSession(user.id, otherSession);
  network.reset();
}

/** Sends the sample, as the session of the usual tokens. One session ends another one. */
function send({ operation, handler, sample }: TestEndpoint, more: Partial<TestRequest> = {}) {
  const parameters = operation.needsSession === "unless_own" ? { id: otherSession } : sample.parameters;
  return call(handler, operation, { ...sample, parameters, as: user, ...more } as TestRequest);
}

function writesMade(): string[] {
  return [...network.calls.keys()].filter((action) => !/^(TransactGet|BatchGet|Get|Query)/.test(action));
}

/** The events that end the session of a token that is still valid, or change what the token says of its user. */
const endings: Record<string, () => Promise<unknown>> = {
  "a new password has ended its session": () =>
    store([
      lines.userLine(user.id, {
        role: user.role,
        financial_company_id: user.company_id,
        password: "nine loud lanterns",
      }),
    ]),
  "its user was removed": () => store([{ type: "user", id: user.id, deleted: true }]),
  "its user has another role": () =>
    store([lines.callerLine({ ...user, role: user.role === "client" ? "driver" : "client", company_id: 1 })]),
};

describe.each(inSession)("D4: $name", (endpoint) => {
  beforeEach(() => useCaller(endpoint));

  test("is not refused as long as the session is live", async () => {
    expect((await send(endpoint)).status).not.toBe(401);
  });

  test.each(Object.keys(endings))("is 401 and writes nothing once %s", async (ending) => {
    await endings[ending]?.();
    const { idempotent } = endpoint.operation;
    for (const key of idempotent ? [undefined, crypto.randomUUID()] : [undefined]) {
      network.reset();
      const authorization = `Bearer ${await tokenOf(user)}`;
      const headers = { authorization, ...(key && { "idempotency-key": key }) };
      expectProblem(await send(endpoint, { headers }), 401, "token_invalid");
      expect(writesMade()).toEqual([]);
    }
  });
});

test("D4, D5: what a token needs no live session for is to end that session", async () => {
  const exempt = writes.filter(({ operation }) => operation.needsSession !== true);
  expect(exempt.map(({ name }) => name).toSorted()).toEqual(["end-session", "sign-out"]);
  for (const endpoint of exempt) {
    await useCaller(endpoint);
    await endings["a new password has ended its session"]?.();
    expect((await send(endpoint, { parameters: endpoint.sample.parameters })).status, endpoint.name).toBe(200);
  }
});

test.each(reads)("D4: $name, a read, writes nothing", async (endpoint) => {
  await useCaller(endpoint);
  expect((await send(endpoint)).status).toBe(200);
  expect(writesMade()).toEqual([]);
});
