import { parsePhoneNumberFromString } from "libphonenumber-js/core/es6";
import numberingPlans from "libphonenumber-js/max/metadata";
import { Refusal } from "../refusal.ts";
import type { Login } from "./login.ts";

/** The types of numbers that can receive SMS (D7). */
const mobile: ReadonlySet<string | undefined> = new Set(["MOBILE", "FIXED_LINE_OR_MOBILE"]);
const unknown = undefined;

/**
 * Refuses as `country_not_served` a phone number that never gets SMS: premium, personal, shared-cost, freephone, pager,
 * landline. A number of unknown type may be a stored user's, but cannot register (D7).
 */
export function requireSmsReceiver({ value, channel }: Login, { registers }: { readonly registers: boolean }): void {
  if (channel === "email" || maySendSmsTo(value, { isStored: !registers })) return;
  throw new Refusal("country_not_served", "No SMS is sent to phone numbers of this kind");
}

/**
 * True for a phone number in E.164 that gets SMS. A number of unknown type gets them only if it is a stored user's
 * (D7).
 */
export function maySendSmsTo(phone: string, { isStored }: { readonly isStored: boolean }): boolean {
  const kind = parsePhoneNumberFromString(phone, numberingPlans)?.getType();
  return mobile.has(kind) || (kind === unknown && isStored);
}
