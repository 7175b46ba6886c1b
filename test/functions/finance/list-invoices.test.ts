import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { counterWrites } from "../../../shared/table/counters.ts";
import { transact } from "../../../shared/table/writes.ts";
import { allItems, putItems } from "../../support/records/items.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn, nextQuery, walkPages } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;
const client = { id: 3, role: "client", company_id: 2 } as const;
const busyOperator = { id: 4, role: "operator", company_id: 9 } as const;
const lateOperator = { id: 5, role: "operator", company_id: 7 } as const;
const states = ["pending", "paid", "overdue"];
/** A company and invoices of it whose ids have as many digits as one may have. */
const [wideCompany, wideIds] = [9_000_000_000_000_001, [Number.MAX_SAFE_INTEGER, 1_234_567_890_123_456, 50]];

useService();

beforeAll(async () => {
  const own = Array.from({ length: 45 }, (_, index) =>
    invoiceLine(index + 1, 1, {
      state: states[index % 3],
      issued_date: `2026-0${1 + Math.floor(index / 9)}-${String(1 + (index % 9) * 3).padStart(2, "0")}`,
    }),
  );
  const others = [invoiceLine(101, 2, { number: "ACME/0042" }), invoiceLine(102, 2, { number: "acme/0043" })];
  const many = Array.from({ length: 1_021 }, (_, index) => invoiceLine(10_000 + index, 9, { number: `BULK-${index}` }));
  const late = [701, 702, 703].map((id) => invoiceLine(id, 7, { number: `OLD ${id}` }));
  const wide = wideIds.map((id) => invoiceLine(id, wideCompany, { uuid: crypto.randomUUID() }));
  await store([...own, ...others, ...many, ...late, ...wide]);
});

function list(query: Record<string, string | undefined> = {}, as: TestUser = operator) {
  return call(handler, listInvoices, { as, query });
}

function countdown(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, index) => from - index);
}

