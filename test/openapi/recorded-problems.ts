import { vi } from "vitest";
import { handler as refuseUnrouted } from "../../functions/service/refuse-unrouted.ts";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { confirmLoginByBody, getProfile, requestPasswordReset, setPassword } from "../../shared/contract/accounts.ts";
import { createApiKey } from "../../shared/contract/api-keys.ts";
import { undoChange } from "../../shared/contract/changes.ts";
import { bulkUpdateTimesheets, getInvoice, listInvoices, listTimesheets } from "../../shared/contract/finance.ts";
import { adjustJobTimers, listJobs } from "../../shared/contract/jobs.ts";
import type { Method, Operation } from "../../shared/contract/operation.ts";
import type { ProblemCode } from "../../shared/contract/refusals.ts";
import { busy } from "../../shared/contract/refusals.ts";
import { getHealth } from "../../shared/contract/service.ts";
import { refreshToken, signIn } from "../../shared/contract/sessions.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { counterWrites } from "../../shared/table/counters.ts";
import { transact } from "../../shared/table/writes.ts";
import { at } from "../support/records/own-user.ts";
import { invoiceLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { keyOf } from "../support/requests/api-keys.ts";
import { call, type TestAnswer, type TestRequest } from "../support/requests/call.ts";
import { tokenOf } from "../support/tokens/tokens.ts";
import { mask, send } from "./recording.ts";

const { admin, operatorA, operatorB, driver } = demoUsers;
const login = operatorA.login;
const unknown = "nobody@harbour-logistics.example";
const pay = { timesheet: { timesheet_ids: [2, 1], state: "paid" } };
const key = { "idempotency-key": "one-change" };

const missingPasscode: TestRequest = { as: operatorB, body: pay };
const wrongPasscode: TestRequest = { as: operatorB, body: { timesheet: { ...pay.timesheet, passcode: 1111 } } };

async function payment(ids: number[]): Promise<string> {
  for (const state of ["paid", "pending"]) {
    const { headers } = await send(bulkUpdateTimesheets, {
      as: admin,
      body: { timesheet: { timesheet_ids: ids, state } },
    });
    if (headers["change-id"] !== undefined) return headers["change-id"];
  }
  throw new Error("Nothing was changed");
}

const undo = (id: string) => send(undoChange, { as: admin, parameters: { id }, body: { change: {} } });

const refused: Readonly<Partial<Record<ProblemCode, () => Promise<TestAnswer>>>> = {
  malformed_json: () => send(signIn, { body: '{"user": {"login": ' }),
  body_object_missing: () => send(signIn, { body: { login, password: "workforce demo" } }),
  token_missing: () => send(getProfile, {}),
  token_invalid: () => send(getProfile, { headers: { authorization: "Bearer no.token" } }),
  token_expired: async () => {
    const token = await tokenOf(operatorA, {}, new Date(Date.now() - 3_600_000));
    return send(getProfile, { headers: { authorization: `Bearer ${token}` } });
  },
  login_invalid: () => send(signIn, { body: { user: { login: unknown, password: "not the password" } } }),
  refresh_token_invalid: () => send(refreshToken, { body: { token: { refresh_token: "spent" } } }),
  passcode_invalid: () => send(bulkUpdateTimesheets, missingPasscode),
  passcode_locked: () => lastOf(21, () => send(bulkUpdateTimesheets, wrongPasscode)),
  password_invalid: () => {
    const body = { key: { name: "Nightly export", password: "not the password" } };
    return send(createApiKey, { as: admin, body });
  },
  key_not_allowed: async () => {
    const { headers } = await keyOf(operatorB.id);
    return send(bulkUpdateTimesheets, { headers, body: pay });
  },
  role_not_allowed: () => send(listInvoices, { as: driver }),
  company_required: () => send(listInvoices, { as: { ...operatorA, company_id: null } }),
  route_not_found: () => unrouted("GET", "/api/v1/invoices"),
  record_not_found: () => send(getInvoice, { as: operatorA, parameters: { id: "999" } }),
  records_not_found: () => send(adjustJobTimers, { as: admin, body: { job: { job_ids: [2, 999], timer: 3600 } } }),
  login_not_found: () => {
    vi.stubEnv("RECOVERY_DISCLOSURE", "full");
    return send(requestPasswordReset, { body: { user: { login: unknown } } }).finally(() => vi.unstubAllEnvs());
  },
  method_not_allowed: () => unrouted("POST", "/api/v1/finance/invoices"),
  changed_since: async () => {
    const change = await payment([4]);
    await store([{ type: "timesheet", id: 4, job_title: "Day driver" }]);
    return undo(change);
  },
  change_undone: async () => {
    const change = await payment([5]);
    await undo(change);
    return undo(change);
  },
  change_expired: async () => {
    const change = await payment([6]);
    at("2026-05-04T09:00:00.000");
    return undo(change);
  },
  idempotency_key_reused: async () => {
    const set = (timer: number) =>
      send(adjustJobTimers, { as: admin, body: { job: { job_ids: [2, 1], timer } }, headers: key });
    await set(3600);
    return set(60);
  },
  body_too_large: () => send(signIn, { body: "x".repeat(262_145) }),
  query_too_long: () => send(listJobs, { as: operatorA, query: { by: "x".repeat(4_097) } }),
  media_type_not_supported: () => send(signIn, { body: "login=me", headers: { "content-type": "text/plain" } }),
  fields_invalid: () =>
    send(bulkUpdateTimesheets, { as: operatorA, body: { timesheet: { ...pay.timesheet, state: "lost" } } }),
  unknown_parameter: () => send(listInvoices, { as: operatorA, query: { by_sate: "paid" } }),
  country_not_served: () => send(requestPasswordReset, { body: { user: { login: "+33612345678" } } }),
  pin_invalid: () => send(confirmLoginByBody, { body: { user: { login: unknown, pin: "012345" } } }),
  reset_token_invalid: () => {
    const password = "a harbour before dawn";
    const user = { reset_password_token: "spent", password, password_confirmation: password };
    return send(setPassword, { body: { user } });
  },
  cursor_invalid: () => send(listTimesheets, { as: operatorA, query: { cursor: "bm9uc2Vuc2U" } }),
  page_too_deep: () => send(listInvoices, { as: admin, query: { page: "51", by_company: "9" } }),
  query_too_broad: () => send(listInvoices, { as: admin, query: { by_number: "00", by_company: "8" } }),
  too_many_requests: () =>
    lastOf(21, () => send(signIn, { from: "192.0.2.7", body: { user: { login: unknown, password: "wrong" } } })),
};

/** Errors that a handler throws: a 5xx says no more than its code, wherever it comes from. */
const thrown: Readonly<Partial<Record<ProblemCode, Error>>> = {
  busy: busy(""),
  internal_error: new Error("A fault"),
};

/** The service's answer of each code. */
export async function recordProblems(): Promise<Record<string, unknown>> {
  // The limits of the day before are over.
  at("2026-05-03T09:00:00.000");
  await store([{ type: "user", id: operatorB.id, passcode: "4821" }]);
  // More invoices of one company than a page number reaches, and more of another one than a search by number reads.
  await store(Array.from({ length: 1_001 }, (_, at) => invoiceLine(10_000 + at, 9)));
  const figures = new Map([["paid", 10_001]]);
  await transact(counterWrites([{ list: "INVOICES", companyId: 8, month: "ALL", figures }], 0));
  const problems: Record<string, unknown> = {};
  for (const [code, provoke] of Object.entries(refused)) {
    const { body } = await provoke();
    if (body.code !== code) throw new Error(`Expected ${code}, was answered ${JSON.stringify(body)}`);
    problems[code] = mask(body);
  }
  for (const [code, error] of Object.entries(thrown)) problems[code] = mask((await failing(error)).body);
  return problems;
}

function failing(error: Error): Promise<TestAnswer> {
  const handler = anonymous(refreshToken, async () => {
    throw error;
  });
  return call(handler, refreshToken, { body: { token: { refresh_token: "spent" } } });
}

function unrouted(method: Method, path: `/${string}`): Promise<TestAnswer> {
  const operation: Operation = {
    name: "refuse-unrouted",
    summary: "",
    method,
    path,
    access: "anyone",
    answer: getHealth.answer,
  };
  return call(refuseUnrouted, operation);
}

async function lastOf(times: number, provoke: () => Promise<TestAnswer>): Promise<TestAnswer> {
  for (let time = 1; time < times; time += 1) await provoke();
  return provoke();
}
