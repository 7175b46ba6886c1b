import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/finance/list-timesheets.ts";
import { listTimesheets } from "../../../shared/contract/finance.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { costOf } from "../../support/records/costs.ts";
import { callerLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn, walkPages } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;

useService();

beforeAll(() =>
  store([
    ...Array.from({ length: 24 }, (_, index) =>
      timesheetLine(index + 1, 1, {
        state: index % 2 ? "paid" : "pending",
        date: `2026-05-${String(index + 1).padStart(2, "0")}`,
      }),
    ),
    timesheetLine(101, 2),
  ]),
);

function list(query: Readonly<Record<string, string | undefined>> = {}, as: TestUser = operator) {
  return call(handler, listTimesheets, { as, query });
}

describe("200", () => {
  test("D37: the newest 20 of the caller's company come first, with the total of all", async () => {
    const answer = await list();
    expect(idsIn(answer)).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index));
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "24" });
    expect(idsIn(await list({ page: "2" }))).toEqual([4, 3, 2, 1]);
  });

  test("a timesheet holds the interface's fields and no others", async () => {
    const { type, company_id, ...shown } = timesheetLine(101, 2);
    expect((await list({ by_company: "2" }, admin)).body).toEqual({
      timesheets: [{ ...shown, payment_state: "pending" }],
    });
    expect([type, company_id]).toEqual(["timesheet", 2]);
  });

  test("D2: an admin sees every company's, an operator an empty list for another's", async () => {
    expect((await list({}, admin)).headers.total).toBe("25");
    expect(await list({ by_company: "2" })).toMatchObject({ body: { timesheets: [] }, headers: { total: "0" } });
  });

  test("D21, D22: state and dates combine, both ends included, compared with date", async () => {
    expect(idsIn(await list({ by_state: "paid", from_date: "2026-05-20", to_date: "2026-05-24" }))).toEqual([
      24, 22, 20,
    ]);
    expect((await list({ by_state: "paid,pending" })).headers.total).toBe("24");
  });

  test("D22, D37: ids of 16 digits are found, also within dates", async () => {
    const [company, ids] = [9_000_000_000_000_001, [Number.MAX_SAFE_INTEGER, 1_234_567_890_123_456, 50]];
    await store(ids.map((id) => timesheetLine(id, company, { date: "2025-05-04" })));
    const query = { by_company: String(company), from_date: "2025-01-01", to_date: "2025-12-31" };
    expect(idsIn(await list(query, admin))).toEqual(ids);
  });

  test("D2, D22: an admin's dates reach every company's", async () => {
    expect(idsIn(await list({ from_date: "2026-05-03", to_date: "2026-05-04" }, admin))).toEqual([101, 4, 3]);
  });
});

