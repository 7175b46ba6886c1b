import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/core/es6";
import numberingPlans from "libphonenumber-js/max/metadata";
import { Refusal } from "../../contract/refusals.ts";
import { typedText } from "../../contract/values.ts";
import { normalEmail } from "./email-address.ts";

/** A login in its normal form, and the channel of its pins (D7, D8). */
export interface Login {
  readonly value: string;
  readonly channel: "email" | "sms";
  /**
   * ISO 3166 country of a phone number, the first if several share its code; undefined for e-mail and unknown codes.
   */
  readonly country?: CountryCode | undefined;
}

const otherLetter = /(?!\p{sc=Latin})\p{L}/u;
const joinerOrDigit = /[\u200c\u200d]|(?![0-9])\p{Nd}/u;

/**
 * Normalises typed text: with `@` an e-mail address, else a possible phone number, read with the stage's default
 * country and written in E.164. Numbers in use change faster than a bundled table, so that is not checked. Undefined if
 * it is neither (D7).
 */
export function parseLogin(typed: string, defaultCountry: CountryCode): Login | undefined {
  const value = typedText(typed);
  if (value.includes("@")) {
    const email = isReadAsAnother(typed) ? undefined : normalEmail(value);
    return email === undefined ? undefined : { value: email, channel: "email" };
  }
  // The parser takes brackets around a part of a number, and none around its plus sign.
  const phone = parsePhoneNumberFromString(
    value.replaceAll(/[()[\]]/g, ""),
    { defaultCountry, extract: false },
    numberingPlans,
  );
  if (!phone?.isPossible()) return undefined;
  return { value: phone.number, channel: "sms", country: phone.country ?? phone.getPossibleCountries()[0] };
}

/**
 * True for an address with a joiner or digits of its own script in a part of its domain. Read as typed text, that is another domain,
 * whose owner must not get the pin.
 */
function isReadAsAnother(email: string): boolean {
  const parts = email.normalize("NFKC").split(/[.。@]/);
  return parts.some((part) => otherLetter.test(part) && joinerOrDigit.test(part));
}

/** Refuses a phone number of a country that gets no SMS (D11). */
export function requireServed({ channel, country }: Login, servedCountries: readonly string[]): void {
  if (channel === "sms" && !servedCountries.includes(country ?? "")) {
    throw new Refusal("country_not_served", "No SMS is sent to phone numbers of this country");
  }
}

/** Like `parseLogin`, but refuses other text and names its field. */
export function requireLogin(
  typed: string,
  defaultCountry: CountryCode,
  field: { readonly pointer: string } | { readonly parameter: string },
): Login {
  const login = parseLogin(typed, defaultCountry);
  if (login) return login;
  const detail = "must be an e-mail address or a phone number";
  throw new Refusal("fields_invalid", `The login ${detail}`, { errors: [{ ...field, code: "invalid", detail }] });
}
