import { beforeEach, describe, expect, test } from "vitest";
import { handler as invoices } from "../../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { entities } from "../../../shared/db/entities.ts";
import { setTimesheetStates } from "../../../shared/db/records/timesheets.ts";
import { keyOf, recordKey } from "../../../shared/db/table/item-keys.ts";
import { callerContext } from "../../support/records/contexts.ts";
import { scanItems, updateRaw } from "../../support/records/items.ts";
import { callerLine, companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { write } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

beforeEach(async () => {
  loggedLines.length = 0;
  await takeMessages("QUARANTINE_QUEUE_URL");
});

function list(company: number, query: object = {}) {
  return call(invoices, listInvoices, { as: admin, query: { by_company: String(company), ...query } });
}

function faults(): { code?: string; error_message?: string }[] {
  return loggedLines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
}

describe("a damaged item", () => {
  test.each([
    ["a field is missing", "REMOVE #record.currency", {}],
    ["a field is of another type", "SET #record.currency = :wrong", { ":wrong": 7 }],
    ["the record is missing", "REMOVE #record", {}],
  ])("takes its list down, whose log names it: %s", async (_, UpdateExpression, values) => {
    await store([callerLine(admin), invoiceLine(5, 5), invoiceLine(6, 5)]);
    await updateRaw({
      Key: { ...recordKey("INVOICE", 5) },
      UpdateExpression,
      ExpressionAttributeNames: { "#record": "record" },
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    });
    for (const query of [{}, { from_date: "2026-01-01" }, { by_number: "INV" }]) {
      loggedLines.length = 0;
      expect(await list(5, query)).toMatchObject({ status: 500, body: { code: "internal_error" } });
      expect(faults()).toMatchObject([{ error_message: expect.stringContaining("INVOICE#5 INVOICE") }]);
    }
    await write({ type: "invoice", id: 5, deleted: true });
  });
});

describe("every item", () => {
  test("of records and of what follows from them belongs to exactly one entity, and has its version", async () => {
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
});
