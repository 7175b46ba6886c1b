import * as v from "valibot";

/** Text that every store and channel accepts. `max` counts UTF-16 units. */
export function text(max: number) {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(max), plain);
}

/** The same, or no text at all. */
export function textOrEmpty(max: number) {
  return v.pipe(v.string(), v.maxLength(max), plain);
}

/**
 * A name, title, code or number that people read: one line, trimmed of blanks and invisible characters. Its inside stays
 * as sent. `max` counts UTF-16 units (D33).
 */
export function oneLine(max: number) {
  return v.pipe(v.string(), v.transform(trimmed), v.minLength(1), v.maxLength(max), plainLine);
}

/** The same, or no text at all. */
export function oneLineOrEmpty(max: number) {
  return v.pipe(v.string(), v.transform(trimmed), v.maxLength(max), plainLine);
}

/** Text of which some values are known, and any other may come: clients have to expect more than they know. */
export function openChoice(known: readonly string[], max: number) {
  return v.pipe(oneLine(max), v.metadata({ known }));
}

/** Checks that text is plain. */
export const plain = v.check<string, string>(
  isPlainText,
  "must be well-formed text without NUL, noncharacters and U+FFFD",
);

/**
 * True for well-formed Unicode without NUL, noncharacters such as U+FFFF, which some channels refuse, and U+FFFD, which
 * programs put in the place of bytes that they could not read (D33).
 */
export function isPlainText(value: string): boolean {
  return value.isWellFormed() && !/[\0\ufffd\p{Noncharacter_Code_Point}]/u.test(value);
}

/** Checks that text is plain, and one line in the order in which it is read. */
export const plainLine = v.check<string, string>(
  (value) => isPlainText(value) && !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(value),
  "must be one line of well-formed text, without control characters, noncharacters, U+FFFD and bidirectional embeddings, overrides and isolates",
);

/** Blanks, and characters that show nothing by themselves. Variation selectors are marks: they belong to what they follow. */
const unseen = String.raw`\p{White_Space}\u2800[\p{Default_Ignorable_Code_Point}--\p{M}]`;

/** At an end, joiners of Indic and Arabic letters and the tags of a flag belong to what they follow. */
const belonging = String.raw`(?<=[\p{M}\p{scx=Arab}])[\u200c\u200d]|(?<=\u{1f3f4})[\u{e0020}-\u{e007f}]+`;

const seenPart = new RegExp(`^[${unseen}]*((?:.*[^${unseen}](?:${belonging})?)?)[${unseen}]*$`, "vs");

/** Text without the blanks and invisible characters at its ends. */
export function trimmed(value: string): string {
  return seenPart.exec(value)?.[1] ?? value;
}

/** Characters of a password in its normal form: fewer are guessed from a stolen hash, and nobody types more (D15). */
const passwordLength = { least: 8, most: 128 };

/** Most UTF-16 units of a typed password: those of the longest, with its letters decomposed. */
export const longestPassword = 1_024;

/** The form in which passwords are measured, hashed and compared: keyboards write some letters in two ways (D15). */
export function normalPassword(typed: string): string {
  return typed.normalize("NFKC");
}

/** A new password: no composition rule (D15). */
export const password = v.pipe(
  text(longestPassword),
  v.check((value) => {
    const { length } = [...normalPassword(value)];
    return length >= passwordLength.least && length <= passwordLength.most;
  }, `must have ${passwordLength.least} to ${passwordLength.most} characters`),
);

/** Values that count as absent: typed clients send them for what they leave out. */
const emptyValues: readonly unknown[] = [null, ""];

/** A field of a body that may be left out. Null and "" count as absent (D33). */
export function optionalField<const S extends v.GenericSchema<unknown, unknown>>(schema: S, empty = emptyValues) {
  return v.pipe(
    v.optional(v.unknown()),
    v.transform((value) => (empty.includes(value) ? undefined : value)),
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );
}

/** Identifier: a whole number from 1 to 2^53 − 1. */
export const id = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Ids from here on are masks of logins, whether or not these have a user: no user has one of them (D12). */
export const leastMaskedId = 2 ** 52;

/** Most ids of a bulk operation: their transaction, and that of its undo, also has the change and counters (D18). */
export const mostBulkIds = 90;

/** 1 to 90 identifiers of a bulk operation. Repetitions are dropped, the order stays (D18). */
export const bulkIds = bulkIdsUpTo(mostBulkIds);

