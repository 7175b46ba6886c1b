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
  region: optional(
    "AWS region of the stage. If it is set, a deploy elsewhere is refused; otherwise the credentials decide.",
    value.region,
  ),
  account: optional(
    "AWS account of the stage. If it is set, a deploy elsewhere is refused; otherwise the credentials decide.",
    value.accountNumber,
  ),
  serviceName: setting("Name of the service in messages to people.", value.serviceName),
  locale: optional(
    "[Language](../shared/messages/README.md#languages) of mails, SMS and pushes to people who have set none.",
    value.oneOf(locales),
    { otherwise: "en" },
  ),
  senderAddress: setting(
    "Sender of e-mails. Each stage of an account that verifies a domain itself needs a domain of its own.",
    value.emailAddress,
    "an e-mail address that SES may send from",
  ),
  senderIdentity: setting(
    "The identity that SES verifies: the whole domain of the address, the address alone, or none as the account already has it.",
    value.oneOf(["domain", "address", "existing"]),
  ),
  defaultCountry: setting("ISO 3166 country of phone numbers without a country code.", value.country),
  servedCountries: setting(
    "ISO 3166 countries that get SMS. Each SMS costs money: name only the countries you serve.",
    value.listOf(value.country),
    "a list of the ISO 3166 codes of one or more countries, such as GB",
  ),
  recoveryDisclosure: setting(
    "`masked`: a password request shows nothing of the stored user. `full`: it shows the user, and answers 404 to unknown logins.",
    value.oneOf(settingWords.recoveryDisclosure),
  ),
  registration: setting(
    "Whether strangers may register. `closed` answers 404; choose it for a real stage unless strangers are wanted.",
    value.oneOf(settingWords.registration),
  ),
  unknownParameters: optional(
    "Whether an unknown query parameter is refused, or only logged with a warning.",
    value.oneOf(settingWords.unknownParameters),
    { otherwise: "refuse" },
  ),
  smsSenderId: optional(
    "Sender of SMS. Many countries drop SMS of an unregistered sender, and SNS still reports success. Register it with AWS first, which takes weeks.",
    value.smsSender,
  ),
  smsMostDollars: setting("Highest price of one SMS in US dollars; dearer ones are not sent.", value.dollars),
  smsCeilings: setting(
    "Most SMS that the stage sends in a day (UTC). This [limits the costs](RUNBOOK.md#messages-are-held-back) an attacker can cause.",
    value.ceilings,
  ),
  mailCeilings: setting(
    "Most e-mails with a pin that the stage sends in a day (UTC). Keep it below the account's quota in SES (50,000 a day after the sandbox, unless AWS has granted more), which alarms and other stages use as well.",
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
    "Whether [events go out](../shared/contract/EVENTS.md#events-that-go-out) on a bus of their own, for rules of other systems. `off` removes the bus, its queue and function, and their costs, once [no rule of another system](#remove-a-stage) is on it.",
    value.oneOf(["on", "off"]),
    { otherwise: "on" },
  ),
  oidcIssuer: optional(
    "OpenID issuer whose access tokens are trusted in place of the service's own; by default the service signs its own.",
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
    "Whether `/docs` answers the [documentation page](document/README.md), `/llms.txt` and `/arazzo.json` are there, and `/` redirects to the page; by default only if `removal` is `delete`.",
    value.flag,
  ),
  throttle: setting("Limit of the whole API.", value.throttle),
  anonymousThrottle: setting(
    "Limit of each account route that needs no token, because passwords and pins are [guessed](../shared/contract/README.md#d10-guessing) there and SMS cost money.",
    value.anonymousThrottle,
  ),
  customDomain: optional(
    "A domain of its own for the API, and its certificate.",
    v.strictObject({ name: value.host, certificateArn: value.certificateArn }),
    { wanted: "{ name, certificateArn }, a host name and the ARN of an ACM certificate" },
  ),
  edge: optional(
    "CloudFront before the custom domain, with a [firewall](RUNBOOK.md#a-flood) that refuses addresses that call too often. It costs about 7 dollars a month, and 1.90 dollars for each million requests. The API's own address is closed. A stage that keeps its data names an edge, or `none`.",
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
    "Reserved concurrency of functions, by name. None by default: a new account has 10 to 50 in total.",
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
    "The fate of records and secrets when the stack is destroyed: `keep` leaves them in the account.",
    value.oneOf(["keep", "delete"]),
  ),
  tableName: optional(
    "The stage's table, once it is [another than the first](RUNBOOK.md#restore-the-table). It is another resource of the stack: deploy with `--import-existing-resources`, and the one before stays in the account.",
    value.restoredTable,
    { wanted: "the name of a restored table" },
  ),
  frozen: optional(
    "Whether the stage [is frozen](RUNBOOK.md#freeze-a-stage): API Gateway refuses requests with 429, and no message, change of the stream or schedule is worked on.",
    value.flag,
    { otherwise: false },
  ),
  writeUnitsPerSecond: optional(
    "Most write units a second of the table, and of each of its indexes, which AWS aims at and may pass in a burst. It is the only ceiling of what writing costs: with 1,000, 16 dollars an hour. At the ceiling all users get 503 `busy`, those who sign in too, and queues wait: keep it [far above the peak](../shared/table/README.md#capacity). By default only the account's quota limits it.",
    value.writeUnits,
  ),
  deletionProtection: setting(
    "Whether the table is protected: nobody can delete it until this is switched off.",
    value.flag,
  ),
  backupKeptDays: optional(
    "Days that weekly backups are kept, beside the 35 days of point-in-time recovery. By default there are none. Each is a copy of the whole table, at 10 cents a gigabyte and month. A stage whose data is deleted with it cannot have any, because CloudFormation cannot delete backups.",
    value.backupDays,
  ),
  backupCopyTo: optional(
    "A vault in another account or region that gets a copy of each backup, kept as long: what is left if the account or the region is lost. The vault has [a key of its own](RUNBOOK.md#compromise), which belongs to its account. Each copy costs as much again as the backup, and its transfer 2 cents a gigabyte.",
    value.backupVaultArn,
    { wanted: "the ARN of a vault of AWS Backup" },
  ),
  backupLockDays: optional(
    "A lock on the vault (governance mode): nobody deletes a backup before its days are over, except who may remove the lock first. With it there are nightly backups too, kept for this many days.",
    value.lockedDays,
  ),
  replicaRegions: optional(
    "Regions with a copy of each secret that outlasts the stack: without the HMAC key a restored table has no passcodes and sessions. 0.40 dollars a month for each copy.",
    value.regions,
    { wanted: "a list of other AWS regions, such as eu-west-1" },
  ),
  historyDays: optional(
    "Days that the history records [who changed what](../shared/contract/README.md#d41-history-and-undo). It contains names and logins of users.",
    value.days,
    { otherwise: 400 },
  ),
  deployment: setting(
    "With `canary`, a new version of the functions whose rows say `canary` takes a tenth of the calls for five minutes. If its alarms fire, CodeDeploy reverts to the version before.",
    value.oneOf(["at-once", "canary"]),
  ),
  alarmAddress: optional(
    "Recipient of alarms. A stage that keeps its data needs one. Without one a stage has no alarms, no dashboard, and nothing that is counted for them alone.",
    value.emailAddress,
    { wanted: "an e-mail address that somebody reads" },
  ),
  pagerUrl: optional(
    "Address of a pager for alarms that cannot wait for the morning. The alarm address gets those alarms as well.",
    value.httpsUrl,
    { wanted: "the https address that your pager takes messages of SNS at" },
  ),
  onCallPrincipals: optional(
    "Roles whose sessions may take the [roles for alarms and repairs](RUNBOOK.md#before-you-begin) without a second factor of IAM, such as those of IAM Identity Center, which asks for one itself. Without any, only users of IAM with a second factor may.",
    v.pipe(value.listOf(value.rolePrincipal), v.maxLength(mostPrincipals)),
    {
      wanted: `a list of 1 to ${mostPrincipals} ARNs of roles, each exact or, of one named permission set of IAM Identity Center, arn:aws:iam::ACCOUNT:role/aws-reserved/sso.amazonaws.com/[REGION/]AWSReservedSSO_PERMISSION-SET_*, with * nowhere else`,
    },
  ),
  probedHost: optional(
    "Host at which clients call the API, such as its custom domain. [Three regions request its health](RUNBOOK.md#no-answer-from-outside) twice a minute. A stage with this setting has the stack `Workforce-<stage>-outside`, which pages if it does not answer. It costs about 4 dollars a month.",
    value.host,
    { wanted: "the host that clients call" },
  ),
  monthlyBudgetDollars: optional(
    "Budget of the AWS account in whole US dollars a month. An e-mail is sent when four fifths are spent.",
    value.wholeDollars,
  ),
  runbookUrl: optional(
    "Address at which people read infra/RUNBOOK.md, for links in alarms; by default alarms name the file.",
    value.httpsUrl,
    { wanted: "the https address of infra/RUNBOOK.md, such as where its repository shows it" },
  ),
  tracing: optional(
    "Whether X-Ray traces calls. A trace has Lambda's segments alone, a function's start and run: nothing of API Gateway, the table, queues or messages. It costs 5 dollars for each million traced calls: the first of each second, and a twentieth of the others.",
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
