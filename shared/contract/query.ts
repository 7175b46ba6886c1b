import * as v from "valibot";
import { isCalendarDate, text } from "./values.ts";

/** Default page size (interface, section 8). */
export const defaultPerPage = 20;

/** Largest page size; larger values are clamped (D30). */
export const maxPerPage = 100;

/** Largest page number, and largest size of a page in a request. */
export const mostPages = 999_999_999_999_999;

/** A positive number of up to 15 digits; undefined for an empty value, which counts as absent (D22). */
const positive = v.pipe(
  v.string(),
  v.regex(/^(0*[1-9][0-9]{0,14})?$/, "must be a whole number from 1 on, such as 1"),
  v.transform((value) => (value === "" ? undefined : Number(value))),
);

/** Paging parameters. A `per_page` above 100 counts as 100 (D30). */
export const paging = {
  page: v.optional(positive, ""),
  per_page: v.optional(
    v.pipe(
      positive,
      v.transform((value) => Math.min(value ?? defaultPerPage, maxPerPage)),
    ),
    "",
  ),
  cursor: v.optional(v.pipe(v.string(), v.maxLength(200))),
};

/** An optional query parameter. An empty value counts as absent (D22). */
export function optionalParameter<S extends v.GenericSchema<string, unknown>>(schema: S) {
  return v.pipe(
    v.optional(v.string()),
    v.transform((value) => (value === "" ? undefined : value)),
    v.optional(schema),
  );
}

/** Characters of several values together: each of them a dozen times. */
const longestChoice = 200;

/** One of the values, or several separated by commas. An absent or empty parameter means all of them (D22). */
export function severalOf<const T extends readonly string[]>(allowed: v.PicklistSchema<T, undefined>) {
  return v.pipe(
    v.optional(v.pipe(v.string(), v.maxLength(longestChoice)), ""),
    v.transform((value) =>
      value === "" ? [...allowed.options] : [...new Set(value.split(",").map((part) => part.trim()))],
    ),
    v.array(allowed),
    // As many as fit into the text.
    v.metadata({ maxItems: longestChoice / "paid,".length }),
  );
}

/** A date filter: a calendar date, or a timestamp, of which the date part is used (D21). */
export const dateFilter = v.pipe(
  v.string(),
  v.maxLength(40),
  // In a query string an unescaped plus sign arrives as a space.
  v.transform((value) => value.replace(/(?<=:.*) (?=\d\d:?\d\d$)/, "+")),
  v.check(isDateOrTimestamp, "must be a date, YYYY-MM-DD"),
  v.transform((value) => value.slice(0, 10)),
);

/** An identifier in a path or query string, with the range of stored ids. */
export const idParameter = v.pipe(
  v.string(),
  v.check((value) => idOf(value) !== undefined, "must be an id, a whole number above 0"),
  v.transform(Number),
);

/** The id of a record in a path; undefined for other text, which identifies no record (D39). */
export const recordId = v.pipe(v.string(), v.transform(idOf));

/** The common parts of operations that show one record (D39). */
export const oneRecord = {
  method: "GET",
  keys: "read",
  companyBound: true,
  parameters: v.object({ id: recordId }),
  refusals: ["record_not_found"],
} as const;

/** Text searched for, 1–64 characters. */
export const searchText = text(64);

function idOf(text: string): number | undefined {
  const id = Number(text);
  return /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined;
}

function isDateOrTimestamp(value: string): boolean {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)([T ].+)?$/.exec(value) ?? [];
  return (
    date !== undefined &&
    isCalendarDate(date) &&
    (time === undefined || !Number.isNaN(Date.parse(value.replace(" ", "T"))))
  );
}
