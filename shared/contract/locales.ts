import * as v from "valibot";

/** The languages of messages to people, as BCP 47 names them (D45). */
export const locales = ["en", "de"] as const;

/** A language of messages to people. */
export type Locale = (typeof locales)[number];

/** One of the languages. */
export const locale = v.picklist(locales);
