import { getCountries } from "libphonenumber-js/min";
import * as v from "valibot";
import { outboundEventKinds, outboundEventTypes } from "../../shared/contract/outbound-events.ts";
import { gsmSeptetsOf } from "../../shared/domain/gsm-septets.ts";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostName = `(?:${label}\\.)+[a-z]{2,63}`;
const awsRegion = "[a-z]{2}(?:-[a-z]+)+-[0-9]";

/** Whole number above 0. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Average requests per second, and the most in a burst. */
export const throttle = v.strictObject({ requestsPerSecond: count, burst: count });

/**
 * Most requests a second to a route that needs no token. Pins of twelve digits have no limit but this one, at each of the two
 * routes that take them: 2 × 400 × 86,400 tries a day of 10^12 pins, and 20 tries of 10^6 short ones, are below 10^-4 (D10).
 */
export const mostAnonymousRequests = 400;

/** The limit of each route that needs no token. */
export const anonymousThrottle = v.pipe(
  throttle,
  v.check(({ requestsPerSecond }) => requestsPerSecond <= mostAnonymousRequests),
);

/** Whole number of days, ten years at most. */
export const days = v.pipe(count, v.maxValue(3_650));

/** Whole number from 0. */
export const countFromZero = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Any text except an empty one. */
export const someText = v.pipe(v.string(), v.nonEmpty());

/** Up to 20 lower-case letters, digits and hyphens. */
export const word = text("[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?");

/** 1 to 60 characters on one line, without surrounding spaces. Every SMS that contains it fits into one part (D45). */
export const serviceName = v.pipe(
  text("(?! )[^\\p{C}]{1,60}(?<! )"),
  v.check((name) => gsmSeptetsOf(name) <= 60),
);

/** AWS region, such as eu-west-2. */
export const region = text(awsRegion);

/** Number of an AWS account. */
export const accountNumber = text("[0-9]{12}");

/** Sender of SMS: 3 to 11 letters and digits, at least one letter. */
export const smsSender = text("(?=[A-Za-z0-9]{3,11}$)[0-9]*[A-Za-z][A-Za-z0-9]*");

/** Amount of US dollars above 0, in whole cents. */
export const dollars = v.pipe(
  v.number(),
  v.check((amount) => amount > 0 && Number(amount.toFixed(2)) === amount),
);

/** Full name of a host. */
export const host = text(hostName);

/** ISO 3166 code of a country with a known numbering plan. */
export const country = v.picklist(getCountries());

/** E-mail address without a display name. */
export const emailAddress = text(`[A-Za-z0-9!#$%&'*+\\/=?^_\\{\\|\\}~.\\-]{1,64}@${hostName}`);

/** Address with https. */
export const httpsUrl = v.pipe(
  v.string(),
  v.check((url) => URL.parse(url)?.protocol === "https:"),
);

/** Origin of browsers' calls: https, or http of this machine. */
export const origin = v.pipe(v.string(), v.check(isOrigin));

/** IANA time zone by area and place. Not every scheduler knows short and old names, such as GB. */
export const timeZone = v.pipe(v.string(), v.regex(/^(?:[A-Z]\w+(?:\/[A-Z][\w+-]*)+|UTC)$/), v.check(isTimeZone));

/** ARN of a certificate in ACM. */
export const certificateArn = text(`arn:aws[a-z\\-]*:acm:${awsRegion}:[0-9]{12}:certificate/[0-9a-f\\-]{36}`);

/** ARN of a certificate that CloudFront accepts. */
export const edgeCertificateArn = text("arn:aws[a-z\\-]*:acm:us-east-1:[0-9]{12}:certificate/[0-9a-f\\-]{36}");

/** ARN of a firewall that CloudFront accepts. */
export const webAclArn = text(
  "arn:aws[a-z\\-]*:wafv2:us-east-1:[0-9]{12}:global/webacl/[\\w\\-]{1,128}/[0-9a-f\\-]{36}",
);

/** Time in UTC to the second, such as 2026-11-22T09:30:00Z. */
export const moment = text("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z");

/** ARN of a platform application in SNS, of one kind. */
export function applicationArn(kind: string) {
  return text(`arn:aws[a-z\\-]*:sns:${awsRegion}:[0-9]{12}:app/${kind}/[\\w.\\-]{1,256}`);
}

/** List of at least one item. */
export function listOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(v.array(item), v.minLength(1), v.readonly());
}

/** A review takes weeks. A pin that people hold must end by itself. */
const mostTestDays = 90;

/** The test logins of a stage. A day that has passed stands in no deploy's way, because they have ended. */
export const testLogins = v.strictObject({
  companyId: count,
  logins: v.pipe(listOf(someText), v.maxLength(10)),
  until: v.pipe(v.string(), v.isoDate(), v.check(isDay), v.check(isWithinTestDays)),
});

/**
 * Longest address of a webhook. The addresses of all webhooks are in the environment of one function, which is limited
 * to 4 KB.
 */
const longestWebhookUrl = 200;

/** A receiver of some kinds of events, of one company or of all. */
export const webhook = v.pipe(
  v.strictObject({
    name: word,
    url: v.pipe(v.string(), v.maxLength(longestWebhookUrl), v.check(isWebhookUrl)),
    kinds: v.pipe(
      listOf(v.picklist(outboundEventTypes)),
      v.check((kinds) => areDifferent(kinds)),
    ),
    company: v.exactOptional(count),
  }),
  v.check(({ kinds, company }) => company === undefined || kinds.every((kind) => outboundEventKinds[kind].hasCompany)),
);

/** The webhooks of a stage. Each uses concurrency of the account. */
export const webhooks = v.pipe(
  listOf(webhook),
  v.maxLength(10),
  v.check((all) => areDifferent(all.map(({ name }) => name))),
);

/** Refuses a list. To valibot a list is an object too, and passes if all keys are optional. */
export function keyed<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.pipe(
    v.custom<unknown>((value) => !Array.isArray(value)),
    schema,
  );
}

function text(pattern: string) {
  return v.pipe(v.string(), v.regex(new RegExp(`^(?:${pattern})$`, "u")));
}

function areDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** https on the default port, at a host with a full name, not an IP address. */
function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  const isPlain = url?.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return isPlain && !text.includes("#") && v.is(host, url.hostname);
}

/** True if a `YYYY-MM-DD` is a day of the calendar. */
export function isDay(day: string): boolean {
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
}

function isWithinTestDays(day: string): boolean {
  return Date.parse(day) <= Date.now() + mostTestDays * 86_400_000;
}

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

function isOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  if (url?.origin !== origin || origin.includes("*")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && url.hostname === "localhost");
}