describe("200", () => {
  test("the newest 20 of the caller's company come first, with per-page 20 and the total of all", async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(idsIn(answer)).toEqual(countdown(45, 26));
    expect(answer.headers).toMatchObject({
      "per-page": "20",
      total: "45",
      "content-type": "application/json; charset=utf-8",
    });
  });

  test("an invoice holds the interface's fields and no others", async () => {
    const { type, company_id, ...shown } = invoiceLine(101, 2, { number: "ACME/0042" });
    expect((await list({ by_number: "acme/0042" }, client)).body).toEqual({ invoices: [shown] });
    expect([type, company_id]).toEqual(["invoice", 2]);
  });

  test("D2: operators and clients see their own company's, an admin sees all", async () => {
    expect((await list({}, client)).headers.total).toBe("2");
    expect((await list({}, admin)).headers.total).toBe(String(45 + 2 + 1_021 + 3 + 3));
  });

  test("D22: by_company narrows an admin to one company; another tenant's is an empty list", async () => {
    expect((await list({ by_company: "2" }, admin)).headers.total).toBe("2");
    expect(idsIn(await list({ by_company: "1" }))).toEqual(countdown(45, 26));
    const foreign = await list({ by_company: "2" });
    expect(foreign).toMatchObject({ status: 200, body: { invoices: [] }, headers: { total: "0" } });
  });

  test.each<Record<string, string>>([
    {},
    { from_date: "2026-01-01", to_date: "2026-12-31" },
    { by_number: "INV" },
  ])("D22, D30: ids of 16 digits are found and walked in their order: %j", async (query) => {
    const filters = { by_company: String(wideCompany), ...query };
    const pages = await walkPages((next) => list(next, admin), { ...filters, per_page: "2" });
    expect(pages.flatMap(idsIn)).toEqual(wideIds);
    expect(pages.map(({ headers }) => headers.total)).toEqual(["3", "3"]);
  });

  test("D2, D22: an admin's dates and numbers reach every company's", async () => {
    expect(idsIn(await list({ from_date: "2026-05-22", to_date: "2026-05-25" }, admin))).toEqual([45, 44]);
    expect(idsIn(await list({ by_number: "Acme/" }, admin))).toEqual([102, 101]);
  });

  test("D22: by_state takes one value or a comma list", async () => {
    expect((await list({ by_state: "paid" })).headers.total).toBe("15");
    expect((await list({ by_state: "paid,overdue" })).headers.total).toBe("30");
    expect(idsIn(await list({ by_state: "overdue,paid", per_page: "4" }))).toEqual([45, 44, 42, 41]);
  });

  test("D21: from_date and to_date are inclusive, compared with issued_date, and take a timestamp's date", async () => {
    expect(idsIn(await list({ from_date: "2026-05-22", to_date: "2026-05-25" }))).toEqual([45, 44]);
    expect(idsIn(await list({ from_date: "2026-05-25T23:59:59.999Z" }))).toEqual([45]);
    expect(idsIn(await list({ to_date: "2026-01-01" }))).toEqual([1]);
  });

  test("D22: by_number finds the start of the number or of a part, in any case, without leading zeros", async () => {
    expect(idsIn(await list({ by_number: "ACME" }, client))).toEqual([102, 101]);
    expect(idsIn(await list({ by_number: " #acme-42 " }, client))).toEqual([101]);
    expect(idsIn(await list({ by_number: "--" }, client))).toEqual([]);
  });

  test("D22: a number with full-width letters, and one copied out of a chat, are found by either form", async () => {
    await store([invoiceLine(801, 8, { number: "ＳＰ－００７７" }), invoiceLine(802, 8, { number: "SP-0078" })]);
    const found = async (by_number: string) => idsIn(await list({ by_number, by_company: "8" }, admin));
    for (const typed of ["sp-77", "ＳＰ－７７", "SP\u200b-77\u200e", "SP\u221277"])
      expect(await found(typed)).toEqual([801]);
    for (const typed of ["SP-78", "ＳＰ－７８", "٧٨"]) expect(await found(typed)).toEqual([802]);
    expect(await found("ｓｐ")).toEqual([802, 801]);
  });

  test("D22: all filters combine with AND", async () => {
    const query = {
      by_state: "pending",
      from_date: "2026-03-01",
      to_date: "2026-04-30",
      by_number: "INV-2026",
      by_company: "1",
    };
    const answer = await list(query);
    expect(idsIn(answer)).toEqual([34, 31, 28, 25, 22, 19]);
    expect(answer.headers.total).toBe("6");
  });

  test("D22: empty values count as absent", async () => {
    const query = { by_state: "", from_date: "", to_date: "", by_company: "", by_number: "", cursor: "" };
    expect((await list(query)).headers.total).toBe("45");
  });

  test.each([
    [{ page: "", per_page: "" }, 20, 45],
    [{ per_page: "500" }, 100, 45],
    [{ per_page: "7", page: "2" }, 7, 38],
  ])("D30: %j shows a page of %i, from id %i on", async (query, perPage, first) => {
    const answer = await list(query);
    expect(answer.headers["per-page"]).toBe(String(perPage));
    expect(idsIn(answer)[0]).toBe(first);
  });

  test("D30: Link names first, prev, next and last, and keeps the other parameters", async () => {
    const { headers } = await list({ by_state: "pending", page: "2", per_page: "5" });
    const links = linksOf(headers.link);
    expect(links.get("first")).toBe(
      "https://api.example.com/api/v1/finance/invoices?by_state=pending&per_page=5&page=1",
    );
    expect(links.get("prev")).toContain("page=1");
    expect(links.get("last")).toContain("page=3");
    expect(links.get("next")).toMatch(/by_state=pending&per_page=5&page=3&cursor=/);
  });

  test("D30: Link repeats filters as they were read, however long they were sent", async () => {
    const query = {
      "by_state[]": `pending,${" ".repeat(100)}paid,paid`,
      from_date: "2020-01-01T00:00:00Z",
      by_number: "",
    };
    const { headers } = await list({ ...query, per_page: `${"0".repeat(3_000)}5`, page: "2" });
    expect(linksOf(headers.link).get("first")).toBe(
      "https://api.example.com/api/v1/finance/invoices?by_state=pending%2Cpaid&from_date=2020-01-01&per_page=5&page=1",
    );
  });

  test("D30: a single page has no Link", async () => {
    expect((await list({}, client)).headers.link).toBeUndefined();
  });

  test.each([
    [{ by_state: "pending,paid,overdue" }, 1],
    [{ from_date: "2026-02-01" }, 10],
    [{ by_number: "INV" }, 1],
  ])("D30: walking %j by Link and by page gives each once", async (filters, last) => {
    const byPage: number[] = [];
    for (let page = 1; page <= 9; page += 1)
      byPage.push(...idsIn(await list({ ...filters, per_page: "6", page: `${page}` })));
    expect(byPage).toEqual(countdown(45, last));
    expect((await walkPages(list, { ...filters, per_page: "6" })).flatMap(idsIn)).toEqual(byPage);
  });

  test("D30: a cursor without a page number leads on, too", async () => {
    const answer = await list({ cursor: nextQuery(await list())?.cursor });
    expect(idsIn(answer)).toEqual(countdown(25, 6));
    expect(linksOf(answer.headers.link).get("next")).not.toContain("page=");
  });
});

