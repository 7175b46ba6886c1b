import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { msPerMinute, timestamp } from "../contract/values.ts";
import { callLimits, limitedBy } from "../run/call-limits.ts";
import { faultFields, log } from "../run/log.ts";
import { settings } from "../run/settings.ts";

/** SHA-256 of a token as the store keeps it, base64url. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** The purposes of HMACs. Each has a key of its own, derived from the one in the secret. */
export type HmacPurpose =
  | "pin"
  | "pin-of-request"
  | "passcode"
  | "reset-token"
  | "throttle"
  | "idempotency"
  | "refresh"
  | "unknown-user"
  | "cursor";

/** A version of the key. The newest one whose time has come signs; all verify. */
export interface HmacKeyVersion {
  readonly version: number;
  /** At least 32 characters. */
  readonly key: string;
  /** ISO 8601; absent for the first, which signs from the start. */
  readonly signs_from?: string | undefined;
}

/** The versions in the secret, oldest first, and the highest number ever used. */
export interface HmacKeyVersions {
  readonly versions: readonly HmacKeyVersion[];
  readonly highest: number;
}

/** A key for encryption, and the version of the HMAC key it is derived from. */
export interface CipherKey {
  readonly version: number;
  readonly key: Buffer;
}

/** The service's key for HMAC-SHA-256, in all its versions. */
export interface HmacKey {
  /** The bytes under the current version. They do not contain the version. */
  digest(purpose: HmacPurpose, message: string): Buffer;
  /** A signed text: `<version>.` and base64url of the first `bytes` bytes. */
  sign(purpose: HmacPurpose, message: string, bytes?: number): string;
  /** True if the text is such a signature. A wrong one takes as long, also of a removed or unknown version. */
  verify(purpose: HmacPurpose, message: string, signed: string, bytes?: number): boolean;
  /**
   * 32 bytes of a version for encrypting with a purpose, by default of the current version; undefined for a removed or
   * unknown one.
   */
  cipherKey(purpose: HmacPurpose, version?: number): CipherKey | undefined;
  /** True if the current version signed the text. A text of another version is replaced at its next use. */
  isCurrent(signed: string): boolean;
}

/** The whole of a SHA-256. */
const wholeBytes = 32;

/** Opens a key for a time. Throws if no version signs by then. */
export function openHmacKey(versions: readonly HmacKeyVersion[], now: Date): HmacKey {
  const current = currentVersion(versions, now);
  if (!current) throw new Error("The secret of the HMAC key has no version that signs by now");
  return {
    digest: (purpose, message) => digestOf(current, purpose, message),
    sign: (purpose, message, bytes = wholeBytes) => signWith(current, purpose, message, bytes),
    verify(purpose, message, signed, bytes = wholeBytes) {
      const signer = versions.find(({ version }) => version === versionOf(signed));
      // Compares text, because base64url has several spellings of the same bytes and only one was signed.
      const given = Buffer.from(signed);
      const expected = Buffer.from(signWith(signer ?? current, purpose, message, bytes));
      return given.length === expected.length && timingSafeEqual(given, expected) && signer !== undefined;
    },
    cipherKey(purpose, version = current.version) {
      const signer = versions.find((each) => each.version === version);
      return signer && { version, key: digestOf(signer, purpose, "aes-256-gcm") };
    },
    isCurrent: (signed) => versionOf(signed) === current.version,
  };
}

/** The version that signs by then; undefined if none does. */
export function currentVersion(versions: readonly HmacKeyVersion[], now: Date): HmacKeyVersion | undefined {
  return versions.findLast(({ signs_from }) => signs_from === undefined || signs_from <= now.toISOString());
}

function signWith(signer: HmacKeyVersion, purpose: HmacPurpose, message: string, bytes: number): string {
  return `${signer.version}.${digestOf(signer, purpose, message).subarray(0, bytes).toString("base64url")}`;
}

function digestOf(signer: HmacKeyVersion, purpose: HmacPurpose, message: string): Buffer {
  return createHmac("sha256", keyFor(signer, purpose)).update(`${purpose}|${message}`).digest();
}

