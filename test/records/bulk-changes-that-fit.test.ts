import { expect, test } from "vitest";
import { callerLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { adjust, mark, undo } from "../support/requests/changes.ts";
import { usualFreshOrFull } from "../support/service/fresh-counts.ts";
import { useService } from "../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

let lastId = 0;

/** Stores 90 timesheets, in turn of each company, and of each of its months. Returns their ids. */
async function storeTimesheets(companies: number, months: number, state = "pending"): Promise<number[]> {
  const first = lastId + 1;
  lastId += 90;
  const lines = Array.from({ length: 90 }, (_, at) => {
    const date = `2025-${String(1 + (Math.floor(at / companies) % months)).padStart(2, "0")}-11`;
    return timesheetLine(first + at, 1 + (at % companies), { date, state });
  });
  await store([callerLine(admin, { passcode: null }), ...lines]);
  return lines.map(({ id }) => id);
}

const refused = [
  { companies: 1, months: 8, fits: 89 },
  { companies: 5, months: 12, fits: 46 },
  { companies: 90, months: 1, fits: 32 },
];
const all = [
  ...refused,
  { companies: 5, months: 1, fits: 88 },
  { companies: 1, months: 7, fits: 90 },
  { companies: 4, months: 1, fits: 90 },
];

test.each(
  usualFreshOrFull(refused, all, all),
)("D18: of 90 timesheets of $companies companies and $months months the first $fits are paid and undone by one call", async ({
  companies,
  months,
  fits,
}) => {
  const ids = await storeTimesheets(companies, months);
  if (fits < ids.length) {
    const detail = expect.stringMatching(new RegExp(`first ${fits} of these 90 fit\\b`));
    const errors = [{ pointer: "/timesheet/timesheet_ids", code: "too_long", detail }];
    const refused = { status: 422, body: { code: "fields_invalid", errors } };
    expect(await mark(admin, ids, "paid")).toMatchObject(refused);
  }
  const fitting = ids.slice(0, fits);
  const paid = await mark(admin, fitting, "paid");
  expect(paid.status).toBe(200);
  expect(await undo(admin, paid.headers["change-id"])).toMatchObject({ status: 200 });
});

test("D18: the companies and months of timesheets that have the state do not count", async () => {
  const ids = await storeTimesheets(90, 1, "paid");
  expect((await mark(admin, ids, "paid")).status).toBe(200);
});

test("D24: the companies of jobs do not count", async () => {
  const ids = Array.from({ length: 90 }, (_, at) => 1 + at);
  await store(ids.map((id) => jobLine(id, id)));
  const adjusted = await adjust(admin, ids, 60);
  expect(adjusted.status).toBe(200);
  expect((await undo(admin, adjusted.headers["change-id"])).status).toBe(200);
});