describe("a driver", () => {
  const day = 86_400_000;
  let lastDriver = 1_000;

  /** The date of a day so many days ago, in UTC. */
  function ago(days: number): string {
    return new Date(Date.now() - days * day).toISOString().slice(0, 10);
  }

  /** A new driver with a profile, or without one. */
  async function newDriver(profile: number | null = ++lastDriver * 10): Promise<TestUser> {
    const as = { id: ++lastDriver, role: "driver", company_id: null } as const;
    await store([callerLine(as, { profile_id: profile, email: null })]);
    return as;
  }

  function workOf(profile_id: number, id: number, changes: Record<string, unknown> = {}, company = 1) {
    const { driver } = timesheetLine(id, company);
    return timesheetLine(id, company, { date: ago(id % 100), driver: { ...driver, profile_id }, ...changes });
  }

  async function shownTo(as: TestUser, query: Record<string, string> = {}): Promise<[number[], string]> {
    const answer = await list(query, as);
    expect(answer.status).toBe(200);
    return [idsIn(answer), answer.headers.total ?? ""];
  }

  test("D2, D37: lists those of the own profile in any company, newest first; a second driver others, one without a profile none", async () => {
    const [one, other, none] = [await newDriver(71), await newDriver(72), await newDriver(null)];
    await store([
      workOf(71, 201),
      workOf(72, 202),
      workOf(71, 203, { state: "paid" }, 2),
      workOf(71, 204, { date: ago(2) }),
    ]);
    expect(await shownTo(one)).toEqual([[204, 203, 201], "3"]);
    expect(await shownTo({ ...one, company_id: 1 })).toEqual([[204, 203, 201], "3"]);
    expect(await shownTo(other)).toEqual([[202], "1"]);
    expect(await shownTo(none)).toEqual([[], "0"]);
    expect(await shownTo({ id: 999_999, role: "driver", company_id: null })).toEqual([[], "0"]);
    const [first] = (await list({}, one)).body.timesheets;
    expect(first).toEqual(
      (await list({ by_company: "1", from_date: ago(2), to_date: ago(2) }, admin)).body.timesheets[0],
    );
  });

  test("D22: filters combine: state, dates with both ends, and company", async () => {
    const as = await newDriver(73);
    const states = ["paid", "pending"];
    await store([1, 2, 3, 4, 5, 6].map((n) => workOf(73, 300 + n, { state: states[n % 2] }, n > 4 ? 2 : 1)));
    expect(await shownTo(as, { by_state: "pending" })).toEqual([[305, 303, 301], "3"]);
    expect(await shownTo(as, { from_date: ago(5), to_date: ago(2) })).toEqual([[305, 304, 303, 302], "4"]);
    expect(await shownTo(as, { from_date: ago(2), by_state: "paid" })).toEqual([[302], "1"]);
    expect(await shownTo(as, { to_date: ago(5), by_company: "2" })).toEqual([[306, 305], "2"]);
    expect(await shownTo(as, { by_company: "9" })).toEqual([[], "0"]);
  });

  test("D2: who gets another profile, and a timesheet that gets another driver, move at once", async () => {
    const [one, other] = [await newDriver(75), await newDriver(76)];
    await store([workOf(75, 501), workOf(75, 502), workOf(76, 503)]);
    await write(workOf(76, 502));
    expect([await shownTo(one), await shownTo(other)]).toEqual([
      [[501], "1"],
      [[503, 502], "2"],
    ]);
    await write({ type: "user", id: one.id, profile_id: null });
    await write({ type: "user", id: other.id, profile_id: 75 });
    expect([await shownTo(one), await shownTo(other)]).toEqual([
      [[], "0"],
      [[501], "1"],
    ]);
  });

  test("D35: another date, another driver or a removal takes it out of the range; a payment leaves its key", async () => {
    const as = await newDriver(77);
    await store([workOf(77, 601), workOf(77, 602)]);
    const marked = await readItem(recordKey("TIMESHEET", 601));
    await write({ type: "timesheet", id: 601, state: "paid" });
    const paid = await readItem(recordKey("TIMESHEET", 601));
    expect([paid?.mark_key, paid?.mark_order]).toEqual(["PROFILE#77#TIMESHEETS", marked?.mark_order]);
    expect(await shownTo(as, { by_state: "paid" })).toEqual([[601], "1"]);
    await write({ type: "timesheet", id: 601, date: ago(50) });
    await write({ type: "timesheet", id: 602, deleted: true });
    expect(await shownTo(as, { from_date: ago(49) })).toEqual([[], "0"]);
    expect(await shownTo(as)).toEqual([[601], "1"]);
  });

  test("D30: pages by number and by Link, with dates and without, give each once, with the same total", async () => {
    const as = await newDriver(78);
    const ids = Array.from({ length: 25 }, (_, at) => 725 - at);
    await store(ids.map((id) => workOf(78, id)));
    for (const dates of [{}, { from_date: ago(60) }] as Record<string, string>[]) {
      expect(await shownTo(as, { ...dates, page: "3", per_page: "10" })).toEqual([ids.slice(20), "25"]);
      expect(await shownTo(as, { ...dates, page: "4", per_page: "10" })).toEqual([[], "25"]);
      const pages = await walkPages((query) => list(query, as), { ...dates, per_page: "5" });
      expect(pages).toHaveLength(5);
      expect(new Set(pages.map(({ headers }) => headers.total))).toEqual(new Set(["25"]));
      expect(pages.flatMap(idsIn)).toEqual(ids);
    }
  });

  test("D37: without dates the last 400 days and what is dated ahead are listed, without from_date the 400 up to to_date", async () => {
    const as = await newDriver(79);
    const days = { 801: -2, 802: 399, 803: 400, 804: 798, 805: 799 };
    await store(Object.entries(days).map(([id, back]) => workOf(79, Number(id), { date: ago(back) })));
    expect(await shownTo(as)).toEqual([[802, 801], "2"]);
    expect(await shownTo(as, { to_date: ago(399) })).toEqual([[804, 803, 802], "3"]);
    expect(await shownTo(as, { from_date: ago(799), to_date: ago(400) })).toEqual([[805, 804, 803], "3"]);
    expect(await shownTo(as, { from_date: ago(399) })).toEqual([[802, 801], "2"]);
  });

  test.each<Record<string, string>>([
    { from_date: ago(400) },
    { from_date: ago(500), to_date: ago(100) },
    { from_date: "0001-01-01" },
  ])("422 query_too_broad: more than 400 days, which names the first that would do: %j", async (query) => {
    const earliest = query.to_date === undefined ? ago(399) : ago(499);
    expect(await list(query, await newDriver())).toMatchObject({
      status: 422,
      body: {
        code: "query_too_broad",
        errors: [{ parameter: "from_date", code: "too_broad", detail: expect.stringContaining(earliest) }],
      },
    });
  });

  test("a year of 250 costs at most 130 read units in three round trips, whichever page", async () => {
    const as = await newDriver(1_234_567_890);
    await store(Array.from({ length: 250 }, (_, at) => workOf(1_234_567_890, 1_000_000_000 + at, { date: ago(at) })));
    await list({}, as);
    for (const query of [{}, { by_state: "pending", page: "3", per_page: "100" }] as Record<string, string>[]) {
      const cost = await costOf(() => list(query, as));
      expect(cost).toMatchObject({ writeUnits: 0, sequentialTrips: 3 });
      expect(cost.readUnits).toBeLessThanOrEqual(130);
    }
  }, 60_000);

  test("422 query_too_broad: more than 1,000 timesheets in the range", async () => {
    const as = await newDriver(80);
    await store(Array.from({ length: 1_001 }, (_, at) => workOf(80, 20_001 + at, { date: ago(at % 300) })));
    const refused = { status: 422, body: { code: "query_too_broad", errors: [{ parameter: "from_date" }] } };
    expect(await list({}, as)).toMatchObject(refused);
    const [ids, total] = await shownTo(as, { from_date: ago(298), per_page: "100", page: "10" });
    expect([ids.length, total]).toEqual([98, "998"]);
  }, 120_000);
});
