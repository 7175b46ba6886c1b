import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What HMACs are made for. Each purpose has a key of its own, derived from the one in the secret. */
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

/** A version of the key: the newest whose time has come signs, and all verify. */
export interface HmacKeyVersion {
  readonly version: number;
  /** At least 32 characters. */
  readonly key: string;
  /** In ISO 8601; absent of the first, which signs from the start. */
  readonly signs_from?: string | undefined;
}

/** The versions of the key that the secret has, oldest first, and the highest number that one ever had. */
export interface HmacKeyVersions {
  readonly versions: readonly HmacKeyVersion[];
  readonly highest: number;
}

/** A key to encrypt with, and the version of the HMAC key that it was derived from. */
export interface CipherKey {
  readonly version: number;
  readonly key: Buffer;
}

/** The service's key for HMAC-SHA-256, in all its versions. */
export interface HmacKey {
  /** The bytes under the version that signs now; what is stored of them does not say its version. */
  digest(purpose: HmacPurpose, message: string): Buffer;
  /** Text that says its version: base64url of the first `bytes` bytes, after `<version>.` from version 2 on. */
  sign(purpose: HmacPurpose, message: string, bytes?: number): string;
  /** True where the text was signed so, in constant time; false under a version that is struck out or unknown. */
  verify(purpose: HmacPurpose, message: string, signed: string, bytes?: number): boolean;
  /**
   * 32 bytes of a version to encrypt with for a purpose, of the one that signs now where none is given; undefined of one that is
   * struck out or unknown.
   */
  cipherKey(purpose: HmacPurpose, version?: number): CipherKey | undefined;
  /** True where the text is of the version that signs now: what is of another moves on at its next use. */
  isCurrent(signed: string): boolean;
}

/** What release 0.1 signed says no version: it is of the first. */
const firstVersion = 1;
const wholeBytes = 32;

/** Opens a key for a moment. Throws where no version signs by then. */
export function openHmacKey(versions: readonly HmacKeyVersion[], now: Date): HmacKey {
  const current = currentVersion(versions, now);
  if (!current) throw new Error("The secret of the HMAC key has no version that signs by now");
  return {
    digest: (purpose, message) => digestOf(current, purpose, message),
    sign: (purpose, message, bytes = wholeBytes) => signWith(current, purpose, message, bytes),
    verify(purpose, message, signed, bytes = wholeBytes) {
      const { version, text } = read(signed);
      const signer = versions.find((each) => each.version === version);
      if (!signer) return false;
      // As text: base64url has several spellings of the same bytes, and only one of them was signed.
      const given = Buffer.from(text);
      const expected = Buffer.from(digestOf(signer, purpose, message).subarray(0, bytes).toString("base64url"));
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    cipherKey(purpose, version = current.version) {
      const signer = versions.find((each) => each.version === version);
      return signer && { version, key: digestOf(signer, purpose, "aes-256-gcm") };
    },
    isCurrent: (signed) => read(signed).version === current.version,
  };
}

/** The version that signs by then; undefined where none does. */
export function currentVersion(versions: readonly HmacKeyVersion[], now: Date): HmacKeyVersion | undefined {
  return versions
    .filter(({ signs_from }) => signs_from === undefined || signs_from <= now.toISOString())
    .toSorted((one, other) => one.version - other.version)
    .at(-1);
}

function signWith(signer: HmacKeyVersion, purpose: HmacPurpose, message: string, bytes: number): string {
  const text = digestOf(signer, purpose, message).subarray(0, bytes).toString("base64url");
  return signer.version === firstVersion ? text : `${signer.version}.${text}`;
}

function digestOf(signer: HmacKeyVersion, purpose: HmacPurpose, message: string): Buffer {
  return createHmac("sha256", keyFor(signer, purpose)).update(`${purpose}|${message}`).digest();
}

/**
 * HKDF (RFC 5869) gives each purpose a key of its own. The first version is the purposes' common key: what release 0.1
 * signed with it counts on, and the release before this one reads what is signed with it.
 */
function keyFor({ version, key }: HmacKeyVersion, purpose: HmacPurpose): string | Buffer {
  if (version === firstVersion) return key;
  return Buffer.from(hkdfSync("sha256", key, "", `workforce|${purpose}`, wholeBytes));
}

function read(signed: string): { readonly version: number; readonly text: string } {
  const [, version, text = signed] = /^([1-9][0-9]{0,8})\.(.*)$/s.exec(signed) ?? [];
  return { version: version === undefined ? firstVersion : Number(version), text };
}
