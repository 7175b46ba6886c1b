import { expect, test } from "vitest";
import { handler as confirmHandler } from "../../../../functions/accounts/confirm-login.ts";
import { handler as confirmByBodyHandler } from "../../../../functions/accounts/confirm-login-by-body.ts";
import { handler as registerHandler } from "../../../../functions/accounts/register-user.ts";
import { handler as bulkUpdateHandler } from "../../../../functions/finance/bulk-update-timesheets.ts";
import { handler as adjustHandler } from "../../../../functions/jobs/adjust-job-timers.ts";
import { handler as endHandler } from "../../../../functions/sessions/end-session.ts";
import { handler as refreshHandler } from "../../../../functions/sessions/refresh-token.ts";
import { handler as signOutHandler } from "../../../../functions/sessions/sign-out.ts";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { handler as markOverdue } from "../../../../functions/workers/mark-overdue.ts";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import { confirmLogin, confirmLoginByBody, registerUser } from "../../../../shared/contract/accounts.ts";
import { bulkUpdateTimesheets } from "../../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../../shared/contract/jobs.ts";
import { endSession, refreshToken, signOut } from "../../../../shared/contract/sessions.ts";
import { findUserIdOfLogin } from "../../../../shared/people/logins.ts";
import { makeFamily, makeRefreshToken, makeSeed, openSession, sessionKey } from "../../../../shared/people/sessions.ts";
import type { RecordItem } from "../../../../shared/table/entity.ts";
import type { Key } from "../../../../shared/table/table.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { updateIf } from "../../../../shared/table/writes.ts";
import { hmacKey } from "../../../../shared/tokens/secrets.ts";
import { useSigningKey } from "../../../support/records/own-user.ts";
import { callerLine, invoiceLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readPlace, write } from "../../../support/records/writes.ts";
import { setNewPassword, tryPin } from "../../../support/requests/accounts.ts";
import { call } from "../../../support/requests/call.ts";
import { mark, undo } from "../../../support/requests/changes.ts";
import { askForPin, deliverPins, newestPin } from "../../../support/requests/pins.ts";
import { useService } from "../../../support/service/service.ts";
import { testSession } from "../../../support/tokens/tokens.ts";
import { queueEvent } from "../../../support/workers/workers.ts";
import { mayWrite } from "../../../system/rights/may-write.ts";
import { runImport, streamOf } from "../../../tools/import/run-import.ts";

const service = useService();
useSigningKey();

const operator = { id: 900, role: "operator", company_id: 1 } as const;
const admin = { id: 901, role: "admin", company_id: null } as const;
const seed = makeSeed();
let id = 100;

/** An action: the item that it writes, and the author that this item names. */
interface Deed {
  readonly key: Key;
  readonly by: string | RegExp;
}

/** The user's id and login of a new user. */
async function newUser(changes: Record<string, unknown> = {}): Promise<{ id: number; login: string; by: string }> {
  id += 1;
  await write(userLine(id, changes));
  return { id, login: `user-${id}@example.com`, by: `user#${id}` };
}

/** A user with the session that a test's token names, and another one. */
async function newSession() {
  const user = await newUser();
  const family = makeFamily(new Date());
  for (const each of [family, testSession]) await openSession(user.id, each, seed, 0, new Date());
  return { user, family, other: sessionKey(user.id, family), own: sessionKey(user.id, testSession) };
}

const doesNotWrite = "writes no record that has a history";

