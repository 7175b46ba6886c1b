/** A list of records that runs by descending id. */
export type ListName = "INVOICES" | "TIMESHEETS" | "JOBS";

/** The place of a record in its lists. */
export interface ListPosition {
  readonly id: number;
  /** The tenant (D2). */
  readonly companyId: number;
  readonly state: string;
  /** The calendar date that date filters compare with; null in a list that has none. */
  readonly date: string | null;
  /** What a search by number finds; null in a list that has none. */
  readonly number: string | null;
}

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

/** The calendar date of a record that date filters compare with; undefined where it has none. */
export function listedDate(list: ListName, fields: PositionFields): string | undefined {
  const { date } = shapes[list];
  const value = date && fields[date];
  return typeof value === "string" ? value : undefined;
}

/** Where a record of a company stands. Throws on one that lacks what its list goes by. */
export function positionOf(list: ListName, companyId: unknown, fields: PositionFields): ListPosition {
  const { state, date, number } = shapes[list];
  return {
    id: wholeNumber(fields.id, "id"),
    companyId: wholeNumber(companyId, "company_id"),
    state: state ? text(fields[state], state) : jobListState,
    date: date ? calendarDate(fields[date], date) : null,
    number: number ? text(fields[number], number) : null,
  };
}

function wholeNumber(value: unknown, name: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new Error(`The record's ${name} is not a whole number`);
}

function text(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`The record's ${name} is not a text`);
}

function calendarDate(value: unknown, name: string): string {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)) return value;
  throw new Error(`The record's ${name} is not a calendar date`);
}
