import type { CountryCode } from "libphonenumber-js/min";

/** The one place that reads the environment. Values are read when asked for; a missing one is named. */
export const settings = {
  /** Name of the operation or worker this function runs. */
  operation: () => required("OPERATION"),
  tableName: () => required("TABLE_NAME"),
  /** Issuer of access tokens (D4). */
  tokenIssuer: () => required("TOKEN_ISSUER"),
  /** Audience of access tokens (D4). */
  tokenAudience: () => required("TOKEN_AUDIENCE"),
  /** Where the key for HMACs is kept, in Secrets Manager. */
  hmacSecretArn: () => required("HMAC_SECRET_ARN"),
  pinQueueUrl: () => required("PIN_QUEUE_URL"),
  /** Name of the service in messages to people. */
  serviceName: () => required("SERVICE_NAME"),
  /** Address that e-mails come from. */
  senderAddress: () => required("SENDER_ADDRESS"),
  /** ISO 3166 country that phone numbers without a country code are read with (D7). */
  defaultCountry: () => required("DEFAULT_COUNTRY") as CountryCode,
  /** ISO 3166 countries that SMS are sent to (D11). */
  servedCountries: () => required("SERVED_COUNTRIES").split(","),
  /** Whether a password request shows the stored user (D12). */
  recoveryDisclosure: () => oneOf("RECOVERY_DISCLOSURE", ["masked", "full"] as const),
};

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
