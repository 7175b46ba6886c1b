import * as v from "valibot";
import { locales } from "../../shared/contract/values.ts";
import { settingWords } from "../../shared/run/settings.ts";
import { functions } from "../functions/functions.ts";
import * as value from "./setting-values.ts";

/** The retentions of CloudWatch that a stage may choose. */
const logRetentionDays = [1, 7, 14, 30, 90, 180, 365] as const;

/** IAM takes 2,048 characters of a trust policy; each principal takes up to 570 of them. */
const mostPrincipals = 3;

/**
 * The settings of one stage. Each has its meaning, which is the text of infra/README.md, and its values, whose title
 * follows "Set … to"; those a stage may leave out are optional.
 */
export const stageShape = v.object({
  name: setting("Part of the stage's names in AWS. Never change it.", value.word),
  region: optional("AWS region; a deploy elsewhere is refused. Without it the credentials decide.", value.region),
  account: optional(
    "AWS account; a deploy elsewhere is refused. Without it the credentials decide.",
    value.accountNumber,
  ),
  serviceName: setting("Name of the service in messages to people.", value.serviceName),
  locale: optional(
    "[Language](../shared/messages/README.md#languages) of mails, SMS and pushes to people who have set none.",
    value.oneOf(locales),
    { otherwise: "en" },
  ),
  senderAddress: setting("Sender of e-mails.", value.emailAddress, "an e-mail address that SES may send from"),
  senderIdentity: setting(
    "The identity that SES verifies: the whole domain, which one stage of an account and region may, the address alone, or `existing`.",
    value.oneOf(["domain", "address", "existing"]),
  ),
  defaultCountry: setting("ISO 3166 country of phone numbers without a country code.", value.country),
  servedCountries: setting(
    "ISO 3166 countries that get SMS. Each SMS costs money: name only the countries you serve.",
    value.listOf(value.country),
    "a list of the ISO 3166 codes of one or more countries, such as GB",
  ),
  recoveryDisclosure: setting(
    "Whether a password request [shows the stored user](../shared/contract/README.md#d12-what-strangers-learn).",
    value.oneOf(settingWords.recoveryDisclosure),
  ),
  registration: setting(
    "Whether strangers may register. `closed` answers 404.",
    value.oneOf(settingWords.registration),
  ),
  unknownParameters: optional(
    "Whether an unknown query parameter is refused, or only logged with a warning.",
    value.oneOf(settingWords.unknownParameters),
    { otherwise: "refuse" },
  ),
  smsSenderId: optional(
    "Sender of SMS, registered with AWS, which takes weeks. Many countries drop SMS of others, and SNS still reports success.",
    value.smsSender,
  ),
  smsMostDollars: setting("Highest price of one SMS in US dollars; dearer ones are not sent.", value.dollars),
  smsCeilings: setting(
    "Most SMS in a day (UTC), which [limits what an attacker costs](RUNBOOK.md#messages-are-held-back).",
    value.ceilings,
  ),
  mailCeilings: setting(
    "Most e-mails with a pin in a day (UTC). Keep it below the account's quota in SES (50,000 a day after the sandbox).",
    value.ceilings,
  ),
  businessTimeZone: setting("IANA time zone of the business. Invoices become overdue at its midnight.", value.timeZone),
  platformApplications: optional(
    "ARNs of SNS platform applications by push service. Without any, the stage pushes nothing.",
    v.strictObject({
      fcm: v.exactOptional(value.applicationArn("GCM")),
      apns: v.exactOptional(value.applicationArn("APNS")),
      apns_sandbox: v.exactOptional(value.applicationArn("APNS_SANDBOX")),
    }),
    {
      otherwise: {},
      wanted: "ARNs of SNS platform applications: fcm of GCM, apns of APNS, apns_sandbox of APNS_SANDBOX",
    },
  ),
  outboundEvents: optional(
    "Whether [events go out](../shared/contract/EVENTS.md#events-that-go-out) on a bus of their own, for rules of other systems. `off` removes the bus, its queue and function, once no rule of another system is on it.",
    value.oneOf(["on", "off"]),
    { otherwise: "on" },
  ),
  oidcIssuer: optional(
    "OpenID issuer whose access tokens are trusted in place of the service's own.",
    v.strictObject({
      issuer: value.httpsUrl,
      audience: value.someText,
      jwksUrl: value.httpsUrl,
      claims: v.strictObject({ user: value.someText, role: value.someText, company: value.someText }),
    }),
    { wanted: "{ issuer, audience, jwksUrl, claims: { user, role, company } }, both addresses https" },
  ),
  origins: setting(
    "Origins of pages that may call the API from a browser.",
    value.listOf(value.origin),
    "a list of one or more https origins without path or *, such as https://app.your-company.com (http for localhost alone)",
  ),
  docs: optional(
    "Whether there is [`/docs`](document/README.md); by default only if `removal` is `delete`.",
    value.flag,
  ),
  throttle: setting("Limit of the whole API.", value.throttle),
  anonymousThrottle: setting(
    "Limit of each account route without a token, where passwords and pins are [guessed](../shared/contract/README.md#d10-guessing).",
    value.anonymousThrottle,
  ),
  customDomain: optional(
    "A domain of its own for the API, and its certificate.",
    v.strictObject({ name: value.host, certificateArn: value.certificateArn }),
    { wanted: "{ name, certificateArn }, a host name and the ARN of an ACM certificate" },
  ),
  edge: optional(
    "CloudFront before the custom domain, with a [firewall](RUNBOOK.md#a-flood) that refuses addresses that call too often. The API's own address is closed. About 7 dollars a month, and 1.90 for each million requests. A stage that keeps its data names an edge, or `none`.",
    v.union([
      v.literal("none"),
      v.strictObject({
        certificateArn: value.edgeCertificateArn,
        webAclArn: value.webAclArn,
        distributionId: v.exactOptional(value.distributionId),
        secretRotatedAt: v.exactOptional(value.moment),
      }),
    ]),
    {
      wanted:
        "{ certificateArn, webAclArn }: ARNs of us-east-1, of an ACM certificate for its name and of the firewall that npx cdk deploy Workforce-NAME-firewall -c stage=NAME makes; distributionId, the id of its distribution once it is deployed, for an alarm; and secretRotatedAt, the moment when its secret was last replaced, such as 2026-11-22T09:30:00Z",
    },
  ),
  reservedConcurrency: optional(
    "Reserved concurrency of functions, by name.",
    v.record(v.picklist(Object.keys(functions)), value.wholeNumber),
    {
      wanted: "whole numbers above 0 by the name of a function in infra/functions/functions.ts",
    },
  ),
  logRetentionDays: setting(
    "Days after which log lines are deleted.",
    v.picklist(logRetentionDays),
    `a number of days among ${logRetentionDays.join(", ")}`,
  ),
  removal: setting(
    "Whether records and secrets stay in the account when the stack is destroyed.",
    value.oneOf(["keep", "delete"]),
  ),
  tableName: optional(
    "The stage's table, once it is [another than the first](RUNBOOK.md#restore-the-table). Deploy with `--import-existing-resources`; the one before stays in the account.",
    value.restoredTable,
    { wanted: "the name of a restored table" },
  ),
  frozen: optional(
    "Whether the stage [is frozen](RUNBOOK.md#freeze-a-stage): requests get 429, and messages, changes and schedules wait.",
    value.flag,
    { otherwise: false },
  ),
  writeUnitsPerSecond: optional(
    "Most write units a second of the table, and of each index: the only ceiling of what writing costs (1,000 are 16 dollars an hour). At it all users get 503 `busy`: keep it [far above the peak](../shared/table/README.md#capacity).",
    value.writeUnits,
  ),
  deletionProtection: setting("Whether nobody can delete the table until this is switched off.", value.flag),
  backupKeptDays: optional(
    "Days that weekly backups are kept, beside the 35 days of point-in-time recovery, at 10 cents a gigabyte and month each. Only with `removal: keep`.",
    value.backupDays,
  ),
  backupCopyTo: optional(
    "A vault in another account or region with a copy of each backup, for the loss of the account or region, with [a key of its own](RUNBOOK.md#compromise). It costs as much again, and 2 cents a gigabyte for transfer.",
    value.backupVaultArn,
    { wanted: "the ARN of a vault of AWS Backup" },
  ),
  backupLockDays: optional(
    "Days of nightly backups, and a lock on the vault (governance mode): nobody deletes a backup earlier, except who may remove the lock.",
    value.lockedDays,
  ),
  replicaRegions: optional(
    "Regions with a copy of each kept secret: without the HMAC key a restored table has no passcodes and sessions. 0.40 dollars a month each.",
    value.regions,
    { wanted: "a list of other AWS regions, such as eu-west-1" },
  ),
  historyDays: optional(
    "Days that the history keeps [who changed what](../shared/contract/README.md#d41-history-and-undo), with names and logins of users.",
    value.days,
    { otherwise: 400 },
  ),
  deployment: setting(
    "With `canary`, a new version of main functions takes a tenth of the calls for five minutes. If its alarms fire, CodeDeploy goes back.",
    value.oneOf(["at-once", "canary"]),
  ),
  alarmAddress: optional(
    "Recipient of alarms, which a stage that keeps its data needs. Without one there are no alarms, no dashboard, and no counts for them.",
    value.emailAddress,
    { wanted: "an e-mail address that somebody reads" },
  ),
  pagerUrl: optional("Address of a pager for alarms that cannot wait for the morning.", value.httpsUrl, {
    wanted: "the https address that your pager takes messages of SNS at",
  }),
  onCallPrincipals: optional(
    "Roles, such as of IAM Identity Center, that may take the [roles for alarms and repairs](RUNBOOK.md#before-you-begin) without a second factor of IAM.",
    v.pipe(value.listOf(value.rolePrincipal), v.maxLength(mostPrincipals)),
    {
      wanted: `a list of 1 to ${mostPrincipals} ARNs of roles, each exact or, of one named permission set of IAM Identity Center, arn:aws:iam::ACCOUNT:role/aws-reserved/sso.amazonaws.com/[REGION/]AWSReservedSSO_PERMISSION-SET_*, with * nowhere else`,
    },
  ),
  probedHost: optional(
    "Host at which clients call the API. The stack `Workforce-<stage>-outside` has [three regions request its health](RUNBOOK.md#no-answer-from-outside) twice a minute, for about 4 dollars a month.",
    value.host,
    { wanted: "the host that clients call" },
  ),
  monthlyBudgetDollars: optional(
    "Budget of the AWS account in whole US dollars a month; an e-mail at four fifths.",
    value.wholeDollars,
  ),
  runbookUrl: optional("Address of infra/RUNBOOK.md for links in alarms.", value.httpsUrl, {
    wanted: "the https address of infra/RUNBOOK.md, such as where its repository shows it",
  }),
  tracing: optional(
    "Whether X-Ray traces a twentieth of the calls: a function's start and run, nothing of gateway, table and queues. 5 dollars a million.",
    value.flag,
    { otherwise: false },
  ),
});

