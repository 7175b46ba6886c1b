import { expect } from "vitest";
import type { LocalInbox } from "../../../infra/runtime/aws/inbox.ts";
import * as lines from "../../support/records/records.ts";
import { newestPin } from "../../support/requests/pins.ts";
import type { Release } from "./release.ts";
import type { Turns } from "./turns.ts";

const password = "seven quiet harbours";

/** The state of somebody in the middle of the story. `base` is below every id in it. */
export interface Begun {
  readonly base: number;
  readonly changeId: string;
  readonly refreshToken: string;
  /** Leads to the second page of the timesheets. */
  readonly cursor: string;
  readonly pin: string;
  readonly apiKey: string;
}

const companyOf = ({ base }: Pick<Begun, "base">) => base + 1;
const loginOf = ({ base }: Pick<Begun, "base">) => `user-${base + 2}@example.com`;
const requestOf =
  ({ act }: Turns) =>
  (...given: Parameters<Release["request"]>) =>
    act(given[0], (release) => release.request(...given));
const writeOf =
  ({ act }: Turns) =>
  (line: object) =>
    act("import", (release) => release.write(line, { notifies: true }));

/** Records come in; somebody signs in, registers a device, makes an API key, pays two of three timesheets, and asks for a pin. */
export async function begin(turns: Turns, base: number, inbox: LocalInbox): Promise<Begun> {
  const [request, write, company, login] = [requestOf(turns), writeOf(turns), companyOf({ base }), loginOf({ base })];
  const imported = [
    lines.companyLine(company),
    lines.userLine(base + 2, { financial_company_id: company, password, passcode: "4711" }),
    lines.userLine(base + 3, { financial_company_id: company, profile_id: base, version: 3 }),
    ...[1, 2, 3].map((id) => lines.timesheetLine(base + id, company, { version: 1 })),
    ...[1, 2].map((id) => lines.invoiceLine(base + id, company, { due_date: "2026-05-11" })),
    ...[1, 2].map((id) => lines.jobLine(base + id, company)),
  ];
  for (const line of imported) await write(line);
  await turns.settle();

  await request("sign-in", { body: { user: { login, password: "not this harbour" } } }, 401);
  const { body: signedIn } = await request("sign-in", { body: { user: { login, password } } });
  const { headers, refreshToken } = await refresh(turns, signedIn.token.refresh_token);
  const device = { token: String(base).padStart(64, "a"), platform: "android", device_id: crypto.randomUUID() };
  for (let times = 0; times < 2; times += 1) {
    await request("register-device-token", { headers, body: { notification: device } });
  }
  const asked = { key: { name: "Nightly export", password } };
  const { body: made } = await request("create-api-key", { headers, body: asked });
  // Its mail comes before that with the pin.
  await turns.settle();

  const payment = {
    headers: { ...headers, "idempotency-key": `payment-${base}` },
    body: { timesheet: { timesheet_ids: [base + 1, base + 2], state: "paid", passcode: "4711" } },
  };
  const paid = await request("bulk-update-timesheets", payment);
  expect((await request("bulk-update-timesheets", payment)).body).toEqual(paid.body);
  const page = await request("list-timesheets", { headers, query: { per_page: "1" } });
  expect(page.body.timesheets[0].id).toBe(base + 3);
  await request("request-password-reset", { body: { user: { login } } });
  await turns.settle();
  const cursor = /[?&]cursor=([\w-]+)/.exec(page.headers.link ?? "")?.[1] ?? "";
  const pin = newestPin(inbox, login);
  const changeId = paid.headers["change-id"] ?? "";
  return { base, changeId, refreshToken, cursor, pin, apiKey: made.key.secret };
}

/** The same person goes on, undoes the payment, reads the lists, marks the notifications, and sets a password by the pin. */
export async function goOn(turns: Turns, begun: Begun): Promise<void> {
  const [request, write, company, login] = [requestOf(turns), writeOf(turns), companyOf(begun), loginOf(begun)];
  const { base } = begun;
  const { headers } = await refresh(turns, begun.refreshToken);
  const payment = { parameters: { id: begun.changeId }, body: { change: { passcode: "4711" } } };
  await request("undo-change", { headers, ...payment });
  await turns.act("mark-overdue", ({ work }) => work("mark-overdue", {}));
  await write(lines.timesheetLine(base + 3, company, { version: 2, total: "7.00" }));
  await write(lines.jobLine(base + 2, company, { title: "Crane driver" }));
  const next = await request("list-timesheets", { headers, query: { per_page: "1", cursor: begun.cursor } });
  expect(next.body.timesheets[0].id).toBe(base + 2);
  await write({ type: "timesheet", id: base + 2, version: 3, deleted: true });
  await turns.settle();

  const { body: overdue } = await request("list-invoices", { headers, query: { by_number: "inv-2026" } });
  expect(overdue.invoices).toMatchObject([{ id: base + 2, state: "overdue" }, { id: base + 1 }]);
  const { body: left } = await request("list-timesheets", { headers });
  expect(left.timesheets).toMatchObject([{ id: base + 3 }, { id: base + 1, state: "pending" }]);
  const unread = async () => (await request("get-unread-counts", { headers })).body.notifications;
  const total = await unread();
  const byKey = { headers: { authorization: `Bearer ${begun.apiKey}` } };
  expect((await request("get-unread-counts", byKey)).body.notifications).toBe(total);
  const { body: listed } = await request("list-api-keys", { headers });
  await request("delete-api-key", { headers, parameters: { id: String(listed.keys[0].id) } });
  await request("get-unread-counts", byKey, 401);
  const newest = (await request("list-notifications", { headers })).body.notifications[0].id;
  const seen = { notification: { up_to_id: newest, read: true } };
  const marked = await request("mark-notifications", { headers, body: seen });
  expect([total > 0, marked.headers.total, await unread()]).toEqual([true, String(total), 0]);

  const { body: confirmed } = await request("confirm-login", { query: { login, pin: begun.pin } });
  const { reset_password_token } = confirmed.user;
  const chosen = { reset_password_token, password, password_confirmation: password };
  await request("set-password", { body: { user: chosen } });
  await request("sign-in", { body: { user: { login, password } } });
  await turns.settle();
}

async function refresh(turns: Turns, refresh_token: string) {
  const { body } = await requestOf(turns)("refresh-token", { body: { token: { refresh_token } } });
  const { access_token, refresh_token: refreshToken } = body.token;
  return { headers: { authorization: `Bearer ${access_token}` }, refreshToken };
}
