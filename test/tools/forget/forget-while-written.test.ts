import { expect, test } from "vitest";
import { replaceTraces } from "../../../infra/tools/forget/traces.ts";
import { setTimesheetStates } from "../../../shared/db/records/timesheets.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { callerContext } from "../../support/records/contexts.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { xenia } from "../../support/records/xenia.ts";
import { useService } from "../../support/service/service.ts";

const admin = { userId: 1, role: "admin", companyId: null, sessionId: "s" } as const;

useService();
const proxy = useNetwork();

test("a payment that read a timesheet before its driver was forgotten does not bring the name back", async () => {
  await store([timesheetLine(1, 1, { driver: xenia })]);
  const release = proxy.hold("TransactWriteItems");
  const paying = setTimesheetStates([1], "all", "paid", callerContext(admin));
  await proxy.held("TransactWriteItems");
  const person = { id: 7, isUser: false, profiles: new Map([[xenia.profile_id, true]]), names: [xenia] };
  const search = { person, isDryRun: false, timesheetIds: new Set<number>() };
  expect(await replaceTraces(search)).toMatchObject({ timesheet: 1 });
  expect(await replaceTraces(search)).toMatchObject({ timesheet: 0 });
  release();
  await paying;
  const stored = await readItem(recordKey("TIMESHEET", 1));
  expect(stored).toMatchObject({ record: { state: "paid" }, erased_at: expect.any(String) });
  expect(JSON.stringify(stored)).not.toContain(xenia.last_name);
});
