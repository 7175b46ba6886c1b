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

const calls: AwsCall[] = [];
watchCalls((call, send) => {
  calls.push(call);
  return send();
});

/** The AWS calls that work makes, sorted, each with the number of its items and its size in hundreds. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  const made = calls.map(({ service: of, command, input }) => {
    const { TransactItems = [] } = input as { TransactItems?: unknown[] };
    return `${of} ${command} ${TransactItems.length} ${Math.round(JSON.stringify(input).length / 100)}`;
  });
  return made.toSorted();
}

/** The parts of an answer that are not sent by the caller, an id made of the login, a token, or the moment. */
function shapeOf({ status, headers, body }: TestAnswer, login: string): string {
  const { "x-request-id": _id, ...shown } = headers;
  return JSON.stringify([status, shown, body])
    .replaceAll(login, "LOGIN")
    .replace(/"id":[1-9][0-9]{0,15}(?=[,}])/, '"id":ID')
    .replaceAll(/"(request_id|reset_password_token)":"[^"]+"/g, '"$1":""')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT");
}

const service = useService();
/** The costs that passwords are stored at, a login of each. */
const costs = [newCost, ...olderCosts];
const count = costs.length;

const derivations = vi.hoisted(() => [] as number[]);
vi.mock("../../../../shared/people/argon2id.ts", async (original) => {
  const actual = await original<typeof import("../../../../shared/people/argon2id.ts")>();
  const deriveArgon2id: typeof actual.deriveArgon2id = (password, salt, bytes, cost) => {
    derivations.push(cost.memory * cost.passes);
    return actual.deriveArgon2id(password, salt, bytes, cost);
  };
  return { ...actual, deriveArgon2id };
});

const phones = ["+447400123450", "+447400123459"] as const;
let known: string[] = [];

useSigningKey();
beforeAll(async () => {
  known = await storeKnownLogins(count, costs);
  await store([userLine(100, { phone_number: phones[0] })]);
});

/** A flow's answer to a login and its work: AWS calls and derivations. */
async function workOf({ send, status }: AnonymousFlow, login: string) {
  derivations.length = 0;
  let shape = "";
  const calls = await callsOf(async () => {
    const answer = await send(login);
    expect(answer.status).toBe(status);
    shape = shapeOf(answer, login);
  });
  const derived = derivations.reduce((sum, each) => sum + each, 0);
  // Memory comes in whole kilobytes: of 38,912 passes over one, 3 may be missing.
  return { shape, calls, derived: Math.round(derived / 100) };
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