/** One stage: the settings of one deployment. */
export type Stage = v.InferOutput<typeof stageShape>;

/** Average requests per second, and the most in a burst; further ones are refused with 429. */
export type Throttle = Stage["throttle"];

/** A stage whose alarms somebody hears. Any other has none, no dashboard, and no counts that alarms alone read. */
export type WatchedStage = Stage & Required<Pick<Stage, "alarmAddress">>;

export function isWatched(stage: Stage): stage is WatchedStage {
  return stage.alarmAddress !== undefined;
}

/** CloudFront before a stage's custom domain, and its firewall. */
export type Edge = Exclude<NonNullable<Stage["edge"]>, "none">;

export type Setting = keyof Stage;

/** The edge of a stage; undefined if it has none. */
export function edgeOf({ edge }: Pick<Stage, "edge">): Edge | undefined {
  return edge === "none" ? undefined : edge;
}

/** Whether a stage answers the documentation page. */
export function hasDocs({ docs, removal }: Pick<Stage, "docs" | "removal">): boolean {
  return docs ?? removal === "delete";
}

export const settingNames = Object.keys(stageShape.entries).filter(isSetting);

export function isSetting(name: string): name is Setting {
  return Object.hasOwn(stageShape.entries, name);
}

/** The texts of a setting, and the value of a stage that leaves it out. */
export interface SettingText {
  /** Its meaning, in Markdown of infra/README.md. */
  readonly meaning: string;
  /** The words that follow "Set … to". */
  readonly wanted: string;
  readonly otherwise?: unknown;
}

export function settingTextOf(name: Setting): SettingText {
  const entry = stageShape.entries[name];
  return v.getMetadata("wrapped" in entry ? entry.wrapped : entry);
}

function setting<const Schema extends v.GenericSchema>(
  meaning: string,
  values: Schema,
  wanted = v.getTitle(values) ?? "",
) {
  return v.pipe(values, v.metadata({ meaning, wanted } satisfies SettingText));
}

function optional<const Schema extends v.GenericSchema>(
  meaning: string,
  values: Schema,
  { wanted = v.getTitle(values) ?? "", ...others }: { wanted?: string; otherwise?: v.InferOutput<Schema> } = {},
) {
  return v.exactOptional(v.pipe(values, v.metadata({ meaning, wanted, ...others } satisfies SettingText)));
}
