import type { TestUser } from "../tokens/tokens.ts";

/** A timesheet's import line; `changes` override fields. */
export function timesheetLine(id: number, companyId: number, changes: Record<string, unknown> = {}) {
  return {
    type: "timesheet",
    id,
    company_id: companyId,
    company_name: "Harbour Logistics",
    currency: "GBP",
    date: "2026-05-04",
    driver: {
      id: 7,
      financial_company_id: companyId,
      first_name: "Ada",
      last_name: "Holt",
      profile_id: 70,
      referral_code: "ADA7",
    },
    job_title: "Night driver",
    state: "pending",
    timelog: {
      id,
      amend_status: "approved",
      breaks: [],
      duration: { hours: 8 },
      start_at: "2026-05-04T06:00:00.000Z",
      end_at: "2026-05-04T14:00:00.000Z",
    },
    total: "120.00",
    ...changes,
  };
}

/** An invoice's import line; `changes` override fields. */
export function invoiceLine(id: number, companyId: number, changes: Record<string, unknown> = {}) {
  return {
    type: "invoice",
    id,
    company_id: companyId,
    company_name: "Harbour Logistics",
    created_at: "2026-05-01T09:00:00.000Z",
    currency: "GBP",
    due_date: "2126-06-01",
    from: "2026-04-01",
    to: "2026-04-30",
    issued_date: "2026-05-01",
    number: `INV-2026-${String(id).padStart(5, "0")}`,
    state: "pending",
    total: "1250.00",
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
    vat_percentage: "20.0",
    ...changes,
  };
}

/** A job's import line; `changes` override fields. */
export function jobLine(id: number, companyId: number, changes: Record<string, unknown> = {}) {
  return {
    type: "job",
    id,
    company_id: companyId,
    industries: ["logistics"],
    job_type: "part_time",
    number: 4000 + id,
    postcode: "M1 2AB",
    published_at: "2026-05-01T09:00:00.000Z",
    title: "Forklift driver",
    ...changes,
  };
}

/** A user's import line; `changes` override fields. */
export function userLine(id: number, changes: Record<string, unknown> = {}) {
  return {
    type: "user",
    id,
    contact_phone_number: null,
    email: `user-${id}@example.com`,
    financial_company_id: 1,
    first_name: "Ines",
    job_position: null,
    last_name: "Marsh",
    phone_number: null,
    profile_id: null,
    role: "operator",
    ...changes,
  };
}

/** Marks the lines of callers; the same in every instance of this module. */
const ofCaller = Symbol.for("workforce.test.caller");

/** The import line of the user that a test's token names. `store` opens the session that the token names as well. */
export function callerLine({ id, role, company_id }: TestUser, changes: Record<string, unknown> = {}) {
  const line = userLine(id, { role, financial_company_id: company_id, ...changes });
  return Object.defineProperty(line, ofCaller, { value: true });
}

/** True for a line that `callerLine` made. */
export function isCallerLine(line: object): line is ReturnType<typeof callerLine> {
  return ofCaller in line;
}

/** A user as answers show it, of company 1 and imported by `userLine`; `changes` override fields. */
export function shownUser(id: number, changes: Record<string, unknown> = {}) {
  const { type: _, ...user } = userLine(id);
  return { ...user, company: { id: 1, name: "Harbour Logistics" }, ...changes };
}

/** A notification's import line; `changes` override fields. */
export function notificationLine(id: number, userId: number, changes: Record<string, unknown> = {}) {
  return {
    type: "notification",
    id,
    user_id: userId,
    created_at: "2026-05-01T09:00:00.000Z",
    params: { type: "published" },
    read_at: null,
    record_id: 12,
    record_type: "Job",
    ...changes,
  };
}

/** A company's import line. */
export function companyLine(id: number, name = "Harbour Logistics") {
  return { type: "company", id, name };
}
