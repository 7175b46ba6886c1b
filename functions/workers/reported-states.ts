import { listedItems, listedKey } from "../../shared/records/items.ts";
import type { TransactionWrite } from "../../shared/table/writes.ts";

/** A record, and the state that a notification of it reports. */
interface Reported {
  readonly record_type: string;
  readonly record_id: number;
  /** Absent of records without states. */
  readonly state?: string | undefined;
}

/**
 * The check in a delivery's transaction that a timesheet still has the state that is reported; none for other records.
 * A timesheet has one driver, so deliveries do not conflict on it. 2 write units.
 */
export function requireReported({ record_type, record_id, state }: Reported): TransactionWrite[] {
  if (record_type !== "Timesheet" || state === undefined) return [];
  const check = {
    Key: { ...listedKey("TIMESHEETS", record_id) },
    ConditionExpression: "#record.#state = :state",
    ExpressionAttributeNames: { "#record": "record", "#state": "state" },
    ExpressionAttributeValues: { ":state": state },
  };
  return [{ ConditionCheck: check }];
}

/**
 * True unless an invoice has another state by now than the one that is reported. An invoice has many recipients, whose
 * transactions would conflict on a check of it. 1 read unit.
 */
export async function isReported({ record_type, record_id, state }: Reported): Promise<boolean> {
  if (record_type !== "Invoice" || state === undefined) return true;
  const invoice = await listedItems.INVOICES.find(listedKey("INVOICES", record_id), { consistent: true });
  return invoice?.record.state === state;
}
