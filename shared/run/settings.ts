import type { CountryCode } from "libphonenumber-js/min";
import type { PushService } from "../contract/devices.ts";
import { locales } from "../contract/values.ts";

/** The queues of the workers, named after their messages. `infra/functions/queues.ts` has a row for each. */
export const queueNames = ["pins", "notices", "notifications", "pushes", "intake", "totals", "events"] as const;

/** The name of a queue. */
export type QueueName = (typeof queueNames)[number];

/** The name of the setting with a queue's address: `PUSH_QUEUE_URL` for `pushes`. */
export function queueSetting(queue: QueueName): string {
  // The singular: `pushes` loses "es", all others "s".
  return `${queue.replace(/(?<=sh)es$|s$/, "").toUpperCase()}_QUEUE_URL`;
}

/** The words of settings that have no others. */
export const settingWords = {
  recoveryDisclosure: ["masked", "full"],
  registration: ["open", "closed"],
  unknownParameters: ["refuse", "warn"],
} as const;

/** The settings of a stage that functions read, by their names in `infra/stages`. A function has those that its row names. */
export const stageSettings = {
  /** Name of the service in messages to people. */
  serviceName: () => required("SERVICE_NAME"),
  /** Language of messages to people who have set none (D45). */
  locale: () => oneOf("LOCALE", locales),
  /** ISO 3166 country of phone numbers without a country code (D7). */
  defaultCountry: () => required("DEFAULT_COUNTRY") as CountryCode,
  /** ISO 3166 countries that get SMS (D11). */
  servedCountries: () => json<string[]>(required("SERVED_COUNTRIES")),
  /** Whether a password request shows the stored user (D12). */
  recoveryDisclosure: () => oneOf("RECOVERY_DISCLOSURE", settingWords.recoveryDisclosure),
  /** Whether strangers may register (D16). */
  registration: () => oneOf("REGISTRATION", settingWords.registration),
  /** Whether an unknown parameter is refused or only logged (D22). */
  unknownParameters: () => oneOf("UNKNOWN_PARAMETERS", settingWords.unknownParameters),
  /** Sender of SMS, registered with AWS; undefined if the stage has none. */
  smsSenderId: () => process.env.SMS_SENDER_ID || undefined,
  /** Highest price of one SMS in US dollars. */
  smsMostDollars: () => required("SMS_MOST_DOLLARS"),
  /** Most SMS that the stage sends in a day (D11). */
  smsCeilings: () => json<Ceilings>(required("SMS_CEILINGS")),
  /** Most e-mails with a pin that the stage sends in a day (D11). */
  mailCeilings: () => json<Ceilings>(required("MAIL_CEILINGS")),
  /** IANA time zone of the business (D20). */
  businessTimeZone: () => required("BUSINESS_TIME_ZONE"),
  /** Days after which the history drops a change (D41). */
  historyDays: () => Number(required("HISTORY_DAYS")),
  /** ARNs of the SNS platform applications by push service. A push service without one gets no pushes (D29). */
  platformApplications: () => json<Partial<Record<PushService, string>>>(required("PLATFORM_APPLICATIONS")),
};

/** A setting of a stage that functions read. */
export type StageSetting = keyof typeof stageSettings;

/** The variable with a stage's setting: `SMS_CEILINGS` for `smsCeilings`. */
export function variableOf(setting: StageSetting): string {
  return setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** The one place that reads the environment. Values are read when used. The error for a missing one names it. */
export const settings = {
  ...stageSettings,
  /** Name of the operation or worker that this function runs. */
  operation: () => required("OPERATION"),
  /** The same; undefined in programs that are no function but log too. */
  operationIfAny: () => process.env.OPERATION,
  /** A sentence with what people cannot do while this function fails; undefined in programs that are no function. */
  impact: () => process.env.IMPACT,
  /**
   * First 12 hexadecimal digits of the SHA-256 of the function's bundle, set by its entry; undefined without a bundle.
   */
  build: () => process.env.BUILD,
  /** Number of the running published version, set by Lambda; undefined if it has none. */
  functionVersion: () => /^\d+$/.exec(process.env.AWS_LAMBDA_FUNCTION_VERSION ?? "")?.[0],
  /** True in an environment that Lambda started. Its process begins with it. */
  isStartedByLambda: () => process.env.AWS_LAMBDA_INITIALIZATION_TYPE !== undefined,
  /** Namespace of the service's own metrics; undefined where nobody reads them. */
  metricNamespace: () => process.env.METRIC_NAMESPACE,
  /** Factor for the time limits of calls to AWS: above 1 if many processes share a processor. */
  callPatience: () => Number(process.env.CALL_PATIENCE ?? 1),
  /** The least number of attempts of a call that may be repeated; more than in AWS where the table may be away for seconds. */
  callAttempts: () => Number(process.env.CALL_ATTEMPTS ?? 1),
  tableName: () => required("TABLE_NAME"),
  /** Issuer of access tokens (D4). */
  tokenIssuer: () => required("TOKEN_ISSUER"),
  /** Audience of access tokens (D4). */
  tokenAudience: () => required("TOKEN_AUDIENCE"),
  /** ARN of the secret with the key for HMACs, in Secrets Manager. */
  hmacSecretArn: () => required("HMAC_SECRET_ARN"),
  /** ARN of the secret with the private keys that sign access tokens, in Secrets Manager (D6). */
  signingSecretArn: () => required("SIGNING_SECRET_ARN"),
  /** ARN of the secret that the stage's edge sends; undefined if it has no edge. */
  edgeSecretArn: () => process.env.EDGE_SECRET_ARN || undefined,
  /** The OpenID issuer whose access tokens are trusted in place of the service's own, or undefined (D4). */
  oidcIssuer: () => (process.env.OIDC_ISSUER ? json<OidcIssuer>(process.env.OIDC_ISSUER) : undefined),
  /** Address of a queue. */
  queueUrl: (queue: QueueName) => required(queueSetting(queue)),
  /** The same; undefined if the stage has no such queue. */
  queueUrlIfAny: (queue: QueueName) => process.env[queueSetting(queue)] || undefined,
  /** The source in outgoing events. */
  eventSource: () => required("EVENT_SOURCE"),
  /** Name of the bus for outgoing events. */
  outboundBusName: () => required("OUTBOUND_BUS_NAME"),
  /** Address of the queue of stream records that a consumer gave up. */
  quarantineQueueUrl: () => required("QUARANTINE_QUEUE_URL"),
  /** Sender of e-mails. */
  senderAddress: () => required("SENDER_ADDRESS"),
  /** Configuration set that sends e-mails, in SES. */
  configurationSet: () => required("CONFIGURATION_SET"),
};

/** The most messages of a stage in a day. */
interface Ceilings {
  readonly perDay: number;
}

/** An OpenID issuer, and the names of the claims that the service reads (D4). */
export interface OidcIssuer {
  readonly issuer: string;
  readonly audience: string;
  /** Address of its JSON Web Key Set. */
  readonly jwksUrl: string;
  /** Names of the claims with the user's id, role and company id. */
  readonly claims: { readonly user: string; readonly role: string; readonly company: string };
}

function json<T>(text: string): T {
  return JSON.parse(text);
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
