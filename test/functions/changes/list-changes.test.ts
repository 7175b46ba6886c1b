import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/changes/list-changes.ts";
import { keepHistory } from "../../../functions/workers/write-history.ts";
import { listChanges } from "../../../shared/contract/changes.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { logChange } from "../../support/records/change-log.ts";
import { costOf } from "../../support/records/costs.ts";
import { changeIdOf, type KeptChange, putHistory } from "../../support/records/history.ts";
import { callerLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { mark } from "../../support/requests/changes.ts";
import { nextQuery, walkPages } from "../../support/requests/pages.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const stranger = { id: 3, role: "operator", company_id: 2 } as const;

type Entry = { id: string; at: string; record_type: string; record_id: number };

useService();
beforeAll(() =>
  store([callerLine(operator, { first_name: "Olivia", last_name: "Hart" }), timesheetLine(1, 1), timesheetLine(3, 1)]),
);

const list = (query: Readonly<Record<string, string | undefined>> = {}, as: TestUser = admin) =>
  call(handler, listChanges, { as, query });

/** Every entry of a list, page by page. */
async function walk(query: Record<string, string>, as: TestUser = admin): Promise<Entry[]> {
  const pages = await walkPages((next) => list(next, as), query);
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  return pages.flatMap(({ body }) => body.changes);
}

const moment = (index: number) => new Date(Date.UTC(2026, 4, 1, 9) - index * 1_000).toISOString();
const recordsOf = (entries: readonly Entry[]) => entries.map(({ record_id }) => record_id);

describe("200", () => {
  test("D41: who changed a record, when, by which call, and what stood there before", async () => {
    await putHistory([{ id: 11, before: { state: "pending", total: "1.00" }, after: { state: "paid" } }]);
    const { body, headers } = await list({ record_type: "Timesheet", record_id: "11" });
    expect(body.changes).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{22}$/),
        change_id: changeIdOf(0),
        at: "2026-05-01T09:00:00.000Z",
        record_type: "Timesheet",
        record_id: 11,
        action: "updated",
        by: { kind: "user", id: "2", name: "Olivia Hart" },
        operation: "bulk-update-timesheets",
        request_id: "request-1",
        key_id: null,
        fields: [
          { name: "state", before: "pending", after: "paid" },
          { name: "total", before: "1.00", after: null },
        ],
      },
    ]);
    expect(headers).toMatchObject({ "per-page": "20", "cache-control": "no-store" });
    expect(headers.total ?? headers.link).toBeUndefined();
  });

  test("D41: what the consumer of the stream has kept of a bulk update is found by every filter", async () => {
    await keepHistory(await logChange(recordKey("TIMESHEET", 1), () => mark(operator, [1], "paid")));
    const [own] = (await list({ record_type: "Timesheet", record_id: "1" }, operator)).body.changes;
    const both = { before: "pending", after: "paid" };
    const fields = ["payment_state", "state"].map((name) => ({ name, ...both }));
    expect(own).toMatchObject({ operation: "bulk-update-timesheets", by: { id: "2", name: "Olivia Hart" }, fields });
    const queries: Record<string, string>[] = [{ by_user: "2" }, { by_company: "1" }, { change_id: own.change_id }];
    for (const query of queries) {
      expect((await list(query)).body.changes[0]).toEqual(own);
    }
  });

  test("D41: a user's story has the ends of their sessions, and an import is one entry without a record", async () => {
    const changeId = changeIdOf(21);
    await putHistory([
      { type: "user", id: 21, at: moment(0), before: { password: "changed" }, after: { password: "changed" } },
      { type: "session", id: "zz-family", user_id: 21, did: "ended", at: moment(1), by: "user#21" },
      {
        type: "import",
        id: "run-1",
        did: "imported",
        at: moment(2),
        by: "import#run-1",
        changeId,
        before: undefined,
        after: { created: 3 },
      },
    ]);
    const own = await list({ record_type: "User", record_id: "21" });
    expect(own.body.changes).toMatchObject([
      { record_id: 21, action: "updated", fields: [{ name: "password", before: "changed", after: "changed" }] },
      { record_type: "User", record_id: 21, action: "session_ended", by: { kind: "user", id: "21", name: null } },
    ]);
    const [run, ...others] = await walk({ change_id: changeId });
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      record_type: "Import",
      record_id: null,
      by: { kind: "import", id: "run-1", name: null },
      action: "imported",
    });
  });

  test.each([
    ["event#chat#evt-7", { kind: "event", id: "chat#evt-7", name: null }],
    ["schedule#mark-overdue", { kind: "schedule", id: "mark-overdue", name: null }],
    ["user#99999", { kind: "user", id: "99999", name: null }],
    ["what a later release says", { kind: "unknown", id: null, name: null }],
  ])("D41: by %s", async (by, shown) => {
    await putHistory([{ type: "job", id: 31, by }]);
    const { body } = await list({ record_type: "Job", record_id: "31", per_page: "1" });
    expect(body.changes[0].by).toEqual(shown);
  });

  test("D41: a write that does not say its author has none", async () => {
    await putHistory([{ type: "job", id: 32, by: undefined }]);
    const { body } = await list({ record_type: "Job", record_id: "32" });
    const by = { kind: "unknown", id: null, name: null };
    expect(body.changes).toMatchObject([{ change_id: null, by, operation: null, request_id: null, action: "updated" }]);
  });
});

