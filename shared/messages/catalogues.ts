import type { Locale } from "../contract/values.ts";
import { languageOf } from "../run/language.ts";
import type { Catalogue } from "./catalogue.ts";
import { de } from "./words-de.ts";
import { en } from "./words-en.ts";

/** The catalogue of each language. */
export const catalogues: Readonly<Record<Locale, Catalogue>> = { en, de };

/**
 * The catalogue of a user's language, or the stage's if they have none or one that this release does not know (D45).
 */
export function catalogueOf(userLocale: string | null | undefined): Catalogue {
  return catalogues[languageOf(userLocale)];
}