describe("D30: while an index is behind the table or ahead of it", () => {
  /** Adds to the counters of a company's pending invoices of 1 May, as if so many rows were not in the indexes. */
  const addTo = (companyId: number, amount: number) => {
    const counted = { ALL: "pending", "2026-05": "01p" };
    const writes = Object.entries(counted).map(([month, figure]) => {
      return { list: "INVOICES" as const, companyId, month, figures: new Map([[figure, amount]]) };
    });
    return transact(counterWrites(writes, 0));
  };
  const both: Record<string, string>[] = [{}, { from_date: "2026-05-01" }];

  test.each([
    [5, "3", "8"],
    [-2, "3", "3"],
  ])("rows that end are the total, and with rows behind a page the total is at least their number: %i", async (more, whole, part) => {
    await addTo(7, more);
    for (const dates of both) {
      expect((await list(dates, lateOperator)).headers.total).toBe(whole);
      expect((await list({ ...dates, per_page: "2" }, lateOperator)).headers.total).toBe(part);
    }
    await addTo(7, -more);
  });

  test("the total of all companies decides of no page that it is past the end", async () => {
    await addTo(9, -1_000);
    for (const dates of both)
      expect(idsIn(await list({ ...dates, page: "6" }, admin))).toEqual(countdown(10_922, 10_903));
    await addTo(9, 1_000);
  });

  test("a search goes on behind an invoice that has another number by now, and does not count it", async () => {
    const entries = (await allItems(["COMPANY#7#NUMBERS#"])).filter(({ sk }) => String(sk).endsWith("#703"));
    await store([invoiceLine(703, 7, { number: "NEW" })]);
    await putItems(entries);
    const page = await list({ by_number: "old", per_page: "1" }, lateOperator);
    expect([idsIn(page), page.headers.total, nextQuery(page)]).toEqual([[702], "2", expect.anything()]);
    expect(idsIn(await list({ by_number: "old" }, lateOperator))).toEqual([702, 701]);
  });
});

describe("422", () => {
  test("D30: a cursor of other filters, or none at all, is cursor_invalid", async () => {
    const { cursor = "" } = nextQuery(await list({ by_state: "paid", per_page: "2" })) ?? {};
    expect((await list({ by_state: "paid", cursor })).status).toBe(200);
    for (const query of [{ by_state: "pending", cursor }, { cursor }, { cursor: "bm9uc2Vuc2U" }]) {
      expect(await list(query)).toMatchObject({ status: 422, body: { code: "cursor_invalid" } });
    }
  });

  test("D21, D30: pages deeper than 1,000 items are refused naming cursor, within dates and without", async () => {
    for (const dates of [{}, { from_date: "2020-01-01" }]) {
      const answer = await list({ page: "51", ...dates }, busyOperator);
      expect(answer).toMatchObject({ status: 422, body: { code: "page_too_deep", errors: [{ parameter: "page" }] } });
      expect((await list({ page: "50", ...dates }, busyOperator)).status).toBe(200);
    }
  });

  test("D21, D30: past the end any page is empty with the total, and leads to the last one", async () => {
    for (const query of [{}, { from_date: "2020-01-01" }, { by_number: "inv" }]) {
      const { body, headers } = await list({ page: "1000", ...query });
      expect(body.invoices).toEqual([]);
      expect(headers.total).toBe((await list(query)).headers.total);
      expect(linksOf(headers.link).get("prev")).toBe(linksOf(headers.link).get("last"));
    }
  });

  test("D22: thousands of matches are answered; query_too_broad names by_number, and for an admin by_company", async () => {
    expect((await list({ by_number: "BULK" }, busyOperator)).headers.total).toBe("1021");
    const figures = new Map([["paid", 10_001]]);
    await transact(counterWrites([{ list: "INVOICES", companyId: 9, month: "ALL", figures }], 0));
    for (const as of [busyOperator, admin]) {
      const { status, body } = await list({ by_number: "00" }, as);
      expect({ status, body }).toMatchObject({ status: 422, body: { code: "query_too_broad" } });
      expect(body.errors).toMatchObject([{ parameter: "by_number", code: "too_broad" }]);
      expect(body.errors[0].detail.includes("by_company")).toBe(as === admin);
    }
  });
});

function linksOf(header = ""): Map<string, string> {
  return new Map([...header.matchAll(/<([^>]+)>; rel="([a-z]+)"/g)].map(([, url = "", rel = ""]) => [rel, url]));
}