/** 1 to `max` identifiers of a bulk operation. Repetitions are dropped, the order stays. */
export function bulkIdsUpTo(max: number) {
  return v.pipe(
    v.array(v.unknown()),
    v.minLength(1),
    v.maxLength(max),
    v.array(id),
    v.transform((ids) => [...new Set(ids)]),
  );
}

/** The first day of records, and the last: others are years that a program misread (D23). */
const days = { first: "1970-01-01", last: "2199-12-31" } as const;

/** A calendar date of a record, YYYY-MM-DD, from 1970 to 2199 (D23). */
export const calendarDate = v.pipe(
  v.string(),
  v.check(
    (value) => isCalendarDate(value) && isInDays(value),
    `must be a calendar date, YYYY-MM-DD, from ${days.first} to ${days.last}`,
  ),
);

/** A time of a record in UTC with milliseconds, such as 2026-05-01T08:30:00.000Z, from 1970 to 2199 (D23). */
export const timestamp = v.pipe(
  v.string(),
  v.check(
    (value) => isInDays(value.slice(0, days.last.length)) && new Date(value).toJSON() === value,
    `must be a UTC timestamp with milliseconds, such as 2026-05-01T08:30:00.000Z, from ${days.first} to ${days.last}`,
  ),
);

/** A UUID in either case. The document gives only its own ids the format `uuid`: strict clients refuse one of no version. */
export function uuid(message = "must be a UUID") {
  const form = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
  return v.pipe(v.string(), v.metadata({ maxLength: 36 }), v.regex(form, message));
}

const decimalForm = "must be a decimal number in a string, such as 1250.00, without leading zeros and no -0";

/** A decimal number as a string, never a float (D23). */
export const decimal = v.pipe(
  v.string(),
  v.metadata({ maxLength: 23 }),
  v.regex(/^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/, decimalForm),
  v.check((value) => !/^-0(\.0+)?$/.test(value), decimalForm),
);

/** ISO 4217 currency code, upper case. */
export const currency = v.pipe(
  v.string(),
  v.metadata({ maxLength: 3 }),
  v.regex(/^[A-Z]{3}$/, "must be an ISO 4217 currency code, such as GBP"),
);

/** True for a calendar date, YYYY-MM-DD. */
export function isCalendarDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const moment = new Date(`${value}T00:00:00.000Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(value);
}

function isInDays(day: string): boolean {
  return day >= days.first && day <= days.last;
}

/** The languages of messages to people, as BCP 47 names them (D45). */
export const locales = ["en", "de"] as const;

/** A language of messages to people. */
export type Locale = (typeof locales)[number];

/** One of the languages. */
export const locale = v.picklist(locales);

/** Characters that nobody sees: format characters, variation selectors, fillers. */
export const invisible = /[\p{Cf}\p{DI}]/gu;
/** The last four look like dashes, and Unicode calls them symbols, punctuation or a modifier. */
const dashes = /[\p{Pd}\u2212\u2796\u2043\u02d7]/gu;
/** An empty Braille cell looks like a blank as well. */
const blanks = /[\p{White_Space}\u2800]/gu;

/**
 * Text as a person types it, or copies it from a message, a chat or an autofill field: trimmed, without invisible characters, in
 * NFKC, with digits of any script as 0 to 9, any dash as `-` and any blank as a space (D7, D9, D19, D22).
 */
export function typedText(typed: string): string {
  const composed = typed.replaceAll(invisible, "").normalize("NFKC");
  return composed
    .replaceAll(dashes, "-")
    .replaceAll(blanks, " ")
    .replaceAll(/(?![0-9])\p{Nd}/gu, digitOf)
    .trim();
}

/** A secret of digits, typed: dashes, blanks and brackets do not count, nor does punctuation around it (D9, D19). */
export const typedDigits = v.pipe(
  v.string(),
  v.maxLength(320),
  // The document's form of a secret that is typed; no pattern could state it.
  v.metadata({ format: "password" }),
  v.transform((typed) => {
    const joined = typedText(typed).replaceAll(/[- \p{Ps}\p{Pe}]/gu, "");
    return joined.replaceAll(/^\p{P}+|\p{P}+$/gu, "");
  }),
);

/** Unicode has the digits of a script in a row from zero on, and some rows side by side. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let first = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((point - first) % 10);
}

export const msPerMinute = 60_000;
export const msPerDay = 24 * 60 * msPerMinute;
