import { expect, test } from "vitest";
import { handler } from "../../../functions/finance/get-timesheet.ts";
import { getTimesheet } from "../../../shared/contract/finance.ts";
import { timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { testSingleRecord } from "../single-record.ts";

testSingleRecord({
  operation: getTimesheet,
  handler,
  type: "timesheet",
  line: timesheetLine,
  roles: ["operator"],
  derived: { payment_state: "pending" },
});

test("D2, D39: a driver opens the timesheets of their own profile, with a company or without; others' are as absent ones", async () => {
  const { driver } = timesheetLine(20, 1);
  const lines = [
    userLine(50, { role: "driver", profile_id: driver.profile_id }),
    userLine(51, { role: "driver", profile_id: 71 }),
    userLine(52, { role: "driver", profile_id: null }),
    timesheetLine(20, 1),
    timesheetLine(21, 2),
    timesheetLine(22, 1, { driver: { ...driver, profile_id: 71 } }),
  ];
  await store(lines);
  const show = async (userId: number, id: number, company_id: number | null = null) => {
    const as = { id: userId, role: "driver", company_id } as const;
    const { status, body } = await call(handler, getTimesheet, { as, parameters: { id: String(id) } });
    return status === 200 ? body.timesheet.id : `${status} ${body.code}`;
  };
  expect([await show(50, 20), await show(50, 20, 1), await show(50, 21, 1), await show(51, 22)]).toEqual([
    20, 20, 21, 22,
  ]);
  const refused = [show(50, 22, 1), show(51, 20), show(52, 20, 1), show(53, 20, 1), show(50, 29, 1)];
  expect(new Set(await Promise.all(refused))).toEqual(new Set(["404 record_not_found"]));
});