describe("D30: by cursor", () => {
  const changeId = changeIdOf(4);
  // Of two records a second, over days of which some are empty; each has two changes in one second, by one change.
  const changes = Array.from({ length: 24 }, (_, index): KeptChange => {
    const day = 10 + 3 * Math.floor(index / 8);
    const at = `2026-03-${day}T09:00:0${index % 4 < 2 ? 1 : 2}.000Z`;
    return { id: 400 + (index % 2), at, changeId, by: "user#40", company_id: 4 };
  });
  beforeAll(() => putHistory(changes));

  const filters: Record<string, Record<string, string>> = {
    record: { record_type: "Timesheet", record_id: "400" },
    user: { by_user: "40" },
    company: { by_company: "4" },
    change: { change_id: changeId.toUpperCase() },
  };

  test.each(Object.keys(filters))("by %s, pages of any size give every entry once, newest first", async (name) => {
    const filter = filters[name] ?? {};
    const whole = await walk({ ...filter, per_page: "100" });
    const own = whole.filter(({ record_id }) => [400, 401].includes(record_id));
    expect(own).toHaveLength(name === "record" ? 12 : 24);
    expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
    const moments = whole.map(({ at }) => at.slice(0, 19));
    expect(moments).toEqual(moments.toSorted().reverse());
    for (const per_page of ["1", "5", "7"]) expect(await walk({ ...filter, per_page })).toEqual(whole);
  });

  test("the header Link has next alone, with the filter, and there are no page numbers", async () => {
    const { headers } = await list({ by_user: "40", per_page: "5" });
    expect(headers.link).toMatch(/^<[^>]*\?by_user=40&per_page=5&cursor=[\w-]{20,200}>; rel="next"$/);
    expectProblem(await list({ page: "2" }), 422, "unknown_parameter");
  });

  test("a cursor shows nothing, and holds for its own filter and its own caller's reach alone", async () => {
    const { cursor = "" } = nextQuery(await list({ by_user: "40", per_page: "5" })) ?? {};
    expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toMatch(/timesheet|400|17\d{8}/i);
    for (const [query, as] of [
      [{ by_user: "41", cursor }, admin],
      [{ by_company: "4", cursor }, admin],
      [{ cursor }, admin],
      [{ by_user: "40", cursor }, operator],
      [{ by_user: "40", cursor: cursor.replace(/..$/, (end) => (end === "AA" ? "BA" : "AA")) }, admin],
      [{ by_user: "40", cursor: Buffer.from("9999999999.x#TIMESHEET#1").toString("base64url") }, admin],
    ] as const) {
      expectProblem(await list(query, as), 422, "cursor_invalid");
    }
  });
});

