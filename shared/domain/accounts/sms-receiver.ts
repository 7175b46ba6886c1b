import { type NumberType, type PhoneNumberType, parsePhoneNumberFromString } from "libphonenumber-js/core/es6";
import numberingPlans from "libphonenumber-js/max/metadata";
import { Refusal } from "../../contract/refusals.ts";
import type { Login } from "./login.ts";

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
