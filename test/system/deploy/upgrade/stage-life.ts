import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { expect } from "vitest";
import { pinForm, pinIn } from "../../../../infra/local/aws/message-pin.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { send } from "../../../support/requests/http-client.ts";
import type { DeployedStage } from "../deployed-stage.ts";

export const logins = { admin: "admin@workforce.example", operator: "operator@workforce.example" };
const password = "seven quiet harbours";
const passcode = "4711";
/** How long what workers do is waited for. */
export const reading = { timeout: 60_000, interval: 200 };

/** Records that lists count. */
export const records: readonly object[] = [
  ...many(25, (id) => invoiceLine(id, 1, { due_date: "2999-01-01" })),
  ...many(12, (id) => timesheetLine(id, 1)),
  ...many(6, (id) => jobLine(id, id % 2 ? 1 : 2)),
];

/** What is imported. Lines of a release stay importable (D38). */
export const lines: readonly object[] = [
  companyLine(1),
  companyLine(2, "Quay Freight"),
  userLine(1, { email: logins.admin, role: "admin", financial_company_id: null, password }),
  userLine(2, { email: logins.operator, password, passcode }),
  userLine(3, { role: "driver", email: null, phone_number: "+447400123456" }),
  ...records,
];

/** What the operator of company 1 has of them in each list. */
const totals = { invoices: "25", timesheets: "12", jobs: "3" };

interface Payment {
  readonly ids: readonly number[];
  readonly key: string;
}

type Seen = Awaited<ReturnType<typeof seenBy>>;

/** What clients of a stage hold and see. */
export interface Held {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly pin: string;
  readonly payment: Payment & { readonly answer: unknown };
  readonly seen: Seen;
}

/** Uses a stage as clients and other systems do; gives what clients hold then. */
export async function useStage(stage: DeployedStage): Promise<Held> {
  const { baseUrl } = stage;
  const { access_token: bearer, refresh_token: refreshToken } = await signIn(baseUrl, logins.operator);
  await expect.poll(async () => totalsOf(await seenBy(baseUrl, bearer)), reading).toEqual(totals);
  const payment = { ids: [1, 2], key: "payment-1" };
  const { status, body: answer } = await pay(baseUrl, { ...payment, bearer });
  expect(status).toBe(200);
  const timer = {
    body: { job: { job_ids: [1], timer: 86_400 } },
    bearer: (await signIn(baseUrl, logins.admin)).access_token,
  };
  expect((await send(baseUrl, "PUT", "/api/v1/jobs/adjust_timer", timer)).status).toBe(200);
  await putJob(stage, 7);
  const notified = async () =>
    (await seenBy(baseUrl, bearer)).notifications.map((each: { record_id: number }) => each.record_id);
  await expect.poll(notified, reading).toContain(7);
  const login = logins.admin;
  expect((await send(baseUrl, "POST", "/api/v1/users/password", { body: { user: { login } } })).status).toBe(200);
  const pin = pinIn(await stage.messageTo(login, pinForm)) ?? "";
  return {
    accessToken: bearer,
    refreshToken,
    pin,
    payment: { ...payment, answer },
    seen: await seenBy(baseUrl, bearer),
  };
}

/** Signs in with the password that was imported; gives the tokens. */
export async function signIn(
  baseUrl: string,
  login: string,
): Promise<Record<"access_token" | "refresh_token", string>> {
  const { status, body } = await send(baseUrl, "POST", "/api/v1/users/sign_in", {
    body: { user: { login, password } },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.token;
}

/** What someone sees: every list with its total, unread counts, their profile, and the keys that tokens are verified with. */
export async function seenBy(baseUrl: string, bearer: string) {
  const get = async (path: string) => {
    const { status, headers, body } = await send(baseUrl, "GET", path, { bearer });
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    return { total: headers.get("total"), body };
  };
  const read = async (path: string) => get(`/api/v1/${path}?per_page=100`);
  return {
    lists: {
      invoices: await read("finance/invoices"),
      timesheets: await read("finance/timesheets"),
      jobs: await read("jobs"),
    },
    notifications: (await get("/api/v1/users/notifications")).body.notifications,
    counts: (await get("/api/v1/users/notifications/unread_count")).body,
    profile: (await get("/api/v1/users/me")).body,
    keys: (await get("/.well-known/jwks.json")).body,
  };
}

function totalsOf({ lists }: Seen): object {
  return { invoices: lists.invoices.total, timesheets: lists.timesheets.total, jobs: lists.jobs.total };
}

/** Pays timesheets with the passcode that was imported. */
export function pay(baseUrl: string, { bearer, ids, key }: Payment & { readonly bearer: string }) {
  const body = { timesheet: { timesheet_ids: ids, state: "paid", passcode } };
  return send(baseUrl, "PATCH", "/api/v1/finance/timesheets/bulk_update", { body, bearer, key });
}

/** Another system puts a new job of company 1 on the event bus. */
export async function putJob({ eventBusName }: DeployedStage, id: number): Promise<void> {
  const Detail = JSON.stringify({ ...jobLine(id, 1), event_id: `job-${id}-1`, version: 1 });
  const bus = new EventBridgeClient();
  const Entries = [{ EventBusName: eventBusName, Source: "rota.example", DetailType: "Record", Detail }];
  expect((await bus.send(new PutEventsCommand({ Entries }))).FailedEntryCount).toBe(0);
  bus.destroy();
}

function many<T>(count: number, make: (id: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at + 1));
}