/** HKDF (RFC 5869) derives a key for each purpose, so that a leaked one reveals none of the others. */
function keyFor({ key }: HmacKeyVersion, purpose: HmacPurpose): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", `workforce|${purpose}`, wholeBytes));
}

/** The version named in a signed text; undefined if it names none. */
function versionOf(signed: string): number | undefined {
  const [, version] = /^([1-9][0-9]{0,8})\./.exec(signed) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** A new version of a secret is known to every function after as long (D6). */
export const secretCacheMinutes = 5;
/** After a failed read, a value is used this much longer before the next try. */
const staleSecretMinutes = 0.5;

const keyText = v.pipe(v.string(), v.minLength(32));
const version = v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** The secret of the HMAC key: the one version that the deploy made, or all of them once `npm run keys` has added one. */
const hmacSecret = v.union([
  v.object({
    versions: v.array(v.object({ version, key: keyText, signs_from: v.optional(timestamp) })),
    highest: version,
  }),
  v.pipe(
    v.object({ version, key: keyText }),
    v.transform((made): HmacKeyVersions => ({ versions: [made], highest: made.version })),
  ),
]);

const edgeSecret = v.object({ current: v.pipe(v.string(), v.minLength(32)), previous: v.string() });

let client: SecretsManagerClient | undefined;
const cached = new Map<string, { readonly value: unknown; readonly staleAt: number; readonly readAt: number }>();

/** The key that hashes pins and other short secrets; cached for 5 minutes, never in the table or a setting (D9). */
export async function hmacKey(): Promise<HmacKey> {
  return openHmacKey((await readHmacKeyVersions()).versions, new Date());
}

/** The current and previous secret of the stage's edge; cached for 5 minutes. */
export async function edgeSecrets(arn: string): Promise<v.InferOutput<typeof edgeSecret>> {
  return v.parse(edgeSecret, await readSecret(arn));
}

/** The versions of the HMAC key. Up to 5 minutes old unless they must be `fresh`. */
export async function readHmacKeyVersions(options?: { readonly fresh: boolean }): Promise<HmacKeyVersions> {
  return v.parse(hmacSecret, await readSecret(settings.hmacSecretArn(), options));
}

/** Stores the versions of the HMAC key. */
export function writeHmacKeyVersions({ versions, highest }: HmacKeyVersions): Promise<void> {
  return writeSecret(settings.hmacSecretArn(), { versions, highest });
}

/**
 * The JSON value of a secret, cached for 5 minutes unless it must be `fresh` (D6). If a read fails, the cached value is
 * used for another half minute before the next try.
 */
export async function readSecret(arn: string, { fresh = false } = {}): Promise<unknown> {
  const known = cached.get(arn);
  const now = Date.now();
  if (!fresh && known && now >= known.readAt && now < known.staleAt) return known.value;
  try {
    return keep(arn, await fetchSecret(arn), secretCacheMinutes);
  } catch (error) {
    if (fresh || !known) throw error;
    log("warn", "secret not read again", { ...faultFields(error), code: "secret_stale" });
    return keep(arn, known.value, staleSecretMinutes);
  }
}

async function fetchSecret(arn: string): Promise<unknown> {
  const { SecretString } = await secretClient().send(new GetSecretValueCommand({ SecretId: arn }));
  return JSON.parse(SecretString ?? "null");
}

function keep(arn: string, value: unknown, minutes: number): unknown {
  const readAt = Date.now();
  cached.set(arn, { value, readAt, staleAt: readAt + minutes * msPerMinute });
  return value;
}

/** Replaces the value of a secret. */
export async function writeSecret(arn: string, value: unknown): Promise<void> {
  await secretClient().send(new PutSecretValueCommand({ SecretId: arn, SecretString: JSON.stringify(value) }));
  cached.delete(arn);
}

function secretClient(): SecretsManagerClient {
  client ??= new SecretsManagerClient(limitedBy(callLimits.secret));
  return client;
}
