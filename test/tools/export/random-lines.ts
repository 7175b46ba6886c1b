import { invoiceStates, timesheetStates } from "../../../shared/contract/finance.ts";
import { locales } from "../../../shared/contract/locales.ts";
import { roles } from "../../../shared/contract/operation.ts";
import { type RecordType, recordTypes } from "../../../shared/contract/records.ts";
import { isPlainText, leastMaskedId } from "../../../shared/contract/values.ts";
import { fc } from "../../support/service/properties.ts";

/** An import line. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: RecordType; readonly id: number };

/** Text that files, spreadsheets and JSON have their difficulties with. */
const anyText = fc
  .tuple(
    fc.constantFrom("", "=", "+44", "-", "@", "\t", "\r", '"', "1.0,", "'", "＝", "\uFF0B"),
    fc.constantFrom("", "a;=1", "\t=", "\n-", ",+", '"=', "' @", ";'=", "\r\n=", "a; ＠"),
    fc.string({ unit: "grapheme", maxLength: 8 }),
  )
  .map((parts) => parts.join(""))
  .filter((text) => text !== "" && text.length <= 20 && isPlainText(text));

const anyId = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const anyMoment = fc
  .date({ min: new Date("2001-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const anyDay = anyMoment.map((moment) => moment.slice(0, 10));
const anyDecimal = fc.stringMatching(/^-?\d{1,15}(\.\d{1,6})?$/);
const anyJson = fc.dictionary(anyText, fc.oneof(anyText, fc.boolean(), fc.constant(null), fc.array(anyId)), {
  maxKeys: 3,
});
const owner = { company_id: fc.integer({ min: 1, max: 3 }), company_name: anyText, currency: fc.constant("GBP") };

const fieldsOf = {
  company: fc.record({ name: anyText }),
  user: fc.record({
    contact_phone_number: fc.option(anyText),
    financial_company_id: fc.option(fc.integer({ min: 1, max: 3 })),
    first_name: anyText,
    job_position: fc.option(anyText),
    last_name: fc.oneof(anyText, fc.constant("")),
    locale: fc.option(fc.constantFrom(...locales)),
    role: fc.constantFrom(...roles),
  }),
  timesheet: fc
    .record({
      ...owner,
      date: anyDay,
      driver: fc.record({
        id: anyId,
        financial_company_id: fc.option(anyId),
        first_name: anyText,
        last_name: anyText,
        profile_id: anyId,
        referral_code: anyText,
      }),
      job_title: anyText,
      state: fc.constantFrom(...timesheetStates),
      timelog: fc.record({
        id: anyId,
        amend_status: anyText,
        breaks: fc.array(
          fc
            .record({
              id: anyId,
              start_at: anyMoment,
              end_at: anyMoment,
              duration: fc.constant({ hours: 0, minutes: 9 }),
            })
            .chain((known) => anyJson.map((more) => ({ ...more, ...known }))),
          { maxLength: 2 },
        ),
        duration: anyJson.map((more) => ({ ...more, hours: 8 })),
        start_at: anyMoment,
        end_at: anyMoment,
      }),
      total: anyDecimal,
    })
    .map((timesheet) => ({ ...timesheet, payment_state: timesheet.state })),
  invoice: fc
    .record({
      ...owner,
      created_at: anyMoment,
      due_date: anyDay,
      from: anyDay,
      to: anyDay,
      issued_date: anyDay,
      number: anyText,
      state: fc.constantFrom(...invoiceStates),
      total: anyDecimal,
      uuid: fc.uuid(),
      vat_percentage: anyDecimal,
    })
    // One that is past due comes back as overdue.
    .map((invoice) => (invoice.state === "pending" ? { ...invoice, due_date: "9999-12-31" } : invoice)),
  job: fc.record({
    company_id: owner.company_id,
    industries: fc.array(anyText, { maxLength: 3 }),
    job_type: anyText,
    number: fc.maxSafeInteger(),
    postcode: anyText,
    published_at: anyMoment,
    title: anyText,
  }),
  notification: fc.record({
    user_id: fc.integer({ min: 1, max: 9 }),
    created_at: anyMoment,
    params: anyJson.map((more) => ({ ...more, type: "published" })),
    read_at: fc.option(anyMoment),
    record_id: anyId,
    record_type: anyText,
  }),
} as const satisfies Record<RecordType, unknown>;

/** A whole import line of any type; `ids` says which. A user has logins and a profile of its own. */
export function anyLine(
  ids: fc.Arbitrary<number> = anyId,
  types: readonly RecordType[] = recordTypes,
): fc.Arbitrary<Line> {
  const head = { id: ids, version: fc.option(fc.nat(), { nil: undefined }) };
  return fc.constantFrom(...types).chain((type) =>
    fc.tuple(fc.record(head), fieldsOf[type] as fc.Arbitrary<object>).map(([{ id, version }, fields]) => ({
      ...(type === "user" && { email: `user-${id}@example.com`, phone_number: null, profile_id: id }),
      ...fields,
      type,
      // Higher ids are masks of logins (D12).
      id: type === "user" ? ((id - 1) % (leastMaskedId - 1)) + 1 : id,
      ...(version !== undefined && { version }),
    })),
  );
}

/** The key of a line's record, which sorts as an export does. */
export function placeOf({ type, id, user_id = 0 }: Line): readonly [number, number, number] {
  return [recordTypes.indexOf(type), id, Number(user_id)];
}

/** Lines in the order of an export, of each record the last one. */
export function inOrder(lines: readonly Line[]): Line[] {
  const last = new Map(lines.map((line) => [placeOf(line).join(), line]));
  const compare = (one: Line, other: Line) => {
    const [a, b] = [placeOf(one), placeOf(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  };
  return [...last.values()].sort(compare);
}
