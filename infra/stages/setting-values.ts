import { getCountries } from "libphonenumber-js/min";
import * as v from "valibot";
import { gsmSeptetsOf } from "./gsm-septets.ts";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostName = `(?:${label}\\.)+[a-z]{2,63}`;
const awsRegion = "[a-z]{2}(?:-[a-z]+)+-[0-9]";

export const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

export const wholeDollars = v.pipe(wholeNumber, v.title("a whole number of US dollars above 0"));

export const flag = v.pipe(v.boolean(), v.title("true or false"));

export const throttle = v.pipe(
  v.strictObject({ requestsPerSecond: wholeNumber, burst: wholeNumber }),
  v.title("{ requestsPerSecond, burst }, two whole numbers above 0"),
);

/**
 * Most requests a second to a route that needs no token. Pins of twelve digits have no limit but this one, at each of the two
 * routes that take them: 2 × 400 × 86,400 tries a day of 10^12 pins, and 20 tries of 10^6 short ones, are below 10^-4 (D10).
 */
const mostAnonymousRequests = 400;

export const anonymousThrottle = v.pipe(
  throttle,
  v.check(({ requestsPerSecond }) => requestsPerSecond <= mostAnonymousRequests),
  v.title(
    `{ requestsPerSecond, burst }, two whole numbers above 0, at most ${mostAnonymousRequests} requests a second, as above that guessing takes over one login with a chance above 1 in 10,000 a day`,
  ),
);

/** Whole number of days, ten years at most. */
export const days = v.pipe(wholeNumber, v.maxValue(3_650), v.title("a whole number of days from 1 to 3650"));

