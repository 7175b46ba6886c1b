import { isCalendarDate } from "../../contract/values.ts";
import type { ListName, ListPosition } from "../../table/counters.ts";

/** The fields of a record that place it; which of them count is the list's matter. */
export interface PositionFields {
  readonly id?: unknown;
  readonly state?: unknown;
  readonly date?: unknown;
  readonly issued_date?: unknown;
  readonly number?: unknown;
}

/** Jobs have no states: all are in one list. */
export const jobListState = "published";

const shapes = {
  INVOICES: { state: "state", date: "issued_date", number: "number" },
  TIMESHEETS: { state: "state", date: "date", number: undefined },
  JOBS: { state: undefined, date: undefined, number: undefined },
} as const satisfies Record<ListName, Record<string, keyof PositionFields | undefined>>;

/** The state of a record in its list, or the calendar date that date filters compare with; empty where it has none. */
export function listedField(list: ListName, name: "state" | "date", fields: PositionFields): string {
  const field = shapes[list][name];
  return String((field && fields[field]) ?? "");
}

/** The first reason why a record has no place in its list; undefined if it has one. */
export function positionFault(list: ListName, companyId: unknown, fields: PositionFields): string | undefined {
  const { state, date, number } = shapes[list];
  const faults = [
    Number.isSafeInteger(fields.id) || "id is not a whole number",
    Number.isSafeInteger(companyId) || "company_id is not a whole number",
    !state || isText(fields[state]) || `${state} is not a text`,
    !date || isCalendarDate(String(fields[date])) || `${date} is not a calendar date`,
    !number || isText(fields[number]) || `${number} is not a text`,
  ];
  const fault = faults.find((each) => each !== true);
  return fault && `The record's ${fault}`;
}

/** The place of a record of a company. Throws if the record lacks an attribute that its list is sorted by. */
export function positionOf(list: ListName, companyId: unknown, fields: PositionFields): ListPosition {
  const fault = positionFault(list, companyId, fields);
  if (fault !== undefined) throw new Error(fault);
  const { state, date, number } = shapes[list];
  return {
    id: Number(fields.id),
    companyId: Number(companyId),
    state: state ? String(fields[state]) : jobListState,
    date: date ? String(fields[date]) : null,
    number: number ? String(fields[number]) : null,
  };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
