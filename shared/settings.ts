import type { CountryCode } from "libphonenumber-js/min";
import type { PushService } from "./contract/devices.ts";
import { locales } from "./contract/locales.ts";

/** The one place that reads the environment. Values are read when asked for; a missing one is named. */
export const settings = {
  /** Name of the operation or worker this function runs. */
  operation: () => required("OPERATION"),
  /** The same, where lines are also written by what is no function. */
  operationIfAny: () => process.env.OPERATION,
  /** First 12 hexadecimal digits of the SHA-256 of the function's bundle, set by what loads it; undefined where no bundle runs. */
  build: () => process.env.BUILD,
  /** Number of the published version that runs, set by Lambda; undefined where it is none. */
  functionVersion: () => /^\d+$/.exec(process.env.AWS_LAMBDA_FUNCTION_VERSION ?? "")?.[0],
  /** True in an environment that Lambda started, whose process begins with it. */
  isStartedByLambda: () => process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== undefined,
  /** What the function that runs is called by, in Lambda; undefined elsewhere. */
  ownFunction: () => (settings.isStartedByLambda() ? process.env.AWS_LAMBDA_FUNCTION_NAME : undefined),
  /** Namespace of the service's own metrics. */
  metricNamespace: () => required("METRIC_NAMESPACE"),
  /** How many times the usual limit a call to AWS may take: more than 1 where many processes share a processor. */
  callPatience: () => Number(process.env.CALL_PATIENCE ?? 1),
  tableName: () => required("TABLE_NAME"),
  /** Issuer of access tokens (D4). */
  tokenIssuer: () => required("TOKEN_ISSUER"),
  /** Audience of access tokens (D4). */
  tokenAudience: () => required("TOKEN_AUDIENCE"),
  /** Where the key for HMACs is kept, in Secrets Manager. */
  hmacSecretArn: () => required("HMAC_SECRET_ARN"),
  /** Where the private keys that sign access tokens are kept, in Secrets Manager (D6). */
  signingSecretArn: () => required("SIGNING_SECRET_ARN"),
  /** Where the secret is kept that the stage's edge proves itself with; undefined where it has none. */
  edgeSecretArn: () => process.env.EDGE_SECRET_ARN || undefined,
  /** The OpenID issuer whose access tokens are trusted instead of the service's own, or undefined (D4). */
  oidcIssuer: () => (process.env.OIDC_ISSUER ? json<OidcIssuer>(process.env.OIDC_ISSUER) : undefined),
  /** Where notices to users are queued. */
  noticeQueueUrl: () => required("NOTICE_QUEUE_URL"),
  /** Where notifications wait to be delivered. */
  notificationQueueUrl: () => required("NOTIFICATION_QUEUE_URL"),
  /** Where notifications wait to be pushed to devices. */
  pushQueueUrl: () => required("PUSH_QUEUE_URL"),
  /** Where events wait to be put on the outbound bus; undefined where the stage sends none (D42). */
  eventQueueUrl: () => process.env.EVENT_QUEUE_URL || undefined,
  /** Who events that go out say they come from. */
  eventSource: () => required("EVENT_SOURCE"),
  /** Name of the bus that events go out by. */
  outboundBusName: () => required("OUTBOUND_BUS_NAME"),
  /** Where changes of the table go that a stream consumer cannot take. */
  quarantineQueueUrl: () => required("QUARANTINE_QUEUE_URL"),
  /** The stage's webhooks (D42). */
  webhooks: (): WebhookSetting[] => {
    const { queues, receivers } = json<StageWebhooks>(required("WEBHOOKS"));
    return receivers.map((each) => ({
      ...each,
      queue: queues + each.name,
      deadLetters: deadLettersOf(queues + each.name),
    }));
  },
  /** The queue of one of the webhooks; those of the others are beside it. */
  webhookQueueUrl: () => required("WEBHOOK_QUEUE_URL"),
  /** The dead letters of one of the webhooks; those of the others are beside them. */
  webhookDeadLettersUrl: () => required("WEBHOOK_DEAD_LETTERS_URL"),
  /** Where the keys are kept that webhooks sign with, in Secrets Manager (D42). */
  webhookSecretArn: () => required("WEBHOOK_SECRET_ARN"),
  /** ARNs of the SNS platform applications by push service; a service without one gets no pushes (D29). */
  platformApplications: () => json<Partial<Record<PushService, string>>>(required("PLATFORM_APPLICATIONS")),
  /** IANA time zone that the business's days run in (D20). */
  businessTimeZone: () => required("BUSINESS_TIME_ZONE"),
  /** For how many days the history keeps a change (D41). */
  historyDays: () => wholeNumber("HISTORY_DAYS"),
  /** Whether strangers may register (D16). */
  registration: () => oneOf("REGISTRATION", ["open", "closed"] as const),
  /** Whether a parameter that an operation does not know is refused or only logged (D22). */
  unknownParameters: () => oneOf("UNKNOWN_PARAMETERS", ["refuse", "warn"] as const),
  /** Most SMS that the stage sends in an hour and in a day (D11). */
  smsCeilings: () => ({ perHour: wholeNumber("SMS_PER_HOUR"), perDay: wholeNumber("SMS_PER_DAY") }),
  /** What SMS show as their sender, registered with AWS; undefined where the stage has none. */
  smsSenderId: () => process.env.SMS_SENDER_ID || undefined,
  /** Most that one SMS may cost, in US dollars. */
  smsMostDollars: () => required("SMS_MOST_DOLLARS"),
  /** The stage's test logins; null in a stage without any (D9). */
  testLogins: () => json<TestLogins | null>(process.env.TEST_LOGINS || "null"),
  /** Where the pin of the test logins is kept, in Secrets Manager. */
  testPinSecretArn: () => required("TEST_PIN_SECRET_ARN"),
  pinQueueUrl: () => required("PIN_QUEUE_URL"),
  /** Name of the service in messages to people. */
  serviceName: () => required("SERVICE_NAME"),
  /** Language of messages to people who have none of their own (D45). */
  locale: () => oneOf("LOCALE", locales),
  /** Address that e-mails come from. */
  senderAddress: () => required("SENDER_ADDRESS"),
  /** What e-mails are sent by, in SES. */
  configurationSet: () => required("CONFIGURATION_SET"),
  /** ISO 3166 country that phone numbers without a country code are read with (D7). */
  defaultCountry: () => required("DEFAULT_COUNTRY") as CountryCode,
  /** ISO 3166 countries that SMS are sent to (D11). */
  servedCountries: () => required("SERVED_COUNTRIES").split(","),
  /** Whether a password request shows the stored user (D12). */
  recoveryDisclosure: () => oneOf("RECOVERY_DISCLOSURE", ["masked", "full"] as const),
};