describe("D2: operators", () => {
  const changeId = changeIdOf(5);
  beforeAll(() =>
    putHistory([
      { id: 51, at: moment(1), changeId, by: "user#50" },
      { id: 52, at: moment(2), changeId, by: "user#50", company_id: 2 },
      { type: "user", id: 53, at: moment(3), changeId, by: "user#50" },
      // A way from one company to another is for admins.
      { id: 54, at: moment(4), changeId, by: "user#50", company_id: undefined },
      { type: "invoice", id: 55, at: moment(5), changeId, by: "user#50" },
    ]),
  );

  test.each([
    ["by user", { by_user: "50" }],
    ["by change", { change_id: changeId }],
  ])("see %s what is of their company alone", async (_, query) => {
    expect(recordsOf(await walk(query))).toEqual([51, 52, 53, 54, 55]);
    expect(recordsOf(await walk(query, operator))).toEqual([51, 55]);
    expect(recordsOf(await walk({ ...query, per_page: "1" }, operator))).toEqual([51, 55]);
    expect(recordsOf(await walk(query, stranger))).toEqual([52]);
  });

  test("see without a filter their company's timesheets, invoices and jobs, and of another company nothing", async () => {
    const entries = await walk({}, operator);
    expect(recordsOf(entries)).toEqual(expect.arrayContaining([51, 55]));
    expect(entries.filter(({ record_id }) => [52, 53, 54].includes(record_id))).toEqual([]);
    expect(entries.map(({ record_type }) => record_type)).not.toContain("User");
    expect(await walk({ by_company: "1" }, operator)).toEqual(entries);
    expect(await walk({ by_company: "1" }, stranger)).toEqual([]);
  });

  describe("who ask for a user", () => {
    const asking = { id: 600, role: "operator", company_id: 60 } as const;
    const many = (change: KeptChange) =>
      Array.from({ length: 210 }, (_, at) => ({ id: 60_000 + at, at: moment(at), ...change }));
    beforeAll(async () => {
      await store([userLine(601, { financial_company_id: 60, role: "operator" })]);
      await putHistory([
        ...many({ by: "user#601", company_id: 2 }),
        ...many({ by: "user#602", company_id: 2 }),
        { id: 61, by: "user#601", company_id: 60, at: moment(300) },
        { id: 62, by: "user#603", company_id: 60, at: moment(301) },
      ]);
    });

    test("do not learn that somebody of another company changed anything there", async () => {
      for (const by_user of ["602", "699"]) {
        const { body, headers } = await list({ by_user, per_page: "1" }, asking);
        expect(body.changes).toEqual([]);
        expect(headers.link).toBeUndefined();
      }
      expect(recordsOf(await walk({ by_user: "603" }, asking))).toEqual([62]);
    });

    test("do not learn how much a colleague who came from elsewhere has changed there", async () => {
      const { body, headers } = await list({ by_user: "601", per_page: "1" }, asking);
      expect(recordsOf(body.changes)).toEqual([61]);
      expect(headers.link).toBeUndefined();
    });

    test("get short pages of somebody who changed little of theirs, and never read more than 202 changes", async () => {
      await putHistory(many({ by: "user#604", company_id: 60 }));
      const query = { by_user: "603", per_page: "1" };
      const first = await list(query, asking);
      expect(first.body.changes).toEqual([]);
      expect(nextQuery(first)).toBeDefined();
      expect(recordsOf(await walk(query, asking))).toEqual([62]);
      const { readUnits } = await costOf(() => list(query, asking));
      expect(readUnits).toBeLessThanOrEqual(12);
      const ofMany = await costOf(() => list({ ...query, by_user: "604" }, asking));
      expect(ofMany.readUnits).toBeLessThanOrEqual(2);
    });
  });
});

