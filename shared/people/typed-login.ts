import {
  type CountryCode,
  type NumberType,
  type PhoneNumberType,
  parsePhoneNumberFromString,
} from "libphonenumber-js/core/es6";
import numberingPlans from "libphonenumber-js/max/metadata";
import { Refusal } from "../contract/refusals.ts";
import { typedText } from "../contract/values.ts";

/** The form of a typed address: one `@`, nothing that needs quotes. */
const typedShape = /^[^\s\p{C}@"(),:;<>[\]\\]{1,64}@[^\s\p{C}@"(),:;<>[\]\\]{1,255}$/u;

/** Printable ASCII in parts between dots. E-mail services accept no other local part. */
const localPart = /^[!-\-/-~]+(\.[!-\-/-~]+)*$/;

/** At least two labels, the last of them not a number, because an IP address receives no mail. */
const domainName =
  /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * A typed e-mail address in its normal form: lower case, the domain in ASCII (IDNA); dots and plus tags are
 * significant. Undefined for an address to which no e-mail service delivers (D7).
 */
function normalEmail(typed: string): string | undefined {
  if (!typedShape.test(typed)) return undefined;
  const [local = "", domain = ""] = typed.toLowerCase().split("@");
  const ascii = /[/?#%]/.test(domain) ? "" : (URL.parse(`http://${domain}`)?.hostname ?? "");
  return localPart.test(local) && domainName.test(ascii) ? `${local}@${ascii}` : undefined;
}

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

/** The types of numbers that never receive SMS, as a refusal names them; "" for those that do (D7). */
const silentKinds: Readonly<Record<PhoneNumberType, string>> = {
  MOBILE: "",
  FIXED_LINE_OR_MOBILE: "",
  FIXED_LINE: "landlines",
  PREMIUM_RATE: "premium numbers",
  TOLL_FREE: "freephone numbers",
  SHARED_COST: "shared-cost numbers",
  PERSONAL_NUMBER: "personal numbers",
  PAGER: "pagers",
  VOIP: "internet telephony (VoIP) numbers",
  UAN: "company (UAN) numbers",
  VOICEMAIL: "voicemail numbers",
};

/**
 * Refuses as `country_not_served` a phone number that never gets SMS, and names its kind, which follows from the number alone. A
 * number of unknown type may be a stored user's, but cannot register (D7).
 */
export function requireSmsReceiver({ value, channel }: Login, { registers }: { readonly registers: boolean }): void {
  if (channel === "email" || maySendSmsTo(value, { isStored: !registers })) return;
  const kind = kindOf(value);
  const named = kind === undefined ? "phone numbers of unknown kind that register" : silentKinds[kind];
  throw new Refusal("country_not_served", `No SMS is sent to ${named}`);
}

/**
 * True for a phone number in E.164 that gets SMS. A number of unknown type gets them only if it is a stored user's
 * (D7).
 */
export function maySendSmsTo(phone: string, { isStored }: { readonly isStored: boolean }): boolean {
  const kind = kindOf(phone);
  return kind === undefined ? isStored : silentKinds[kind] === "";
}

/** Of the normal form: text with a national prefix too many has no type as it was typed. */
function kindOf(phone: string): NumberType {
  return parsePhoneNumberFromString(phone, numberingPlans)?.getType();
}
