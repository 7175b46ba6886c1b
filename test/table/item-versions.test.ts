import { expect, test } from "vitest";
import { entities } from "../../shared/entities.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import { keyOf } from "../../shared/table/table.ts";
import { callerContext } from "../support/records/contexts.ts";
import { scanItems } from "../support/records/items.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

test("every item of records and of what follows from them belongs to exactly one entity, and has its version", async () => {
  await store([companyLine(7), invoiceLine(7, 7), timesheetLine(7, 7), jobLine(7, 7, { version: 1 }), jobLine(8, 7)]);
  await write({ type: "job", id: 7, version: 2, deleted: true });
  const caller = { userId: admin.id, role: admin.role, companyId: null, sessionId: "s" };
  await setTimesheetStates([7], "all", "paid", callerContext(caller));
  const callers = ["KEYS", `USER#${admin.id}`, `LOGIN#user-${admin.id}@example.com`];
  const items = [...(await scanItems()).values()].filter(({ pk }) => !callers.includes(String(pk)));
  const kinds = new Set<string>();
  for (const item of items) {
    const owners = entities.filter(({ matches }) => matches(keyOf(item)));
    expect(
      owners.map(({ name }) => name),
      `${item.pk} ${item.sk}`,
    ).toHaveLength(1);
    expect(item.schema_version, `${item.pk} ${item.sk}`).toBe(owners[0]?.version ?? 1);
    kinds.add(owners[0]?.name ?? "");
  }
  const expected = ["change", "company", "invoice", "job", "list counter", "number entry", "timesheet"];
  expect([...kinds].sort()).toEqual(expected.sort());
});