describe("D41: whether other companies are in a change, or in a record's past, does not show in next", () => {
  /** The number of entries of each page, and whether another one follows. */
  async function pagesOf(query: Record<string, string>, as: TestUser): Promise<string[]> {
    const pages = await walkPages((next) => list(next, as), query);
    return pages.map((page) => `${page.body.changes.length}${nextQuery(page) ? ", next" : ""}`);
  }

  /** The 90 entries of a call. */
  const call = (number: number, ofCompany: (at: number) => number | undefined) =>
    Array.from({ length: 90 }, (_, at) => ({
      id: number * 1_000 + at,
      at: moment(at),
      changeId: changeIdOf(number),
      by: "user#80",
      company_id: ofCompany(at),
    }));

  const ofThree = [0, 1, 2].map((at) => ({ id: 80_000 + at, at: moment(at), changeId: changeIdOf(80), by: "user#80" }));
  beforeAll(() => putHistory(ofThree));

  test.each([
    ["before it", 81, (at: number) => (at > 86 ? 1 : 2)],
    ["after it", 82, (at: number) => (at < 3 ? 1 : 2)],
    ["between", 83, (at: number) => (at % 40 === 0 ? 1 : 2)],
    ["and some that moved", 84, (at: number) => (at < 3 ? 1 : undefined)],
  ])("three entries of one's own are three pages of one, with those of others %s", async (_, number, ofCompany) => {
    await putHistory(call(number, ofCompany));
    const alone = await pagesOf({ change_id: changeIdOf(80), per_page: "1" }, operator);
    expect(alone).toEqual(["1, next", "1, next", "1"]);
    expect(await pagesOf({ change_id: changeIdOf(number), per_page: "1" }, operator)).toEqual(alone);
    const many = await pagesOf({ change_id: changeIdOf(number), per_page: "3" }, operator);
    expect(many).toEqual(["3"]);
  });

  test("nor do those of a record that was another company's for longer", async () => {
    const of = (company_id: number | undefined, from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: 85, at: moment(from + at), company_id }));
    await putHistory([...of(1, 0, 2), ...of(undefined, 2, 1), ...of(2, 3, 210)]);
    const record = { record_type: "Timesheet", record_id: "85" };
    expect(await pagesOf({ ...record, per_page: "1" }, operator)).toEqual(["1, next", "1"]);
    expect(await pagesOf({ ...record, per_page: "2" }, operator)).toEqual(["2"]);
  });

  test("of an import of thousands, the reads for a page are bounded, and the pages lead to all of one's own", async () => {
    const changeId = changeIdOf(86);
    const others = Array.from({ length: 1_010 }, (_, at) => ({ id: 86_000 + at, at: moment(at), company_id: 2 }));
    await putHistory([...others, { id: 87_999, at: moment(5_000) }].map((each) => ({ ...each, changeId })));
    const query = { change_id: changeId, per_page: "1" };
    expect(recordsOf(await walk(query, operator))).toEqual([87_999]);
    const { readUnits } = await costOf(() => list(query, operator));
    expect(readUnits).toBeLessThanOrEqual((2 + 5 * 201) * 0.5);
  });
});

describe("404", () => {
  test("D2, D39: another company's record is as one that is absent, with many changes as with few", async () => {
    await putHistory(Array.from({ length: 210 }, (_, at) => ({ id: 71, company_id: 2, at: moment(at) })));
    await putHistory([{ id: 72, company_id: 2 }]);
    for (const record_id of ["71", "72", "79"]) {
      const query = { record_type: "Timesheet", record_id, per_page: "1" };
      expectProblem(await list(query, operator), 404, "record_not_found");
    }
    expectProblem(await list({ record_type: "Timesheet", record_id: "79" }), 404, "record_not_found");
  });

  test("D41: users are for admins, whether they are there or not", async () => {
    for (const record_id of ["2", "999"]) {
      expectProblem(await list({ record_type: "User", record_id }, operator), 404, "record_not_found");
    }
    expect((await list({ record_type: "User", record_id: "2" })).status).toBe(200);
    expectProblem(await list({ record_type: "User", record_id: "999" }), 404, "record_not_found");
  });

  test("D41: a record that is there and has no changes is none; one that is gone and has some is none either", async () => {
    expect((await list({ record_type: "Timesheet", record_id: "3" }, operator)).body).toEqual({ changes: [] });
    await putHistory([{ id: 73, did: "removed" }]);
    expect((await list({ record_type: "Timesheet", record_id: "73" }, operator)).body.changes).toHaveLength(1);
  });
});

describe("422", () => {
  test("D41: there is no list of all companies' changes: the errors name the filters", async () => {
    for (const query of [undefined, { per_page: "5" }]) {
      const answer = await list(query);
      expectProblem(answer, 422, "fields_invalid");
      const parameters = ["record_type", "record_id", "by_user", "by_company", "change_id"];
      const detail = expect.stringContaining("one filter is required");
      expect(answer.body.errors).toEqual(parameters.map((parameter) => ({ parameter, code: "missing", detail })));
    }
  });
});
