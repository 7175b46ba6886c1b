import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/finance/list-timesheets.ts";
import { listTimesheets } from "../../../shared/contract/finance.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
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

function list(query: Record<string, string> = {}, as: TestUser = operator) {
  return call(handler, listTimesheets, { as, query });
}

function idsOf(answer: TestAnswer): number[] {
  return answer.body.timesheets.map(({ id }: { id: number }) => id);
}

describe("200", () => {
  test("D37: the newest 20 of the caller's company come first, with the total of all", async () => {
    const answer = await list();
    expect(idsOf(answer)).toEqual(Array.from({ length: 20 }, (_, index) => 24 - index));
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "24" });
    expect(idsOf(await list({ page: "2" }))).toEqual([4, 3, 2, 1]);
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
    expect(idsOf(await list({ by_state: "paid", from_date: "2026-05-20", to_date: "2026-05-24" }))).toEqual([
      24, 22, 20,
    ]);
    expect((await list({ by_state: "paid,pending" })).headers.total).toBe("24");
  });

  test("D2, D22: an admin's dates reach every company's", async () => {
    expect(idsOf(await list({ from_date: "2026-05-03", to_date: "2026-05-04" }, admin))).toEqual([101, 4, 3]);
  });

  test("D30: a walk by Link gives every timesheet once", async () => {
    const ids: number[] = [];
    let query: Record<string, string> | undefined = { per_page: "7" };
    while (query) {
      const answer: TestAnswer = await list(query);
      ids.push(...idsOf(answer));
      const [, next] = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? "") ?? [];
      query = next === undefined ? undefined : Object.fromEntries(new URL(next).searchParams);
    }
    expect(ids).toEqual(Array.from({ length: 24 }, (_, index) => 24 - index));
  });
});
