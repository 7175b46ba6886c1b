import { getCountries } from "libphonenumber-js/min";
import type { Stage } from "./stages.ts";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const host = `(?:${label}\\.)+[a-z]{2,63}`;
const region = "[a-z]{2}(?:-[a-z]+)+-[0-9]";

/** The forms of texts. */
export const patterns = {
  stageName: /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/,
  oneLine: /^(?! )[^\p{C}]{1,60}(?<! )$/u,
  notEmpty: /./,
  region: new RegExp(`^${region}$`),
  host: new RegExp(`^${host}$`),
  emailAddress: new RegExp(`^[A-Za-z0-9!#$%&'*+/=?^_{|}~.-]{1,64}@${host}$`),
  /** Captures the region. */
  certificateArn: new RegExp(`^arn:aws[a-z-]*:acm:(${region}):[0-9]{12}:certificate/[0-9a-f-]{36}$`),
  /** Captures the region and the service. */
  platformApplicationArn: new RegExp(`^arn:aws[a-z-]*:sns:(${region}):[0-9]{12}:app/([A-Z_]+)/[\\w.-]{1,256}$`),
};

/** Whether it is a text of that form. */
export function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** Whether it is a whole number above 0. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** Whether both limits of a throttle are whole numbers above 0. */
export function isThrottle(throttle: Stage["throttle"]): boolean {
  return (
    hasKeys(throttle, ["requestsPerSecond", "burst"]) && isCount(throttle.requestsPerSecond) && isCount(throttle.burst)
  );
}

/** Whether it is an IANA time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return typeof timeZone === "string";
  } catch {
    return false;
  }
}

/** Whether it is an origin that browsers' calls may come from: https, and http of this machine alone. */
export function isOrigin(origin: string): boolean {
  const url = readUrl(origin);
  if (url?.origin !== origin || origin.includes("*")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "localhost");
}

/** Whether a resource is where the stage is; a stage without a region may be anywhere. */
export function isHere(where: string | undefined, region: string | undefined): boolean {
  return where !== undefined && (region === undefined || where === region);
}

/** Whether it is a list of at least one item, all of which fit. */
export function isListOf<Item>(list: readonly Item[], fits: (item: Item) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((item) => fits(item));
}

/** Whether it is an object with keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it is an object with these keys and no others. */
export function hasKeys(value: unknown, keys: readonly string[]): boolean {
  return isRecord(value) && keys.every((key) => Object.hasOwn(value, key)) && Object.keys(value).length === keys.length;
}

/** The host of an e-mail address. */
export function hostOfAddress(text: string): string {
  return text.slice(text.lastIndexOf("@") + 1);
}

/** The host of a URL. */
export function hostOfUrl(text: string): string {
  return new URL(text).hostname;
}

/** The URL in a text, or undefined. */
export function readUrl(text: unknown): URL | undefined {
  return typeof text === "string" ? (URL.parse(text) ?? undefined) : undefined;
}

/** Whether it is the ISO 3166 code of a country whose phone numbers are known. */
export function isCountry(code: string): boolean {
  return getCountries().some((known) => known === code);
}
