import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as removeDeviceHandler } from "../../functions/devices/remove-device-token.ts";
import { handler as endSessionHandler } from "../../functions/sessions/end-session.ts";
import { handler as signOutHandler } from "../../functions/sessions/sign-out.ts";
import { removeDeviceToken } from "../../shared/contract/devices.ts";
import { adjustJobTimers } from "../../shared/contract/jobs.ts";
import { operations } from "../../shared/contract/operations.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { endSession as endOneSession, signOut } from "../../shared/contract/sessions.ts";
import { idempotent } from "../../shared/http/endpoint.ts";
import { saveDeviceToken } from "../../shared/notifications/devices.ts";
import { endSessionFamily, requireActing } from "../../shared/people/sessions.ts";
import { findAccount } from "../../shared/people/users.ts";
import { useNetwork } from "../support/faults/network.ts";
import { testChange } from "../support/records/contexts.ts";
import { costOf } from "../support/records/costs.ts";
import { callerLine, jobLine, notificationLine, timesheetLine, userLine } from "../support/records/records.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { store } from "../support/records/store.ts";
import { call, type TestAnswer } from "../support/requests/call.ts";
import { adjust, mark, markRead, undo } from "../support/requests/changes.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { usualFreshOrFull } from "../support/service/fresh-counts.ts";
import { useService } from "../support/service/service.ts";
import { type TestUser, testSession, tokenOf } from "../support/tokens/tokens.ts";

useService();
const proxy = useNetwork();

let id = 1_000;
let operator: TestUser;
let admin: TestUser;
let device: number;

beforeEach(async () => {
  // Each test has users and records of its own.
  id += 10;
  operator = { id: id + 1, role: "operator", company_id: 1 };
  admin = { id: id + 2, role: "admin", company_id: null };
  const records = [timesheetLine(id, 1), timesheetLine(id + 1, 1), jobLine(id, 1), jobLine(id + 1, 1)];
  const notification = notificationLine(id, operator.id);
  await store([callerLine(operator), callerLine(admin), ...records, notification]);
  device = Number(await saveDeviceToken(operator.id, { token: `t-${id}`, platform: "fcm", pushService: "fcm" }, id));
  proxy.reset();
});

afterEach(() => void vi.unstubAllEnvs());

type Send = (key?: string) => Promise<TestAnswer>;

/** An action of a caller while the session is live: the same on a record that exists, and on one that does not. */
interface Deed {
  readonly operation: string;
  readonly by: () => TestUser;
  readonly prepare: () => Promise<{ readonly send: Send; readonly refused: Send }>;
}

/** Sends a change of the test's record, or of one that there is not. */
const on = (send: (recordId: number, key?: string) => Promise<TestAnswer>): Deed["prepare"] => {
  return async () => ({ send: (key) => send(id, key), refused: (key) => send(999_999, key) });
};

/** Sends the undo of a change, or of one that there is not. */
const undoOf = (by: () => TestUser, change: () => Promise<TestAnswer>): Deed["prepare"] => {
  return async () => {
    const { headers } = await change();
    return {
      send: (key) => undo(by(), headers["change-id"], { key }),
      refused: (key) => undo(by(), crypto.randomUUID(), { key }),
    };
  };
};

const job = (jobId: number) => ({ job: { job_ids: [jobId], timer: 60 } });
const removeDevice = (deviceId: number) =>
  call(removeDeviceHandler, removeDeviceToken, { as: operator, parameters: { id: String(deviceId) } });
const byOperator = () => operator;
const byAdmin = () => admin;
const pay = (record: number, key?: string) => mark(operator, [record], "paid", { key });
const time = (record: number, key?: string) => adjust(admin, [record], 60, { key });

const deeds: Deed[] = [
  { operation: "bulk-update-timesheets", by: byOperator, prepare: on(pay) },
  { operation: "adjust-job-timers", by: byAdmin, prepare: on(time) },
  { operation: "undo-change", by: byOperator, prepare: undoOf(byOperator, () => pay(id)) },
  { operation: "undo-change", by: byAdmin, prepare: undoOf(byAdmin, () => time(id)) },
];

/** The events that end a token's acting, though not its reading. */
const endings: Record<string, (user: TestUser) => Promise<unknown>> = {
  "signing out": async (as) => expect((await call(signOutHandler, signOut, { as })).status).toBe(200),
  "ending the session from another one": async (user) => {
    await openTestSession(user.id, "session-2");
    const headers = { authorization: `Bearer ${await tokenOf(user, { sid: "session-2" })}` };
    const ended = await call(endSessionHandler, endOneSession, { headers, parameters: { id: testSession } });
    expect(ended.status).toBe(200);
  },
  "the second use of a refresh token": ({ id: userId }) =>
    endSessionFamily(userId, testSession, testChange(), { revoked: true }),
  "a new password": ({ id: userId, role, company_id }) =>
    store([userLine(userId, { role, financial_company_id: company_id, password: "nine loud lanterns" })]),
  "the user's removal": ({ id: userId }) => store([{ type: "user", id: userId, deleted: true }]),
  "a demotion": (user) => store([callerLine({ ...user, role: "client" })]),
  "a move to another company": (user) => store([callerLine({ ...user, company_id: 2 })]),
};

