import { functions } from "./functions.ts";
import {
  hasKeys,
  hostOfAddress,
  hostOfUrl,
  isCount,
  isCountry,
  isHere,
  isListOf,
  isOrigin,
  isRecord,
  isThrottle,
  isTimeZone,
  matches,
  patterns,
  readUrl,
} from "./setting-checks.ts";
import type { Stage } from "./stages.ts";

/** What a setting must be. */
export interface SettingForm<Value> {
  /** The words that follow "Set … to". */
  readonly wanted: string;
  /** Whether a value is that; asked of an optional setting only where the stage has it. */
  fits(value: Value, stage: Stage): boolean;
  /** The hosts that it names; reserved ones are refused where a stage keeps its data. */
  hosts?(value: Value): readonly string[];
  /** Whether the stage may leave it out. */
  readonly isOptional?: boolean | ((stage: Stage) => boolean);
}

type SettingForms = { readonly [Setting in keyof Stage]-?: SettingForm<NonNullable<Stage[Setting]>> };

const applicationServices = { fcm: "GCM", apns: "APNS", apns_sandbox: "APNS_SANDBOX" };
const logRetentionDays = [1, 7, 14, 30, 90, 180, 365];

/** The form of every setting. A setting without one does not compile. */
export const settingForms: SettingForms = {
  name: {
    wanted: "a word of up to 20 lower-case letters, digits and hyphens that begins with a letter",
    fits: (name) => matches(name, patterns.stageName),
  },
  region: {
    wanted: "an AWS region, such as eu-west-2",
    fits: (region) => matches(region, patterns.region),
    isOptional: true,
  },
  serviceName: {
    wanted: "a name of 1 to 60 characters on one line",
    fits: (name) => matches(name, patterns.oneLine),
  },
  senderAddress: {
    wanted: "an e-mail address that SES may send from",
    fits: (sender) => matches(sender, patterns.emailAddress),
    hosts: (address) => [hostOfAddress(address)],
  },
  senderIdentity: oneOf(["domain", "address", "existing"]),
  defaultCountry: { wanted: "the ISO 3166 code of a country, such as GB", fits: isCountry },
  servedCountries: {
    wanted: "a list of the ISO 3166 codes of one or more countries, such as GB",
    fits: (countries) => isListOf(countries, isCountry),
  },
  recoveryDisclosure: oneOf(["masked", "full"]),
  registration: oneOf(["open", "closed"]),
  smsCeilings: {
    wanted: "{ perHour, perDay }, two whole numbers of which the day's is not the lower one",
    fits: (ceilings) =>
      hasKeys(ceilings, ["perHour", "perDay"]) &&
      Number.isSafeInteger(ceilings.perDay) &&
      Number.isSafeInteger(ceilings.perHour) &&
      0 <= ceilings.perHour &&
      ceilings.perHour <= ceilings.perDay,
  },
  smsMonthlySpendLimitDollars: count("US dollars"),
  businessTimeZone: { wanted: "an IANA time zone, such as Europe/London", fits: isTimeZone },
  platformApplications: {
    wanted:
      "ARNs of SNS platform applications in the stage's region: fcm of GCM, apns of APNS, apns_sandbox of APNS_SANDBOX",
    fits: (applications, { region }) =>
      isRecord(applications) &&
      Object.entries(applications).every(([service, arn]) => {
        const [, where, kind] = patterns.platformApplicationArn.exec(String(arn)) ?? [];
        return kind !== undefined && kind === Reflect.get(applicationServices, service) && isHere(where, region);
      }),
    isOptional: true,
  },
  outsideIssuer: {
    wanted: "{ issuer, audience, jwksUrl, claims: { user, role, company } }, both addresses https",
    fits: (issuer) =>
      hasKeys(issuer, ["issuer", "audience", "jwksUrl", "claims"]) &&
      [issuer.issuer, issuer.jwksUrl].every((each) => readUrl(each)?.protocol === "https:") &&
      matches(issuer.audience, patterns.notEmpty) &&
      hasKeys(issuer.claims, ["user", "role", "company"]) &&
      Object.values(issuer.claims).every((claim) => matches(claim, patterns.notEmpty)),
    hosts: ({ issuer, jwksUrl }) => [issuer, jwksUrl].map(hostOfUrl),
    isOptional: true,
  },
  origins: {
    wanted:
      "a list of one or more https origins without path or *, such as https://app.your-company.com (http for localhost alone)",
    fits: (origins) => isListOf(origins, isOrigin),
    hosts: (origins) => origins.map(hostOfUrl),
  },
  throttle: { wanted: "{ requestsPerSecond, burst }, two whole numbers above 0", fits: isThrottle },
  anonymousThrottle: {
    wanted: "{ requestsPerSecond, burst }, two whole numbers above 0 and not above those of throttle",
    fits: (own, { throttle }) =>
      isThrottle(own) &&
      (!isThrottle(throttle) || (own.requestsPerSecond <= throttle.requestsPerSecond && own.burst <= throttle.burst)),
  },
  customDomain: {
    wanted: "{ name, certificateArn }, a host name and the ARN of an ACM certificate in the stage's region",
    fits: (domain, { region }) =>
      hasKeys(domain, ["name", "certificateArn"]) &&
      matches(domain.name, patterns.host) &&
      isHere(patterns.certificateArn.exec(String(domain.certificateArn))?.[1], region),
    hosts: ({ name }) => [name],
    isOptional: true,
  },
  reservedConcurrency: {
    wanted: "whole numbers above 0 by the name of a function in infra/functions.ts",
    fits: (reserved) =>
      isRecord(reserved) &&
      Object.entries(reserved).every(([name, value]) => Object.hasOwn(functions, name) && isCount(value)),
    isOptional: true,
  },
  logRetentionDays: {
    wanted: `a number of days among ${logRetentionDays.join(", ")}`,
    fits: (days) => logRetentionDays.includes(days),
  },
  removal: oneOf(["keep", "delete"]),
  deletionProtection: trueOrFalse(),
  backupKeptDays: count("days"),
  deployment: oneOf(["at-once", "canary"]),
  alarmAddress: {
    wanted: "an e-mail address that somebody reads, as a stage needs that keeps its data",
    fits: (reader) => matches(reader, patterns.emailAddress),
    hosts: (address) => [hostOfAddress(address)],
    isOptional: ({ removal }) => removal !== "keep",
  },
  failedPinsPerHour: { wanted: "a whole number of wrong pins above 0", fits: isCount },
  runbookUrl: {
    wanted: "the https address of infra/RUNBOOK.md, such as where its repository shows it",
    fits: (url) => readUrl(url)?.protocol === "https:",
    hosts: (url) => [hostOfUrl(url)],
    isOptional: true,
  },
  tracing: trueOrFalse(),
};

function oneOf<const Value extends string>(values: readonly Value[]): SettingForm<Value> {
  return { wanted: values.map((value) => `"${value}"`).join(" or "), fits: (value) => values.includes(value) };
}

function trueOrFalse(): SettingForm<boolean> {
  return { wanted: "true or false", fits: (value) => typeof value === "boolean" };
}

function count(unit: string): SettingForm<number> {
  return { wanted: `a whole number of ${unit} above 0`, fits: isCount, isOptional: true };
}