/** For every function that may write, what it does to a record with a history; and what the import does. */
const deeds: Readonly<Partial<Record<FunctionName | "import", (() => Promise<Deed>) | typeof doesNotWrite>>> = {
  "bulk-update-timesheets": async () => {
    id += 1;
    await store([callerLine(operator), timesheetLine(id, 1)]);
    await call(bulkUpdateHandler, bulkUpdateTimesheets, {
      as: operator,
      body: { timesheet: { timesheet_ids: [id], state: "paid" } },
    });
    return { key: recordKey("TIMESHEET", id), by: "user#900" };
  },
  "undo-change": async () => {
    id += 1;
    await store([callerLine(operator), timesheetLine(id, 1)]);
    const { headers } = await mark(operator, [id], "paid");
    expect((await undo(operator, headers["change-id"] ?? "")).status).toBe(200);
    return { key: recordKey("TIMESHEET", id), by: "user#900" };
  },
  "adjust-job-timers": async () => {
    id += 1;
    await store([callerLine(admin), jobLine(id, 1)]);
    await call(adjustHandler, adjustJobTimers, { as: admin, body: { job: { job_ids: [id], timer: 60 } } });
    return { key: recordKey("JOB", id), by: "user#901" };
  },
  "confirm-login": async () => {
    const user = await newUser();
    await call(confirmHandler, confirmLogin, {
      query: { login: user.login, pin: await askForPin(service, user.login) },
    });
    return { key: recordKey("USER", user.id), by: user.by };
  },
  "confirm-login-by-body": async () => {
    const login = "new-here@example.com";
    await call(registerHandler, registerUser, {
      body: { user: { login, password: "x".repeat(12), first_name: "A", last_name: "B" } },
    });
    await deliverPins();
    const pin = newestPin(service.inbox, login);
    await call(confirmByBodyHandler, confirmLoginByBody, { body: { user: { login, pin } } });
    const own = await findUserIdOfLogin(login);
    return { key: recordKey("USER", Number(own)), by: `user#${own}` };
  },
  "set-password": async () => {
    const user = await newUser();
    const { body } = await tryPin(user.login, await askForPin(service, user.login));
    await setNewPassword(body.user.reset_password_token, "seven quiet harbours");
    return { key: recordKey("USER", user.id), by: user.by };
  },
  "sign-out": async () => {
    const { user, own } = await newSession();
    await call(signOutHandler, signOut, { as: { ...operator, id: user.id } });
    return { key: own, by: user.by };
  },
  "end-session": async () => {
    const { user, other, family } = await newSession();
    await call(endHandler, endSession, { as: { ...operator, id: user.id }, parameters: { id: family } });
    return { key: other, by: user.by };
  },
  "refresh-token": async () => {
    const { user, family, other: key } = await newSession();
    await updateIf(key, { set: { n: 3, renewed_at: new Date(0).toISOString() } });
    const spent = makeRefreshToken({ userId: user.id, family, n: 1 }, seed, await hmacKey());
    await call(refreshHandler, refreshToken, { body: { token: { refresh_token: spent } } });
    return { key, by: "service#refresh-token" };
  },
  intake: async () => {
    id += 1;
    const detail = { ...jobLine(id, 1), event_id: "e-1", version: 1 };
    await intake(queueEvent({ "detail-type": "Record", source: "rota.example", detail }));
    return { key: recordKey("JOB", id), by: "event#rota.example#e-1" };
  },
  "mark-overdue": async () => {
    id += 1;
    await write(invoiceLine(id, 1, { due_date: "2026-06-01" }));
    await markOverdue();
    return { key: recordKey("INVOICE", id), by: "schedule#test" };
  },
  import: async () => {
    id += 1;
    await runImport(streamOf(userLine(id)));
    await runImport(streamOf({ type: "user", id, deleted: true }));
    return { key: recordKey("USER", id), by: /^import#[0-9a-f-]{36}$/ };
  },
  "sign-in": doesNotWrite,
  "register-user": doesNotWrite,
  "request-password-reset": doesNotWrite,
  "create-api-key": doesNotWrite,
  "delete-api-key": doesNotWrite,
  "register-device-token": doesNotWrite,
  "remove-device-token": doesNotWrite,
  "mark-notifications": doesNotWrite,
  "deliver-pin": doesNotWrite,
  "notify-password-changed": doesNotWrite,
  "rotate-signing-key": doesNotWrite,
  "keep-history": doesNotWrite,
  "deliver-notifications": doesNotWrite,
  "send-pushes": doesNotWrite,
  "refresh-totals": doesNotWrite,
};

const writers = Object.entries(deeds).flatMap(([name, deed]) => (deed === doesNotWrite ? [] : [{ name, deed }]));

test("every function that may write says whether it writes such a record", () => {
  const names = Object.keys(functions).filter((name) => mayWrite(functions[name as FunctionName]));
  expect(names.filter((name) => !Object.hasOwn(deeds, name))).toEqual([]);
});

test.each(writers)("D41: $name says who changed the record, in which change and when", async ({ deed }) => {
  const { key, by } = await deed();
  const item = await readPlace(key);
  const { change } = (item ?? {}) as Partial<RecordItem>;
  expect(change).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    by: expect.stringMatching(by),
  });
  expect(Math.abs(Date.now() - Date.parse(change?.at ?? ""))).toBeLessThan(60_000);
});