/** Each deed after each ending; usually every third pair, which has each of both. */
const every = usualFreshOrFull(3, 1, 1);
const table = deeds.flatMap((deed, at) =>
  Object.entries(endings).flatMap(([ending, end], place) =>
    (at + place) % every === 0 ? [{ deed, ending, end, name: `${deed.operation} (${at})` }] : [],
  ),
);

describe("D19: 401 at once, before any other refusal, and nothing is written", () => {
  test.each(table)("$name after $ending", async ({ deed, end }) => {
    const { send, refused } = await deed.prepare();
    await end(deed.by());
    proxy.calls.clear();
    for (const key of [undefined, crypto.randomUUID()]) {
      for (const attempt of [send, refused]) expectProblem(await attempt(key), 401, "token_invalid");
    }
    expect([...proxy.calls.keys()].filter((action) => !/^(TransactGet|BatchGet|Get|Query)/.test(action))).toEqual([]);
  });

  test.each(deeds.map((deed) => ({ deed, name: deed.operation })))("$name again with its key", async ({ deed }) => {
    const { send } = await deed.prepare();
    const key = crypto.randomUUID();
    expect((await send(key)).status).toBe(200);
    expect((await send(key)).status).toBe(200);
    await endings["signing out"]?.(deed.by());
    expectProblem(await send(key), 401, "token_invalid");
  });

  test("D19: every operation that makes a change of records is among these", () => {
    const acting = operations.filter((each) => "idempotent" in each);
    expect(new Set(deeds.map(({ operation }) => operation))).toEqual(new Set(acting.map(({ name }) => name)));
  });
});

describe("D19: a stage with an external issuer checks role and company alone", () => {
  const act = (user: TestUser) => {
    vi.stubEnv("OIDC_ISSUER", JSON.stringify({ issuer: "https://issuer.example" }));
    const { id: userId, role, company_id: companyId } = user;
    return requireActing({ userId, role, companyId, sessionId: "of-the-issuer" }, findAccount, new Date());
  };

  test("a session of the issuer is none of the service's", async () => {
    expect((await act(operator)).user.id).toBe(operator.id);
  });

  test.each(["the user's removal", "a demotion", "a move to another company"])("%s", async (ending) => {
    await endings[ending]?.(operator);
    await expect(act(operator)).rejects.toMatchObject({ code: "token_invalid" });
  });
});

describe("nothing is written before the caller is authorized", () => {
  test("D19: a payment whose records are read waits for it", async () => {
    const [release, read] = [proxy.hold("TransactGetItems"), proxy.hold("BatchGetItem")];
    const answer = mark(operator, [id], "paid");
    await Promise.all([proxy.held("TransactGetItems"), proxy.held("BatchGetItem")]);
    read();
    await store([{ type: "user", id: operator.id, deleted: true }]);
    proxy.calls.clear();
    await pause(100);
    expect(proxy.calls).toEqual(new Map());
    release();
    expectProblem(await answer, 401, "token_invalid");
    expect(proxy.calls.get("TransactWriteItems")).toBeUndefined();
  });

  const refuse = () => Promise.reject(new Refusal("token_invalid", "refused"));
  const fails = () => {
    throw new Refusal("record_not_found", "sooner");
  };

  test("a function that fails sooner is refused all the same, and no rejection is left", async () => {
    const handler = idempotent(adjustJobTimers, { authorize: refuse, read: fails, write: fails });
    expectProblem(await call(handler, adjustJobTimers, { as: admin, body: job(id) }), 401, "token_invalid");
  });

  test("what a refused caller's request has read is not handed on, and no change is", async () => {
    const write = vi.fn();
    const seen: object[] = [];
    const read = async (request: object) => seen.push(request);
    const handler = idempotent(adjustJobTimers, { authorize: refuse, read, write });
    expectProblem(await call(handler, adjustJobTimers, { as: admin, body: job(id) }), 401, "token_invalid");
    expect(seen).toEqual([expect.not.objectContaining({ change: expect.anything(), actor: expect.anything() })]);
    expect(write).not.toHaveBeenCalled();
  });
});

test.each([
  ["paying", () => mark(operator, [id], "paid"), { readUnits: 6, sequentialTrips: 2 }],
  ["adjusting timers", () => adjust(admin, [id], 60), { readUnits: 3, sequentialTrips: 2 }],
  ["marking a notification", () => markRead(operator, [id], true), { readUnits: 3, sequentialTrips: 2 }],
  ["removing a device", () => removeDevice(device), { readUnits: 3, sequentialTrips: 2 }],
] as const)("the check costs %s one or two read units and no round trip", async (_, send, cost) => {
  expect(await costOf(send)).toMatchObject(cost);
});
