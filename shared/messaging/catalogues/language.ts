import { type Locale, locales } from "../../contract/locales.ts";
import { settings } from "../../settings.ts";

/** A user's language, or the stage's if they have none or one that this release does not know (D45). */
export function languageOf(userLocale: string | null | undefined): Locale {
  return locales.find((each) => each === userLocale) ?? settings.locale();
}
