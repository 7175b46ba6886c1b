import * as v from "valibot";
import { locales } from "../../shared/contract/locales.ts";
import { functions } from "../functions/functions.ts";
import { fewestWorkerCalls, queues } from "../functions/queues.ts";
import {
  accountNumber,
  anonymousThrottle,
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
  mostAnonymousRequests,
  origin,
  region,
  serviceName,
  smsSender,
  someText,
  testLogins,
  throttle,
  timeZone,
  webAclArn,
  webhooks,
  word,
} from "./setting-values.ts";

/** The retentions of CloudWatch that a stage may choose. */
const logRetentionDays = [1, 7, 14, 30, 90, 180, 365] as const;

const ceilings = v.strictObject({ perDay: countFromZero });

/** The settings of one stage. Each has the words that follow "Set … to"; those a stage may leave out are optional. */
export const stageShape = v.object({
  /** Part of the stage's names in AWS. Never change it. */
  name: setting("a word of up to 20 lower-case letters, digits and hyphens that begins with a letter", word),
  /** AWS region of the stage. If it is set, a deploy elsewhere is refused; otherwise the credentials decide. */
  region: v.exactOptional(setting("an AWS region, such as eu-west-2", region)),
  /** AWS account of the stage. If it is set, a deploy elsewhere is refused; otherwise the credentials decide. */
  account: v.exactOptional(setting("the 12 digits of an AWS account", accountNumber)),
  /** Name of the service in messages to people. */
  serviceName: setting(
    "a name of 1 to 60 characters on one line that SMS have in 7 bits (the GSM alphabet; € [ ] { } ^ ~ | \\ count twice)",
    serviceName,
  ),
  /** Language of mails, SMS and pushes to people who have set none; `en` by default. */
  locale: v.exactOptional(oneOf(locales)),
  /** Sender of e-mails. Each stage of an account that verifies a domain itself needs a domain of its own. */
  senderAddress: setting("an e-mail address that SES may send from", emailAddress),
  /**
   * The identity that SES verifies: the whole domain of the address, the address alone, or none as the account already
   * has it.
   */
  senderIdentity: oneOf(["domain", "address", "existing"]),
  /** ISO 3166 country of phone numbers without a country code. */
  defaultCountry: setting("the ISO 3166 code of a country, such as GB", country),
  /** ISO 3166 countries that get SMS. Each SMS costs money: name only the countries you serve. */
  servedCountries: setting("a list of the ISO 3166 codes of one or more countries, such as GB", listOf(country)),
  /**
   * `masked`: a password request shows nothing of the stored user. `full`: it shows the user, and answers 404 to
   * unknown logins.
   */
  recoveryDisclosure: oneOf(["masked", "full"]),
  /** Whether strangers may register. `closed` answers 404; choose it for a real stage unless strangers are wanted. */
  registration: oneOf(["open", "closed"]),
  /**
   * Test logins, for reviewers of an app store: drivers and clients of one company, whose pin is a secret of the stage and is
   * sent to nobody (D9). They end when the day `until` begins, in UTC.
   */
  testLogins: v.exactOptional(
    setting(
      "{ companyId, logins, until }: a company, 1 to 10 logins in their normal form that pins could be sent to, and the day on which they end, such as 2026-11-22, at most 90 days ahead",
      testLogins,
    ),
  ),
  /** Whether an unknown query parameter is refused, or only logged with a warning; `refuse` by default. */
  unknownParameters: v.exactOptional(oneOf(["refuse", "warn"])),
  /**
   * Sender of SMS. Many countries drop SMS of an unregistered sender, and SNS still reports success. Register it with
   * AWS first, which takes weeks.
   */
  smsSenderId: v.exactOptional(setting("a registered sender of 3 to 11 letters and digits", smsSender)),
  /** Highest price of one SMS in US dollars; dearer ones are not sent. */
  smsMostDollars: setting("an amount of US dollars above 0", dollars),
  /** Most SMS that the stage sends in a day (UTC). This limits the costs an attacker can cause. */
  smsCeilings: setting("{ perDay }, a whole number", ceilings),
  /**
   * Most e-mails with a pin that the stage sends in a day (UTC). Keep it below the account's quota in SES (50,000 a day after
   * the sandbox, unless AWS has granted more), which alarms and other stages use as well.
   */
  mailCeilings: setting("{ perDay }, a whole number", ceilings),
  /**
   * Most whole US dollars that the AWS account spends on SMS in a month. The limit belongs to account and region, so
   * set it in one stage of an account. A new account is limited to 1 dollar and refuses more, until AWS raises its
   * quota on request. Destroying the stack does not reset the limit.
   */
  smsMonthlySpendLimitDollars: v.exactOptional(setting("a whole number of US dollars above 0", count)),
  /** IANA time zone of the business. Invoices become overdue at its midnight. */
  businessTimeZone: setting("an IANA time zone by area and place, such as Europe/London, or UTC", timeZone),
  /** ARNs of SNS platform applications by push service. Without any, the stage pushes nothing. */
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
   * Whether events go out on a bus of their own, for rules of other systems and for webhooks (D42); `on` by default.
   * `off` removes the bus, its queue and function, and their costs.
   */
  outboundEvents: v.exactOptional(oneOf(["on", "off"])),
  /**
   * Webhooks: each receives the events of its kinds, optionally of one company only, signed with a secret of its own
   * (D42). A webhook whose address changes starts again as healthy.
   */
  webhooks: v.exactOptional(
    setting(
      "a list of 1 to 10 webhooks { name, url, kinds } in a stage that sends events: a word of its own, an https address of up to 200 characters without port, user and fragment at a host with a full name, and the kinds of events in shared/contract/outbound-events.ts; and company, an id, where all of the kinds have a company",
      webhooks,
    ),
  ),
  /**
   * OpenID issuer whose access tokens are trusted in place of the service's own; by default the service signs its own.
   */
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
  /** Origins of pages that may call the API from a browser. */
  origins: setting(
    "a list of one or more https origins without path or *, such as https://app.your-company.com (http for localhost alone)",
    listOf(origin),
  ),
  /**
   * Whether `/docs` answers the documentation page and `/` redirects to it; by default only if `removal` is `delete`.
   */
  docs: v.exactOptional(setting("true or false; left out, a stage has the page unless it keeps its data", v.boolean())),
  /** Limit of the whole API. */
  throttle: setting("{ requestsPerSecond, burst }, two whole numbers above 0", throttle),
  /**
   * Limit of each account route that needs no token, because passwords and pins are guessed there and SMS cost money.
   */
  anonymousThrottle: setting(
    `{ requestsPerSecond, burst }, two whole numbers above 0 and not above those of throttle, at most ${mostAnonymousRequests} requests a second, as above that guessing takes over one login with a chance above 1 in 10,000 a day`,
    anonymousThrottle,
  ),
  /** A domain of its own for the API, and its certificate. */
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
   * CloudFront before the custom domain, with a firewall that refuses addresses that call too often. It costs about 7
   * dollars a month, and 1.90 dollars for each million requests. The API's own address is closed.
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
  /** Reserved concurrency of functions, by name. None by default: a new account has 10 to 50 in total. */
  reservedConcurrency: v.exactOptional(
    setting(
      "whole numbers above 0 by the name of a function in infra/functions/functions.ts, above 1 for one that consumes a queue, and twice the number of webhooks for deliver-webhook",
      v.pipe(keyed(v.record(v.picklist(Object.keys(functions)), count)), v.check(leavesQueuesTheirCalls)),
    ),
  ),
  /** Days after which log lines are deleted. */
  logRetentionDays: setting(`a number of days among ${logRetentionDays.join(", ")}`, v.picklist(logRetentionDays)),
  /** The fate of records and secrets when the stack is destroyed: `keep` leaves them in the account. */
  removal: oneOf(["keep", "delete"]),
  /** Whether the table is protected: nobody can delete it until this is switched off. */
  deletionProtection: setting("true or false", v.boolean()),
  /**
   * Days that backups are kept, beside the 35 days of point-in-time recovery: nightly ones for a week, weekly ones for
   * this long. By default there are none. Each is a copy of the whole table, at 10 cents a gigabyte and month. A stage
   * whose data is deleted with it cannot have any, because CloudFormation cannot delete backups.
   */
  backupKeptDays: v.exactOptional(setting("a whole number of days above 0, in a stage with removal keep alone", count)),
  /** Days that the history records who changed what (D41); 400 by default. It contains names and logins of users. */
  historyDays: v.exactOptional(setting("a whole number of days from 1 to 3650", days)),
  /**
   * With `canary`, a new version of the functions whose rows say `canary` takes a tenth of the calls for five minutes.
   * If its alarms fire, CodeDeploy reverts to the version before.
   */
  deployment: oneOf(["at-once", "canary"]),
  /** Recipient of alarms. A stage that keeps its data needs one; others may rely on the dashboard. */
  alarmAddress: v.exactOptional(
    setting("an e-mail address that somebody reads, as a stage needs that keeps its data", emailAddress),
  ),
  /** Address of a pager for alarms that cannot wait for the morning. The alarm address gets those alarms as well. */
  pagerUrl: v.exactOptional(setting("the https address that your pager takes messages of SNS at", httpsUrl)),
  /**
   * Host at which clients call the API, such as its custom domain. Three regions request its health twice a minute. The
   * stack that `-c stack=probe` deploys pages if it does not answer. It costs about 4 dollars a month.
   */
  probedHost: v.exactOptional(setting("the host that clients call, in a stage with an alarmAddress", host)),
  /** Budget of the AWS account in whole US dollars a month. An e-mail is sent when four fifths are spent. */
  monthlyBudgetDollars: v.exactOptional(setting("a whole number of US dollars above 0", count)),
  /** Address at which people read infra/RUNBOOK.md, for links in alarms; by default alarms name the file. */
  runbookUrl: v.exactOptional(
    setting("the https address of infra/RUNBOOK.md, such as where its repository shows it", httpsUrl),
  ),
  /** Whether calls are traced with X-Ray; 5 dollars for each million traced calls. */
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
