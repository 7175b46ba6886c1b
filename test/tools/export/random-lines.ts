import * as v from "valibot";
import { completeRecords, type RecordType, recordTypes } from "../../../shared/contract/records.ts";
import {
  calendarDate,
  decimal,
  isPlainText,
  leastMaskedId,
  locales,
  oneLine,
  timestamp,
} from "../../../shared/contract/values.ts";
import { fc } from "../../support/service/properties.ts";

/** An import line. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: RecordType; readonly id: number };

/** Text that files, spreadsheets and JSON have their difficulties with. */
const anyText = fc
  .tuple(
    fc.constantFrom("", "=", "+44", "-", "@", "\t", "\r", '"', "1.0,", "'", "＝", "\uFF0B", "\u00A0", "\u200B"),
    fc.constantFrom(
      "",
      "a;=1",
      "\t=",
      "\n-",
      ",+",
      '"=',
      "' @",
      ";'=",
      "\r\n=",
      "a; ＠",
      "|=",
      "|\u00A0=",
      "\u2028\n=",
      "\u2060\t",
    ),
    fc.string({ unit: "grapheme", maxLength: 8 }),
  )
  .map((parts) => parts.join(""))
  .filter((text) => text !== "" && text.length <= 20 && isPlainText(text));

/** The same of one line, as names are. */
const anyLineText = anyText
  .map((text) => v.safeParse(oneLine(20), text.replaceAll(/\s/g, " ")))
  .filter(({ success }) => success)
  .map(({ output }) => output);

const anyId = fc.oneof(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const anyMoment = fc
  .date({ min: new Date("2001-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const anyDecimal = fc.stringMatching(/^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/).filter((text) => v.is(decimal, text));
const anyJson = fc.dictionary(anyText, fc.oneof(anyText, fc.boolean(), fc.constant(null), fc.array(anyId)), {
  maxKeys: 3,
});

type Schema = v.GenericSchema & {
  readonly entries?: v.ObjectEntries;
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly options?: readonly unknown[];
};

const ofSchema = new Map<v.GenericSchema, fc.Arbitrary<unknown>>([
  [decimal, anyDecimal],
  [calendarDate, anyMoment.map((moment) => moment.slice(0, 10))],
  [timestamp, anyMoment],
]);

const ofName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  company_id: fc.integer({ min: 1, max: 3 }),
  currency: fc.constantFrom("GBP", "JPY"),
  financial_company_id: fc.option(fc.integer({ min: 1, max: 3 })),
  locale: fc.option(fc.constantFrom(...locales)),
  minutes: fc.integer({ min: 0, max: 59 }),
  user_id: fc.integer({ min: 1, max: 9 }),
  uuid: fc.uuid(),
};

/** Any value of a schema of the contract. */
function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, entries = {}, item = schema, wrapped = schema, options = [] } = schema;
  if (type === "string") return ofSchema.get(schema) ?? anyLineText;
  if (type === "number") return anyId;
  if (type === "picklist") return fc.constantFrom(...options);
  if (type === "nullable") return fc.option(anyOf(wrapped));
  if (type === "array") return fc.array(anyOf(item), { maxLength: 3 });
  if (type !== "loose_object") return anyFields(entries);
  return fc.tuple(anyJson, anyFields(entries)).map(([more, known]) => ({ ...more, ...known }));
}

function anyFields(entries: v.ObjectEntries) {
  return fc.record(Object.fromEntries(Object.entries(entries).map(([name, of]) => [name, ofName[name] ?? anyOf(of)])));
}

/** Fields that a line states otherwise than its schema alone: a user has logins and a profile of its own. */
const stated: Partial<Record<RecordType, (line: Line) => object>> = {
  user: ({ id }) => ({ email: `user-${id}@example.com`, phone_number: null, profile_id: id }),
  timesheet: ({ state }) => ({ payment_state: state }),
  // One that is past due comes back as overdue.
  invoice: ({ state }) => (state === "pending" ? { due_date: "2199-12-31" } : {}),
};

/** A whole import line of any type; `ids` says which. */
export function anyLine(
  ids: fc.Arbitrary<number> = anyId,
  types: readonly RecordType[] = recordTypes,
): fc.Arbitrary<Line> {
  const head = { id: ids, version: fc.option(fc.nat(), { nil: undefined }) };
  return fc.constantFrom(...types).chain((type) =>
    fc.tuple(fc.record(head), anyFields(completeRecords[type].entries)).map(([{ id, version }, fields]) => {
      const own = type === "user" ? ((id - 1) % (leastMaskedId - 1)) + 1 : id;
      const line = { ...fields, type, id: own, ...(version !== undefined && { version }) };
      return { ...line, ...stated[type]?.(line) };
    }),
  );
}

/** The lines of a file, without their ends. */
export function rowsOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** The name of a line's record. */
export function keyOf(line: Line): string {
  return placeOf(line).join();
}

/** The key of a line's record, which sorts as an export does. */
function placeOf({ type, id, user_id = 0 }: Line): readonly [number, number, number] {
  return [recordTypes.indexOf(type), id, Number(user_id)];
}

/** Lines in the order of an export, of each record the last one. */
export function inOrder(lines: readonly Line[]): Line[] {
  const last = new Map(lines.map((line) => [keyOf(line), line]));
  const compare = (one: Line, other: Line) => {
    const [a, b] = [placeOf(one), placeOf(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  };
  return [...last.values()].sort(compare);
}
