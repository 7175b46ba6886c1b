import { type Locale, locales } from "../../contract/locales.ts";
import { settings } from "../../settings.ts";
import type { Catalogue, PushText } from "./catalogue.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";

/** The catalogue of each language. */
export const catalogues: Readonly<Record<Locale, Catalogue>> = { en, de };

/**
 * The catalogue of a user's language, or the stage's if they have none or one that this release does not know (D45).
 */
export function catalogueOf(userLocale: string | null | undefined): Catalogue {
  return catalogues[locales.find((each) => each === userLocale) ?? settings.locale()];
}

/** The text of a push. A kind that only other systems know appears under their names. */
export function pushTextOf({ notifications }: Catalogue, recordType: string, type: string): PushText {
  const known = new Map<string, { readonly title: string; readonly kinds: object }>(Object.entries(notifications));
  const { title = recordType, kinds = {} } = known.get(recordType) ?? {};
  const sentences = new Map<string, string>(Object.entries(kinds));
  return { title, body: sentences.get(type) ?? type.replaceAll("_", " ") };
}
