import type { OidcIssuer, PlatformApplications } from "../../shared/settings.ts";

/** Requests a second in the long run, and at once in a burst; more are refused with 429. */
export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** The settings of one stage. `stage-forms.ts` has the form of each; what a `?` marks may be left out. */
export interface Stage {
  /** Part of the names of what it owns in AWS: up to 20 lower-case letters, digits and hyphens. Never change it. */
  readonly name: string;
  /** AWS region that the stage lives in. Left out, it is that of the credentials; named, a deploy elsewhere is refused. */
  readonly region?: string;
  /** Name of the service in messages to people; up to 60 characters. */
  readonly serviceName: string;
  /** Address that e-mails come from. */
  readonly senderAddress: string;
  /** What SES verifies: the whole domain of the address, the address alone, or nothing as the account has it already. */
  readonly senderIdentity: "domain" | "address" | "existing";
  /** ISO 3166 country that phone numbers without a country code are read with. */
  readonly defaultCountry: string;
  /** ISO 3166 countries that SMS are sent to. Each SMS costs: name only the countries you serve. */
  readonly servedCountries: readonly string[];
  /** `masked`: a password request shows nothing of the stored user. `full`: it shows the user, and 404 for unknown logins. */
  readonly recoveryDisclosure: "masked" | "full";
  /** Whether strangers may register; `closed` answers 404, and is what a real stage takes unless it wants strangers. */
  readonly registration: "open" | "closed";
  /** Most SMS that the stage sends in an hour and in a day: what an attacker can cost. Over it nothing is sent. */
  readonly smsCeilings: { readonly perHour: number; readonly perDay: number };
  /**
   * Most that the AWS account spends on SMS in a month, in whole US dollars. The limit is the account's and region's, not the
   * stage's: name it in one stage of an account. A new account is held to 1 dollar, and a higher limit refused, until AWS
   * raises its quota on request. Destroying the stack leaves the limit as it is.
   */
  readonly smsMonthlySpendLimitDollars?: number;
  /** IANA time zone that the business's days run in: invoices become overdue at its midnight. */
  readonly businessTimeZone: string;
  /** ARNs of SNS platform applications by push service (`fcm`, `apns`, `apns_sandbox`); without any, nothing is pushed. */
  readonly platformApplications?: PlatformApplications;
  /** OpenID issuer whose access tokens are trusted instead of the service's own; left out, the service signs its own. */
  readonly oidcIssuer?: OidcIssuer;
  /** Origins whose pages may call the API from a browser. */
  readonly origins: readonly string[];
  /** What the whole API takes. */
  readonly throttle: Throttle;
  /** What each account route takes that needs no token: passwords and pins are guessed there, and SMS cost money. */
  readonly anonymousThrottle: Throttle;
  /** Address on which the API answers beside its own, and the certificate for it in the stage's region. */
  readonly customDomain?: { readonly name: string; readonly certificateArn: string };
  /** Concurrent calls set aside for a function, by its name. None by default: a new account has 10 to 50 in all. */
  readonly reservedConcurrency?: Readonly<Record<string, number>>;
  /** Days that logs are kept. */
  readonly logRetentionDays: 1 | 7 | 14 | 30 | 90 | 180 | 365;
  /** What becomes of records and secrets when the stack is destroyed: `keep` leaves them in the account. */
  readonly removal: "keep" | "delete";
  /** Whether nobody can delete the table before this is switched off. */
  readonly deletionProtection: boolean;
  /**
   * Days that a nightly backup is kept, beside the 35 days of point-in-time recovery; left out, none is made. Each costs as
   * much as the table's size does.
   */
  readonly backupKeptDays?: number;
  /** Whether a new version takes a tenth of the calls for five minutes, and goes back by itself when alarms ring. */
  readonly deployment: "at-once" | "canary";
  /** Address that alarms are sent to. A stage that keeps its data needs one; elsewhere they may stand on the dashboard alone. */
  readonly alarmAddress?: string;
  /** Wrong pins in an hour, of all users together, that are more than slips of the finger: an alarm rings. */
  readonly failedPinsPerHour: number;
  /** Address at which people read infra/RUNBOOK.md, for the links of alarms; left out, they name the file. */
  readonly runbookUrl?: string;
  /** Whether calls are traced with X-Ray; 5 dollars for each million calls that are. */
  readonly tracing: boolean;
}

const dev: Stage = {
  name: "dev",
  serviceName: "Workforce",
  senderAddress: "no-reply@workforce.example",
  senderIdentity: "address",
  defaultCountry: "GB",
  servedCountries: ["GB", "GG", "IM", "JE", "IE"],
  recoveryDisclosure: "masked",
  registration: "closed",
  smsCeilings: { perHour: 100, perDay: 300 },
  failedPinsPerHour: 50,
  businessTimeZone: "Europe/London",
  origins: ["http://localhost:5173"],
  throttle: { requestsPerSecond: 100, burst: 200 },
  anonymousThrottle: { requestsPerSecond: 10, burst: 20 },
  logRetentionDays: 14,
  removal: "delete",
  deletionProtection: false,
  deployment: "at-once",
  tracing: false,
};

/** A rehearsal of prod: smaller, and with addresses of its own. Put yours in place of those of workforce.example. */
const staging: Stage = {
  ...dev,
  name: "staging",
  senderIdentity: "domain",
  origins: ["https://staging.workforce.example"],
  logRetentionDays: 30,
  removal: "keep",
  deletionProtection: true,
  alarmAddress: "on-call@workforce.example",
  tracing: true,
};

/** What people depend on. Put your own address in place of that of workforce.example. */
const prod: Stage = {
  ...staging,
  name: "prod",
  smsCeilings: { perHour: 500, perDay: 2_000 },
  failedPinsPerHour: 200,
  origins: ["https://app.workforce.example"],
  throttle: { requestsPerSecond: 1_000, burst: 2_000 },
  anonymousThrottle: { requestsPerSecond: 50, burst: 100 },
  logRetentionDays: 90,
  backupKeptDays: 90,
  deployment: "canary",
};

/** What the local machine and the tests run: everything that a stage can switch on. */
const local: Stage = {
  ...dev,
  name: "local",
  registration: "open",
  platformApplications: {
    fcm: "arn:aws:sns:eu-west-2:000000000000:app/GCM/workforce",
    apns: "arn:aws:sns:eu-west-2:000000000000:app/APNS/workforce",
    apns_sandbox: "arn:aws:sns:eu-west-2:000000000000:app/APNS_SANDBOX/workforce",
  },
};

/**
 * Every stage, by name. To add one, copy the stage that is most like it, name it here, and run
 * `npx cdk synth -c stage=<name>`: that lists what is still to be set.
 */
const stages: Readonly<Record<string, Stage>> = { dev, staging, prod, local };

/** The names of the stages. */
export const stageNames: readonly string[] = Object.keys(stages);

/** Why a stage cannot be deployed as it stands: one sentence a fault, with what to set and where. */
export class StageRefusal extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "StageRefusal";
  }
}

/** The stage of that name as it stands, whether it can be deployed or not; refuses a name that no stage has. */
export function findStage(name: string): Stage {
  const stage = Object.hasOwn(stages, name) ? stages[name] : undefined;
  if (!stage) throw new StageRefusal([`There is no stage "${name}"; the stages are ${stageNames.join(", ")}.`]);
  return stage;
}
