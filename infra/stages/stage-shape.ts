import * as v from "valibot";
import { locales } from "../../shared/contract/locales.ts";
import { functions } from "../functions/functions.ts";
import { fewestWorkerCalls, queues } from "../functions/queues.ts";
import {
  accountNumber,
  applicationArn,
  certificateArn,
  count,
  countFromZero,
  country,
  days,
  dollars,
  edgeCertificateArn,
  emailAddress,
  host,
  httpsUrl,
  keyed,
  listOf,
  moment,
  origin,
  region,
  sandbox,
  serviceName,
  smsSender,
  someText,
  timeZone,
  webAclArn,
  webhooks,
  word,
} from "./setting-values.ts";

const logRetentionDays = [1, 7, 14, 30, 90, 180, 365] as const;

/** Requests a second in the long run, and at once in a burst. */
export const throttle = v.strictObject({ requestsPerSecond: count, burst: count });

/** The settings of one stage; each has the words that follow "Set … to", and what a stage may leave out is optional. */
export const stageShape = v.object({
  /** Part of the names of what it owns in AWS. Never change it. */
  name: setting("a word of up to 20 lower-case letters, digits and hyphens that begins with a letter", word),
  /** AWS region that the stage lives in. Left out, it is that of the credentials; named, a deploy elsewhere is refused. */
  region: v.exactOptional(setting("an AWS region, such as eu-west-2", region)),
  /** AWS account that the stage lives in. Left out, it is that of the credentials; named, a deploy elsewhere is refused. */
  account: v.exactOptional(setting("the 12 digits of an AWS account", accountNumber)),
  /** Name of the service in messages to people. */
  serviceName: setting(
    "a name of 1 to 60 characters on one line that SMS have in 7 bits (the GSM alphabet; € [ ] { } ^ ~ | \\ count twice)",
    serviceName,
  ),
  /** Language of mails, SMS and pushes to people who have none of their own; left out: `en`. */
  locale: v.exactOptional(oneOf(locales)),
  /** Address that e-mails come from. Each stage of an account that verifies a domain itself needs one of its own. */
  senderAddress: setting("an e-mail address that SES may send from", emailAddress),
  /** What SES verifies: the whole domain of the address, the address alone, or nothing as the account has it already. */
  senderIdentity: oneOf(["domain", "address", "existing"]),
  /** ISO 3166 country that phone numbers without a country code are read with. */
  defaultCountry: setting("the ISO 3166 code of a country, such as GB", country),
  /** ISO 3166 countries that SMS are sent to. Each SMS costs: name only the countries you serve. */
  servedCountries: setting("a list of the ISO 3166 codes of one or more countries, such as GB", listOf(country)),
  /** `masked`: a password request shows nothing of the stored user. `full`: it shows the user, and 404 for unknown logins. */
  recoveryDisclosure: oneOf(["masked", "full"]),
  /** Whether strangers may register; `closed` answers 404, and is what a real stage takes unless it wants strangers. */
  registration: oneOf(["open", "closed"]),
  /**
   * Test logins, for reviewers of an app store and end-to-end tests: drivers and clients of one company, whose pin is a secret
   * of the stage and is sent to nobody (D9). All limits stay. They end with the day `until`, at most 90 days ahead.
   */
  sandbox: v.exactOptional(
    setting(
      "{ companyId, logins, until }: a company, 1 to 10 logins in their normal form that pins could be sent to, and the last day, such as 2026-11-22; and allowKeptData: true where removal is keep",
      sandbox,
    ),
  ),
  /** Whether a query parameter that the operation does not know is refused, or only logged with a warning; left out: `refuse`. */
  unknownParameters: v.exactOptional(oneOf(["refuse", "warn"])),
  /**
   * Sender that SMS show. Many countries drop SMS without a sender that is registered there, and SNS answers as if they had
   * arrived: register it with AWS first, which takes weeks.
   */
  smsSenderId: v.exactOptional(setting("a registered sender of 3 to 11 letters and digits", smsSender)),
  /** Most that one SMS may cost in US dollars; what would cost more is not sent. */
  smsMostDollars: setting("an amount of US dollars above 0", dollars),
  /** Most SMS that the stage sends in an hour and in a day: what an attacker can cost. Over it nothing is sent. */
  smsCeilings: setting(
    "{ perHour, perDay }, two whole numbers of which the day's is not the lower one",
    v.pipe(
      v.strictObject({ perHour: countFromZero, perDay: countFromZero }),
      v.check(({ perHour, perDay }) => perHour <= perDay),
    ),
  ),
  /**
   * Most that the AWS account spends on SMS in a month, in whole US dollars. The limit is the account's and region's, not the
   * stage's: name it in one stage of an account. A new account is held to 1 dollar, and a higher limit refused, until AWS
   * raises its quota on request. Destroying the stack leaves the limit as it is.
   */
  smsMonthlySpendLimitDollars: v.exactOptional(setting("a whole number of US dollars above 0", count)),
  /** IANA time zone that the business's days run in: invoices become overdue at its midnight. */
  businessTimeZone: setting("an IANA time zone by area and place, such as Europe/London, or UTC", timeZone),
  /** ARNs of SNS platform applications by push service; without any, nothing is pushed. */
  platformApplications: v.exactOptional(
    setting(
      "ARNs of SNS platform applications in the stage's region: fcm of GCM, apns of APNS, apns_sandbox of APNS_SANDBOX",
      keyed(
        v.strictObject({
          fcm: v.exactOptional(applicationArn("GCM")),
          apns: v.exactOptional(applicationArn("APNS")),
          apns_sandbox: v.exactOptional(applicationArn("APNS_SANDBOX")),
        }),
      ),
    ),
  ),
  /**
   * Whether events go out on a bus of their own, for rules of other systems and for webhooks (D42); left out: `on`. `off` takes
   * away the bus, its queue and function, and all that they cost.
   */
  outboundEvents: v.exactOptional(oneOf(["on", "off"])),
  /**
   * Webhooks: each is sent the events of its kinds, of one company where it names one, signed by a secret of its own (D42).
   * Another address begins as a webhook that never failed.
   */
  webhooks: v.exactOptional(
    setting(
      "a list of 1 to 10 webhooks { name, url, kinds } in a stage that sends events: a word of its own, an https address of up to 200 characters without port, user and fragment at a host with a full name, and the kinds of events in shared/contract/outbound-events.ts; and company, an id, where all of the kinds have a company",
      webhooks,
    ),
  ),
  /** OpenID issuer whose access tokens are trusted instead of the service's own; left out, the service signs its own. */
  oidcIssuer: v.exactOptional(
    setting(
      "{ issuer, audience, jwksUrl, claims: { user, role, company } }, both addresses https",
      v.strictObject({
        issuer: httpsUrl,
        audience: someText,
        jwksUrl: httpsUrl,
        claims: v.strictObject({ user: someText, role: someText, company: someText }),
      }),
    ),
  ),
  /** Origins whose pages may call the API from a browser. */
  origins: setting(
    "a list of one or more https origins without path or *, such as https://app.your-company.com (http for localhost alone)",
    listOf(origin),
  ),
  /** Whether `/docs` answers the documentation page, and `/` leads to it; left out, where `removal` is `delete` alone. */
  docs: v.exactOptional(setting("true or false; left out, a stage has the page unless it keeps its data", v.boolean())),
  /** What the whole API takes. */
  throttle: setting("{ requestsPerSecond, burst }, two whole numbers above 0", throttle),
  /** What each account route takes that needs no token: passwords and pins are guessed there, and SMS cost money. */
  anonymousThrottle: setting(
    "{ requestsPerSecond, burst }, two whole numbers above 0 and not above those of throttle",
    throttle,
  ),
  /** Address on which the API answers beside its own, and the certificate for it. */
  customDomain: v.exactOptional(
    setting(
      "{ name, certificateArn }, a host name and the ARN of an ACM certificate in the stage's region",
      v.strictObject({
        name: host,
        certificateArn,
      }),
    ),
  ),
  /**
   * CloudFront before the custom domain, with a firewall that refuses addresses that call too often; about 7 dollars a month,
   * and 1.90 dollars for each million requests. The API's own address is closed.
   */
  edge: v.exactOptional(
    setting(
      "{ certificateArn, webAclArn } beside a customDomain: ARNs of us-east-1, of an ACM certificate for its name and of the firewall that npx cdk deploy -c stack=firewall makes; and secretRotatedAt, the moment when its secret was last replaced, such as 2026-11-22T09:30:00Z",
      v.strictObject({
        certificateArn: edgeCertificateArn,
        webAclArn,
        secretRotatedAt: v.exactOptional(moment),
      }),
    ),
  ),
  /** Concurrent calls reserved for a function, by its name. None by default: a new account has 10 to 50 in all. */
  reservedConcurrency: v.exactOptional(
    setting(
      "whole numbers above 0 by the name of a function in infra/functions/functions.ts, above 1 for one that consumes a queue, and twice the number of webhooks for deliver-webhook",
      v.pipe(keyed(v.record(v.picklist(Object.keys(functions)), count)), v.check(leavesQueuesTheirCalls)),
    ),
  ),
  /** Days that logs are kept. */
  logRetentionDays: setting(`a number of days among ${logRetentionDays.join(", ")}`, v.picklist(logRetentionDays)),
  /** What becomes of records and secrets when the stack is destroyed: `keep` leaves them in the account. */
  removal: oneOf(["keep", "delete"]),
  /** Whether nobody can delete the table before this is switched off. */
  deletionProtection: setting("true or false", v.boolean()),
  /**
   * Days that backups are kept, beside the 35 days of point-in-time recovery: each night's for a week, and one a week for so
   * long; left out, none is made. Each is a copy of the whole table, at 10 cents a gigabyte and month. A stage that is deleted
   * with its data has none, as CloudFormation cannot delete backups.
   */
  backupKeptDays: v.exactOptional(setting("a whole number of days above 0, in a stage with removal keep alone", count)),
  /** Days that the history keeps who changed what (D41); 400 unless it is set. It holds names and logins of users. */
  historyDays: v.exactOptional(setting("a whole number of days from 1 to 3650", days)),
  /**
   * Whether a new version of the functions whose rows say `canary` takes a tenth of the calls for five minutes, and goes back
   * by itself when their alarms fire.
   */
  deployment: oneOf(["at-once", "canary"]),
  /** Address that alarms are sent to. A stage that keeps its data needs one; elsewhere the dashboard alone may show them. */
  alarmAddress: v.exactOptional(
    setting("an e-mail address that somebody reads, as a stage needs that keeps its data", emailAddress),
  ),
  /** Address that a pager gives for what cannot wait for the morning; left out, that goes to the alarm address as well. */
  pagerUrl: v.exactOptional(setting("the https address that your pager takes messages of SNS at", httpsUrl)),
  /**
   * Host at which clients call the API, such as that of its own domain. Three regions ask it for its health twice a minute, and
   * the stack that `-c stack=probe` deploys pages when it does not answer; about 4 dollars a month.
   */
  probedHost: v.exactOptional(setting("the host that clients call, in a stage with an alarmAddress", host)),
  /** Most that the AWS account is to cost in a month, in whole US dollars: e-mails say when four fifths are spent. */
  monthlyBudgetDollars: v.exactOptional(setting("a whole number of US dollars above 0", count)),
  /** Wrong pins in an hour, of all users together, that are more than slips of the finger: an alarm fires. */
  failedPinsPerHour: setting("a whole number of wrong pins above 0", count),
  /** Address at which people read infra/RUNBOOK.md, for the links of alarms; left out, they name the file. */
  runbookUrl: v.exactOptional(
    setting("the https address of infra/RUNBOOK.md, such as where its repository shows it", httpsUrl),
  ),
  /** Whether calls are traced with X-Ray; 5 dollars for each million calls that are. */
  tracing: setting("true or false", v.boolean()),
});

function setting<const Schema extends v.GenericSchema>(wanted: string, schema: Schema) {
  return v.pipe(schema, v.description(wanted));
}

function leavesQueuesTheirCalls(reserved: Readonly<Record<string, number>>): boolean {
  return Object.values(queues).every(({ worker }) => (reserved[worker] ?? fewestWorkerCalls) >= fewestWorkerCalls);
}

function oneOf<const Value extends string>(values: readonly Value[]) {
  return setting(values.map((value) => `"${value}"`).join(" or "), v.picklist(values));
}