/** An OpenID issuer, and the names under which its tokens carry what the service needs (D4). */
export interface OidcIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Address of its JSON Web Key Set. */
  readonly jwksUrl: string;
  /** Names of the claims that hold the user's id, role and company id. */
  readonly claims: { readonly user: string; readonly role: string; readonly company: string };
}

/** The webhooks of a stage, as its settings have them. */
export interface StageWebhooks {
  /** What the names of their queues begin with; the webhook's name follows. */
  readonly queues: string;
  readonly receivers: readonly { readonly name: string; readonly url: string }[];
}

/** The name of the dead letters of a webhook's queue. */
export function deadLettersOf(queue: string): string {
  return `${queue}_dead-letters`;
}

/** A webhook of a stage: where it leads, and the names of its queues. */
export interface WebhookSetting {
  readonly name: string;
  readonly url: string;
  readonly queue: string;
  readonly deadLetters: string;
}

/** The test logins of a stage, as its settings have them. */
export interface TestLogins {
  /** The company of their users. */
  readonly companyId: number;
  /** In their normal form (D7). */
  readonly logins: readonly string[];
  /** The day that they end with its beginning, in UTC. */
  readonly until: string;
}

const parsed = new Map<string, unknown>();

/** A setting in JSON, parsed once for each text. */
function json<T>(text: string): T {
  if (!parsed.has(text)) parsed.set(text, JSON.parse(text));
  return parsed.get(text) as T;
}

function wholeNumber(name: string): number {
  const value = Number(required(name));
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`The setting ${name} must be a whole number`);
  return value;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The setting ${name} is missing`);
  return value;
}

function oneOf<const T extends string>(name: string, allowed: readonly T[]): T {
  const value = required(name);
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`The setting ${name} must be one of ${allowed.join(", ")}`);
  return found;
}
