import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { handler as undoHandler } from "../../../functions/changes/undo-change.ts";
import { handler as payHandler } from "../../../functions/finance/bulk-update-timesheets.ts";
import { handler as planPayHandler } from "../../../functions/finance/plan-bulk-update-timesheets.ts";
import { handler as adjustHandler } from "../../../functions/jobs/adjust-job-timers.ts";
import { handler as planAdjustHandler } from "../../../functions/jobs/plan-adjust-job-timers.ts";
import { handler as endSessionHandler } from "../../../functions/sessions/end-session.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { undoChange } from "../../../shared/contract/changes.ts";
import { bulkUpdateTimesheets, planBulkUpdateTimesheets } from "../../../shared/contract/finance.ts";
import { adjustJobTimers, planAdjustJobTimers } from "../../../shared/contract/jobs.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { endSession, signOut } from "../../../shared/contract/sessions.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { at, useSigningKey } from "../../support/records/own-user.ts";
import { companyLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { readRecord, store } from "../../support/records/store.ts";
import { requestPin, setNewPassword, tryPin } from "../../support/requests/accounts.ts";
import { call, type TestAnswer, type TestRequest } from "../../support/requests/call.ts";
import { newestPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { bearerOf, familyOf, refreshWith, signInAs, type Tokens } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
let id = 500;
let login: string;
/** The session whose access token a thief has. */
let stolen: Tokens;

useSigningKey();
beforeAll(() => store([companyLine(1), companyLine(2)]));
beforeEach(() => {
  at("2026-05-01T09:00:00.000");
  id += 1;
  login = `user-${id}@example.com`;
});
afterEach(() => void vi.useRealTimers());

type Role = "operator" | "admin";
const lineOf = (role: string, company: number | null) => userLine(id, { role, financial_company_id: company });
const homeOf = (role: Role) => (role === "admin" ? null : 1);

/** How a session or its user's rights end, each without the stolen token. */
const ends: Record<string, (role: Role) => Promise<unknown>> = {
  "its owner signed out": () => call(signOutHandler, signOut, bearerOf(stolen)),
  "its owner ended it from another session": async () => {
    const own = bearerOf(await signInAs(login, password));
    return call(endSessionHandler, endSession, { ...own, parameters: { id: familyOf(stolen) } });
  },
  "its owner set a new password": async () => {
    await requestPin(login);
    const { body } = await tryPin(login, newestPin(service.inbox, login));
    return setNewPassword(body.user.reset_password_token, "eight loud harbours");
  },
  "a refresh token of it was used twice": async () => {
    const second = await refreshWith(stolen.refresh_token);
    at("2026-05-01T09:05:00.000");
    await refreshWith(second.body.token.refresh_token);
    return refreshWith(stolen.refresh_token);
  },
  "its user was demoted": (role) => store([lineOf("driver", homeOf(role))]),
  "its user was moved to another company": () => store([lineOf("operator", 2)]),
  "its user was removed": () => store([{ type: "user", id, deleted: true }]),
};

/** What the thief tries, each on the record that has the user's id. */
type Acts = Record<string, () => Promise<TestAnswer>>;

function act(handler: HttpHandler, operation: Operation, request: TestRequest): Promise<TestAnswer> {
  return call(handler, operation, { ...request, ...bearerOf(stolen) });
}

/** The thief's changes of a record, with the undo of what the owner changed. */
function actsOf(role: Role, change: string): Acts {
  const undo = () => act(undoHandler, undoChange, { parameters: { id: change }, body: { change: {} } });
  const timesheet = { timesheet_ids: [id], state: "pending" };
  const pay = () => act(payHandler, bulkUpdateTimesheets, { body: { timesheet } });
  const planPay = () => act(planPayHandler, planBulkUpdateTimesheets, { body: { timesheet } });
  if (role === "operator") return { undo, pay, planPay };
  const job = { job_ids: [id], timer: 90 };
  const adjust = () => act(adjustHandler, adjustJobTimers, { body: { job } });
  const planAdjust = () => act(planAdjustHandler, planAdjustJobTimers, { body: { job } });
  return { undo, adjust, planAdjust };
}

test.each(
  Object.keys(ends).flatMap((end) => (["operator", "admin"] as const).map((role) => ({ role, end }))),
)("D14, D19: an access token changes nothing for an $role after $end", async ({ role, end }) => {
  await store([
    userLine(id, { role, financial_company_id: homeOf(role), password }),
    timesheetLine(id, 1),
    jobLine(id, 1),
  ]);
  stolen = await signInAs(login, password);
  const kind = role === "admin" ? "JOB" : "TIMESHEET";
  const made = await (role === "admin"
    ? act(adjustHandler, adjustJobTimers, { body: { job: { job_ids: [id], timer: 60 } } })
    : act(payHandler, bulkUpdateTimesheets, { body: { timesheet: { timesheet_ids: [id], state: "paid" } } }));
  expect(made.status).toBe(200);
  const before = await readRecord(kind, id);

  await ends[end]?.(role);
  const refused: Record<string, unknown> = {};
  for (const [name, send] of Object.entries(actsOf(role, made.headers["change-id"] ?? ""))) {
    const answer = await send();
    refused[name] = `${answer.status} ${answer.body?.code}`;
    if (answer.status === 401) expectProblem(answer, 401, "token_invalid");
  }
  expect(new Set(Object.values(refused)), JSON.stringify(refused)).toEqual(new Set(["401 token_invalid"]));
  expect(before).toBeDefined();
  expect(await readRecord(kind, id)).toEqual(before);
});
