import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import { dataSchemaOf } from "../../../shared/contract/outbound-events.ts";

/** An event about a timesheet that was paid, as it is queued. */
export function eventOut(timesheetId: number): OutboundEvent<"timesheet.paid"> {
  const data = { id: timesheetId, currency: "GBP", date: "2026-05-04", state: "paid", total: "120.00" } as const;
  return {
    specversion: "1.0",
    id: timesheetId.toString(16).padStart(32, "0"),
    source: "urn:workforce:test",
    type: "timesheet.paid",
    time: "2026-05-04T16:00:00.000Z",
    subject: `timesheet/${timesheetId}`,
    datacontenttype: "application/json",
    dataschema: dataSchemaOf("timesheet.paid"),
    sequence: "0001777910400000",
    companyid: "1",
    data: { ...data, company_id: 1, profile_id: 70 },
  };
}
