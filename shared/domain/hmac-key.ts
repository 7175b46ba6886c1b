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
  /** Text that says its version: `<version>.` and base64url of the first `bytes` bytes. */
  sign(purpose: HmacPurpose, message: string, bytes?: number): string;
  /** True if the text was signed so. It takes as long for one that was not, also of a version that is struck out or unknown. */
  verify(purpose: HmacPurpose, message: string, signed: string, bytes?: number): boolean;
  /**
   * 32 bytes of a version to encrypt with for a purpose, of the one that signs now where none is given; undefined of one that is
   * struck out or unknown.
   */
  cipherKey(purpose: HmacPurpose, version?: number): CipherKey | undefined;
  /** True where the text is of the version that signs now: what is of another moves on at its next use. */
  isCurrent(signed: string): boolean;
}

const wholeBytes = 32;

/** Opens a key for a moment. Throws where no version signs by then. */
export function openHmacKey(versions: readonly HmacKeyVersion[], now: Date): HmacKey {
  const current = currentVersion(versions, now);
  if (!current) throw new Error("The secret of the HMAC key has no version that signs by now");
  return {
    digest: (purpose, message) => digestOf(current, purpose, message),
    sign: (purpose, message, bytes = wholeBytes) => signWith(current, purpose, message, bytes),
    verify(purpose, message, signed, bytes = wholeBytes) {
      const signer = versions.find(({ version }) => version === versionOf(signed));
      // As text: base64url has several spellings of the same bytes, and only one of them was signed.
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

/** The version that signs by then; undefined where none does. */
export function currentVersion(versions: readonly HmacKeyVersion[], now: Date): HmacKeyVersion | undefined {
  return versions
    .filter(({ signs_from }) => signs_from === undefined || signs_from <= now.toISOString())
    .toSorted((one, other) => one.version - other.version)
    .at(-1);
}

function signWith(signer: HmacKeyVersion, purpose: HmacPurpose, message: string, bytes: number): string {
  return `${signer.version}.${digestOf(signer, purpose, message).subarray(0, bytes).toString("base64url")}`;
}

function digestOf(signer: HmacKeyVersion, purpose: HmacPurpose, message: string): Buffer {
  return createHmac("sha256", keyFor(signer, purpose)).update(`${purpose}|${message}`).digest();
}

/** Deriving a key takes four times as long as signing with it. */
const derived = new Map<string, Buffer>();

/** HKDF (RFC 5869) gives each purpose a key of its own: one that leaks gives none of the others. */
function keyFor({ key }: HmacKeyVersion, purpose: HmacPurpose): Buffer {
  const name = `${purpose}|${key}`;
  const known = derived.get(name) ?? Buffer.from(hkdfSync("sha256", key, "", `workforce|${purpose}`, wholeBytes));
  derived.set(name, known);
  return known;
}

/** The version that a text says it was signed with; undefined for a text that says none. */
function versionOf(signed: string): number | undefined {
  const [, version] = /^([1-9][0-9]{0,8})\./.exec(signed) ?? [];
  return version === undefined ? undefined : Number(version);
}
