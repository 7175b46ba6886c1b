import { beforeAll, expect, test, vi } from "vitest";
import { type AwsCall, watchCalls } from "../../../support/faults/aws-calls.ts";
import { useSigningKey } from "../../../support/records/own-user.ts";
import { userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { askPin } from "../../../support/requests/accounts.ts";
import type { TestAnswer } from "../../../support/requests/call.ts";
import { forgetLimits } from "../../../support/requests/limits.ts";
import { useService } from "../../../support/service/service.ts";
import { type AnonymousFlow, anonymousFlows } from "./anonymous-flows.ts";
import { newCost, olderCosts, storeKnownLogins, unknownLogins } from "./known-logins.ts";

const service = useService();
/** The costs that passwords are stored at, a login of each. */
const costs = [newCost, ...olderCosts];
const count = costs.length;

const derivations = vi.hoisted(() => [] as number[]);
vi.mock("../../../../shared/domain/accounts/argon2id.ts", async (original) => {
  const actual = await original<typeof import("../../../../shared/domain/accounts/argon2id.ts")>();
  const deriveArgon2id: typeof actual.deriveArgon2id = (password, salt, bytes, cost) => {
    derivations.push(cost.memory * cost.passes);
    return actual.deriveArgon2id(password, salt, bytes, cost);
  };
  return { ...actual, deriveArgon2id };
});

const calls: AwsCall[] = [];
watchCalls((call, send) => {
  calls.push(call);
  return send();
});

const phones = ["+447400123450", "+447400123459"] as const;
let known: string[] = [];

useSigningKey();
beforeAll(async () => {
  known = await storeKnownLogins(count, costs);
  await store([userLine(100, { phone_number: phones[0] })]);
});

/** The parts of an answer that are not sent by the caller, an id made of the login, or the moment. */
function shapeOf({ status, headers, body }: TestAnswer, login: string): string {
  const { "x-request-id": _id, ...shown } = headers;
  return JSON.stringify([status, shown, body])
    .replaceAll(login, "LOGIN")
    .replace(/"id":[1-9][0-9]{0,15}(?=[,}])/, '"id":ID')
    .replace(/"request_id":"[^"]+"/, '"request_id":ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "MOMENT");
}

/** A flow's answer to a login and its work: the AWS calls, with the number of their items and their size in hundreds, and derivations. */
async function workOf({ send, status }: AnonymousFlow, login: string) {
  calls.length = 0;
  derivations.length = 0;
  const answer = await send(login);
  expect(answer.status).toBe(status);
  const made = calls.map(({ service: of, command, input }) => {
    const { TransactItems = [] } = input as { TransactItems?: unknown[] };
    return `${of} ${command} ${TransactItems.length} ${Math.round(JSON.stringify(input).length / 100)}`;
  });
  const derived = derivations.reduce((sum, each) => sum + each, 0);
  // Memory comes in whole kilobytes: of 38,912 passes over one, 3 may be missing.
  return { shape: shapeOf(answer, login), calls: made.toSorted(), derived: Math.round(derived / 100) };
}

test.each(
  anonymousFlows,
)("D12, D13, D15, D16: $name has the same answer, AWS calls and derivations for known and unknown logins", async (flow) => {
  await forgetLimits(service);
  const emails = [...unknownLogins(count), ...known];
  await flow.prepare?.([...emails, ...phones]);
  await flow.send("first@example.com");
  for (const [first = "", ...others] of [emails, phones]) {
    const expected = await workOf(flow, first);
    expect(expected.calls.length).toBeGreaterThan(1);
    for (const login of others) expect(await workOf(flow, login)).toEqual(expected);
  }
});

test("D12: the id shown for a login is stable, differs by login, and is not the user's", async () => {
  const ids = [];
  for (const login of [phones[0], "07400 123450", "nobody@example.com"]) {
    await forgetLimits(service);
    ids.push((await askPin(login)).body.user.id);
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).not.toBe(ids[2]);
  expect(ids[0]).not.toBe(100);
});
