import * as v from "valibot";
import { functions } from "../functions/functions.ts";
import {
  applicationArn,
  certificateArn,
  count,
  countFromZero,
  country,
  emailAddress,
  host,
  httpsUrl,
  listOf,
  oneLine,
  origin,
  region,
  someText,
  stageName,
  throttle,
  timeZone,
} from "./setting-schemas.ts";
import type { Stage } from "./stages.ts";

/** What a setting must be. */
export interface SettingForm<Value> {
  /** The words that follow "Set … to". */
  readonly wanted: string;
  readonly schema: v.GenericSchema;
  /** Whether a value of that schema goes with the stage's other settings. */
  agrees?(value: Value, stage: Stage): boolean;
  /** The hosts that it names; reserved ones are refused where a stage keeps its data. */
  hosts?(value: Value): readonly string[];
  /** Whether the stage may leave it out. */
  readonly isOptional?: boolean | ((stage: Stage) => boolean);
}

type SettingForms = { readonly [Setting in keyof Stage]-?: SettingForm<NonNullable<Stage[Setting]>> };

const logRetentionDays = [1, 7, 14, 30, 90, 180, 365];

/** The form of every setting. A setting without one does not compile. */
export const settingForms: SettingForms = {
  name: {
    wanted: "a word of up to 20 lower-case letters, digits and hyphens that begins with a letter",
    schema: stageName,
  },
  region: { wanted: "an AWS region, such as eu-west-2", schema: region, isOptional: true },
  serviceName: { wanted: "a name of 1 to 60 characters on one line", schema: oneLine },
  senderAddress: {
    wanted: "an e-mail address that SES may send from",
    schema: emailAddress,
    hosts: (address) => [hostOfAddress(address)],
  },
  senderIdentity: oneOf(["domain", "address", "existing"]),
  defaultCountry: { wanted: "the ISO 3166 code of a country, such as GB", schema: country },
  servedCountries: {
    wanted: "a list of the ISO 3166 codes of one or more countries, such as GB",
    schema: listOf(country),
  },
  recoveryDisclosure: oneOf(["masked", "full"]),
  registration: oneOf(["open", "closed"]),
  smsCeilings: {
    wanted: "{ perHour, perDay }, two whole numbers of which the day's is not the lower one",
    schema: v.pipe(
      v.strictObject({ perHour: countFromZero, perDay: countFromZero }),
      v.check(({ perHour, perDay }) => perHour <= perDay),
    ),
  },
  smsMonthlySpendLimitDollars: countOf("US dollars"),
  businessTimeZone: { wanted: "an IANA time zone, such as Europe/London", schema: timeZone },
  platformApplications: {
    wanted:
      "ARNs of SNS platform applications in the stage's region: fcm of GCM, apns of APNS, apns_sandbox of APNS_SANDBOX",
    schema: keyed(
      v.strictObject({
        fcm: v.exactOptional(applicationArn("GCM")),
        apns: v.exactOptional(applicationArn("APNS")),
        apns_sandbox: v.exactOptional(applicationArn("APNS_SANDBOX")),
      }),
    ),
    agrees: (applications, stage) => Object.values(applications).every((arn) => isHere(arn, stage)),
    isOptional: true,
  },
  oidcIssuer: {
    wanted: "{ issuer, audience, jwksUrl, claims: { user, role, company } }, both addresses https",
    schema: v.strictObject({
      issuer: httpsUrl,
      audience: someText,
      jwksUrl: httpsUrl,
      claims: v.strictObject({ user: someText, role: someText, company: someText }),
    }),
    hosts: ({ issuer, jwksUrl }) => [issuer, jwksUrl].map(hostOfUrl),
    isOptional: true,
  },
  origins: {
    wanted:
      "a list of one or more https origins without path or *, such as https://app.your-company.com (http for localhost alone)",
    schema: listOf(origin),
    hosts: (origins) => origins.map(hostOfUrl),
  },
  throttle: { wanted: "{ requestsPerSecond, burst }, two whole numbers above 0", schema: throttle },
  anonymousThrottle: {
    wanted: "{ requestsPerSecond, burst }, two whole numbers above 0 and not above those of throttle",
    schema: throttle,
    agrees: (own, stage) =>
      !v.is(throttle, stage.throttle) ||
      (own.requestsPerSecond <= stage.throttle.requestsPerSecond && own.burst <= stage.throttle.burst),
  },
  customDomain: {
    wanted: "{ name, certificateArn }, a host name and the ARN of an ACM certificate in the stage's region",
    schema: v.strictObject({ name: host, certificateArn }),
    agrees: ({ certificateArn }, stage) => isHere(certificateArn, stage),
    hosts: ({ name }) => [name],
    isOptional: true,
  },
  reservedConcurrency: {
    wanted: "whole numbers above 0 by the name of a function in infra/functions/functions.ts",
    schema: keyed(v.record(v.picklist(Object.keys(functions)), count)),
    isOptional: true,
  },
  logRetentionDays: {
    wanted: `a number of days among ${logRetentionDays.join(", ")}`,
    schema: v.picklist(logRetentionDays),
  },
  removal: oneOf(["keep", "delete"]),
  deletionProtection: trueOrFalse(),
  backupKeptDays: countOf("days"),
  deployment: oneOf(["at-once", "canary"]),
  alarmAddress: {
    wanted: "an e-mail address that somebody reads, as a stage needs that keeps its data",
    schema: emailAddress,
    hosts: (address) => [hostOfAddress(address)],
    isOptional: ({ removal }) => removal !== "keep",
  },
  failedPinsPerHour: { wanted: "a whole number of wrong pins above 0", schema: count },
  runbookUrl: {
    wanted: "the https address of infra/RUNBOOK.md, such as where its repository shows it",
    schema: httpsUrl,
    hosts: (url) => [hostOfUrl(url)],
    isOptional: true,
  },
  tracing: trueOrFalse(),
};

function oneOf<const Value extends string>(values: readonly Value[]): SettingForm<Value> {
  return { wanted: values.map((value) => `"${value}"`).join(" or "), schema: v.picklist(values) };
}

function trueOrFalse(): SettingForm<boolean> {
  return { wanted: "true or false", schema: v.boolean() };
}

function countOf(unit: string): SettingForm<number> {
  return { wanted: `a whole number of ${unit} above 0`, schema: count, isOptional: true };
}

/** To valibot a list is an object too, one whose keys may all be missing. */
function keyed(schema: v.GenericSchema) {
  return v.pipe(
    v.custom<unknown>((value) => !Array.isArray(value)),
    schema,
  );
}

/** Whether a resource is where the stage is; a stage without a region may be anywhere. */
function isHere(arn: string, { region }: Stage): boolean {
  return region === undefined || arn.split(":")[3] === region;
}

function hostOfAddress(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

function hostOfUrl(url: string): string {
  return new URL(url).hostname;
}