export const ceilings = v.pipe(
  v.strictObject({ perDay: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
  v.title("{ perDay }, a whole number"),
);

export const someText = v.pipe(v.string(), v.nonEmpty());

/** Up to 20 lower-case letters, digits and hyphens. */
export const word = v.pipe(
  text("[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?"),
  v.title("a word of up to 20 lower-case letters, digits and hyphens that begins with a letter"),
);

/** 1 to 60 characters on one line, without surrounding spaces. Every SMS that contains it fits into one part (D45). */
export const serviceName = v.pipe(
  text("(?! )[^\\p{C}]{1,60}(?<! )"),
  v.check((name) => gsmSeptetsOf(name) <= 60),
  v.title(
    "a name of 1 to 60 characters on one line that SMS have in 7 bits (the GSM alphabet; € [ ] { } ^ ~ | \\ count twice)",
  ),
);

/** AWS region, such as eu-west-2. */
export const region = v.pipe(text(awsRegion), v.title("an AWS region, such as eu-west-2"));

export const regions = v.pipe(
  listOf(region),
  v.check((all) => areDifferent(all)),
);

export const accountNumber = v.pipe(text("[0-9]{12}"), v.title("the 12 digits of an AWS account"));

/** Sender of SMS: 3 to 11 letters and digits, at least one letter. */
export const smsSender = v.pipe(
  text("(?=[A-Za-z0-9]{3,11}$)[0-9]*[A-Za-z][A-Za-z0-9]*"),
  v.title("a registered sender of 3 to 11 letters and digits"),
);

/** Amount of US dollars above 0, in whole cents. */
export const dollars = v.pipe(
  v.number(),
  v.check((amount) => amount > 0 && Number(amount.toFixed(2)) === amount),
  v.title("an amount of US dollars above 0"),
);

export const host = text(hostName);

/** ISO 3166 code of a country with a known numbering plan. */
export const country = v.pipe(v.picklist(getCountries()), v.title("the ISO 3166 code of a country, such as GB"));

/** E-mail address without a display name. */
export const emailAddress = text(`[A-Za-z0-9!#$%&'*+\\/=?^_\\{\\|\\}~.\\-]{1,64}@${hostName}`);

export const httpsUrl = v.pipe(
  v.string(),
  v.check((url) => URL.parse(url)?.protocol === "https:"),
);

/** Origin of browsers' calls: https, or http of this machine. */
export const origin = v.pipe(v.string(), v.check(isOrigin));

/** IANA time zone by area and place. Not every scheduler knows short and old names, such as GB. */
export const timeZone = v.pipe(
  v.string(),
  v.regex(/^(?:[A-Z]\w+(?:\/[A-Z][\w+-]*)+|UTC)$/),
  v.check(isTimeZone),
  v.title("an IANA time zone by area and place, such as Europe/London, or UTC"),
);

/** Name of a stage's table: of the first one, or with numbers after it. */
export const restoredTable = text("workforce-[a-z0-9-]+-records(?:-[0-9]+)*");

export const backupVaultArn = text(`arn:aws[a-z\\-]*:backup:${awsRegion}:[0-9]{12}:backup-vault:[A-Za-z0-9_\\-]{2,50}`);

/** One weekly backup is made before the last one ends, even if one fails. */
export const backupDays = v.pipe(wholeNumber, v.minValue(14), v.title("a whole number of days from 14"));

/** As many as a partition takes: below, one payment of many timesheets would be refused at each try. */
const fewestWriteUnits = 1_000;

export const writeUnits = v.pipe(
  wholeNumber,
  v.minValue(fewestWriteUnits),
  v.title(`a whole number of write units from ${fewestWriteUnits}`),
);

/** Longest lock of backups. Erased people have to be out of them in a time that can be promised. */
const mostLockedDays = 35;

export const lockedDays = v.pipe(
  wholeNumber,
  v.maxValue(mostLockedDays),
  v.title(`a whole number of days from 1 to ${mostLockedDays}`),
);

export const certificateArn = text(`arn:aws[a-z\\-]*:acm:${awsRegion}:[0-9]{12}:certificate/[0-9a-f\\-]{36}`);

/** ARN of a certificate that CloudFront accepts. */
export const edgeCertificateArn = text("arn:aws[a-z\\-]*:acm:us-east-1:[0-9]{12}:certificate/[0-9a-f\\-]{36}");

/** ARN of a firewall that CloudFront accepts. */
export const webAclArn = text(
  "arn:aws[a-z\\-]*:wafv2:us-east-1:[0-9]{12}:global/webacl/[\\w\\-]{1,128}/[0-9a-f\\-]{36}",
);

export const distributionId = text("E[A-Z0-9]{7,20}");

/** Time in UTC to the second, such as 2026-11-22T09:30:00Z. */
export const moment = text("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z");

const roleArn = "arn:aws[a-z\\-]*:iam::[0-9]{12}:role/";
/** IAM takes 2,048 characters of a trust policy, which has three of these, and each twice. */
const longestRoleArn = 160;
const roleWord = "[\\w+=,.@\\-]";

/**
 * ARN of a role, or of the roles that IAM Identity Center makes for one permission set. A `*` elsewhere would
 * admit others than the one who writes it means.
 */
export const rolePrincipal = v.pipe(
  text(
    `${roleArn}(?:(?:${roleWord}+/)*${roleWord}{1,64}|aws-reserved/sso\\.amazonaws\\.com/(?:${awsRegion}/)?AWSReservedSSO_${roleWord}{1,32}_\\*)`,
  ),
  v.maxLength(longestRoleArn),
);

/** ARN of a platform application in SNS, of one kind. */
export function applicationArn(kind: string) {
  return text(`arn:aws[a-z\\-]*:sns:${awsRegion}:[0-9]{12}:app/${kind}/[\\w.\\-]{1,256}`);
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return v.pipe(v.picklist(values), v.title(values.map((value) => `"${value}"`).join(" or ")));
}

export function listOf<const Item extends v.GenericSchema>(item: Item) {
  return v.pipe(v.array(item), v.minLength(1), v.readonly());
}

function text(pattern: string) {
  return v.pipe(v.string(), v.regex(new RegExp(`^(?:${pattern})$`, "u")));
}

function areDifferent(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
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
