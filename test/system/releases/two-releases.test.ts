import { beforeAll, expect, test, vi } from "vitest";
import { entityOf } from "../../../shared/db/entities.ts";
import { keyOf } from "../../../shared/db/table/item-keys.ts";
import type { Item } from "../../../shared/db/table/table.ts";
import * as lines from "../../support/records/records.ts";
import { newestPin } from "../../support/requests/pins.ts";
import { useService } from "../../support/service/service.ts";
import { addition, loadRelease, type Release } from "./release.ts";
import { takeTurns } from "./turns.ts";

const password = "seven quiet harbours";
const service = useService();
let releases: Record<"old" | "next", Release>;

beforeAll(async () => {
  releases = { old: await loadRelease("old"), next: await loadRelease("next") };
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
  await releases.old.work("rotate-signing-key", {});
  vi.useRealTimers();
});

const orders = [
  ["old", "next", 100],
  ["next", "old", 200],
] as const;

test.each(orders)(
  "D38: %s release first, then the %s one: nothing is lost",
  async (first, second, base) => {
    const { act, settle, items } = await takeTurns([releases[first], releases[second]]);
    const request = (...given: Parameters<Release["request"]>) => act(given[0], (release) => release.request(...given));
    const write = (line: object) => act("import", (release) => release.write(line, { notifies: true }));
    const [company, operator, login] = [base + 1, base + 2, `user-${base + 2}@example.com`];
    const imported = [
      lines.companyLine(company),
      lines.userLine(operator, { financial_company_id: company, password, passcode: "4711" }),
      lines.userLine(base + 3, { financial_company_id: company, profile_id: base, version: 3 }),
      ...[1, 2, 3].map((id) => lines.timesheetLine(base + id, company, { version: 1 })),
      ...[1, 2].map((id) => lines.invoiceLine(base + id, company, { due_date: "2026-05-11" })),
      ...[1, 2].map((id) => lines.jobLine(base + id, company)),
    ];
    for (const line of imported) await write(line);
    await settle();

    await request("sign-in", { body: { user: { login, password: "not this harbour" } } }, 401);
    const { body: signedIn } = await request("sign-in", { body: { user: { login, password } } });
    const { body } = await request("refresh-token", {
      body: { token: { refresh_token: signedIn.token.refresh_token } },
    });
    const headers = { authorization: `Bearer ${body.token.access_token}` };
    const device = { token: String(base).padStart(64, "a"), platform: "android", device_id: crypto.randomUUID() };
    for (let times = 0; times < 2; times += 1) {
      await request("register-device-token", { headers, body: { notification: device } });
    }

    const payment = {
      headers: { ...headers, "idempotency-key": `payment-${base}` },
      body: { timesheet: { timesheet_ids: [base + 1, base + 2], state: "paid", passcode: "4711" } },
    };
    const paid = await request("bulk-update-timesheets", payment);
    expect((await request("bulk-update-timesheets", payment)).body).toEqual(paid.body);
    await settle();
    const undone = { id: paid.headers["change-id"] ?? "" };
    await request("undo-change", { headers, parameters: undone, body: { change: { passcode: "4711" } } });
    await act("mark-overdue", ({ work }) => work("mark-overdue", {}));
    await write(lines.timesheetLine(base + 3, company, { version: 2, total: "7.00" }));
    await write(lines.jobLine(base + 2, company, { title: "Crane driver" }));
    await write({ type: "timesheet", id: base + 2, version: 3, deleted: true });
    await settle();

    const { body: overdue } = await request("list-invoices", { headers, query: { by_number: "inv-2026" } });
    expect(overdue.invoices).toMatchObject([{ id: base + 2, state: "overdue" }, { id: base + 1 }]);
    const page = await request("list-timesheets", { headers, query: { per_page: "1" } });
    const cursor = /[?&]cursor=([\w-]+)/.exec(page.headers.link ?? "")?.[1];
    const next = await request("list-timesheets", { headers, query: { per_page: "1", cursor } });
    expect([page, next].map((each) => each.body.timesheets[0].id)).toEqual([base + 3, base + 1]);
    const unread = async () => (await request("get-unread-counts", { headers })).body.notifications;
    const total = await unread();
    const marked = await request("mark-notifications", { headers, body: { notification: { read: true } } });
    expect([total > 0, marked.headers.total, await unread()]).toEqual([true, String(total), 0]);

    await request("request-password-reset", { body: { user: { login } } });
    await settle();
    const pin = newestPin(service.inbox, login);
    const { body: confirmed } = await request("confirm-login", { query: { login, pin } });
    const { reset_password_token } = confirmed.user;
    const chosen = { reset_password_token, password, password_confirmation: password };
    await request("set-password", { body: { user: chosen } });
    await request("sign-in", { body: { user: { login, password } } });
    await settle();

    // The test would prove nothing if the next release wrote few kinds of items.
    const kindsOf = (some: readonly Item[]) => new Set(some.map((item) => entityOf(keyOf(item))?.name)).size;
    expect(kindsOf(items().filter((item) => addition in item))).toBeGreaterThan(kindsOf(items()) / 2);
    await releases[second].expectExactCounters();
  },
  60_000,
);
