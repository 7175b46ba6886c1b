import { createHmac, KeyObject, sign as signBytes } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { verifyAccessToken } from "../../../shared/tokens/access.ts";
import { payloadOf, testKeyId, testKeys } from "../../support/tokens/tokens.ts";

/** The user that the tokens are issued to. */
const caller = { id: 900, role: "admin", company_id: null } as const;
/** The key that right tokens are signed with. */
const privateKey = KeyObject.from(testKeys.privateKey);
/** Its public half, as it is published. */
export const publicJwk = await exportJWK(testKeys.publicKey);
/** The header of a right token. */
export const goodHeader = { alg: "ES256", typ: "at+jwt", kid: testKeyId };

const stranger = await generateKeyPair("ES256", { extractable: true });
/** The key of nobody that the service knows. */
export const strangerKey = KeyObject.from(stranger.privateKey);
/** Its public half. */
export const strangerJwk = await exportJWK(stranger.publicKey);

/** The time at which tokens are made and verified. */
let now = new Date("2026-06-01T09:00:00.000Z");

/** Lets so much time go by that the key set is read again. */
export function passTime(): void {
  now = new Date(now.getTime() + 60 * 60_000);
}

/** The claims of a right token, with changes. */
export function claimsWith(changes: object = {}): object {
  return { ...payloadOf(caller, now), ...changes };
}

/** A part of a token: text, bytes, or a value as JSON, in base64url. */
export function encode(value: unknown): string {
  const isPlain = typeof value === "string" || Buffer.isBuffer(value);
  return Buffer.from(isPlain ? value : JSON.stringify(value)).toString("base64url");
}

/** A token of encoded parts with a right signature over them, whatever they say. */
export function signEncoded(header: string, payload: string, key = privateKey): string {
  const signature = signBytes("sha256", Buffer.from(`${header}.${payload}`), { key, dsaEncoding: "ieee-p1363" });
  return `${header}.${payload}.${signature.toString("base64url")}`;
}

/** A token with a changed header, rightly signed, by the key of nobody if that is asked for. */
export function withHeader(changes: object, key = privateKey): string {
  return signEncoded(encode({ ...goodHeader, ...changes }), encode(claimsWith()), key);
}

/** A token with changed claims, rightly signed. */
export function withClaims(changes: object = {}): string {
  return signEncoded(encode(goodHeader), encode(claimsWith(changes)));
}

/** The three parts of a right token. */
export function partsOf(token = withClaims()): [header: string, payload: string, signature: string] {
  return token.split(".") as [string, string, string];
}

/** A token signed with a shared secret. */
export function hmacSigned(secret: string): string {
  const signed = `${encode({ ...goodHeader, alg: "HS256" })}.${encode(claimsWith())}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** Spells the last character of a part so that it decodes to the same bytes, with bits that must be zero set. */
export function loosely(part: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return part.slice(0, -1) + letters[letters.indexOf(part.at(-1) ?? "") + 1];
}

/** JSON text of a length that leaves unused bits in its last base64url character. */
export function uneven(value: object): string {
  const text = JSON.stringify(value);
  return text.length % 3 === 0 ? `${text} ` : text;
}

/** The result of a token: its user, or the code that it is refused with; anything else in words. */
export async function outcomeOf(token: string): Promise<string> {
  return verifyAccessToken(token, now).then(
    ({ userId, role }) => `${role} ${userId}`,
    (error) => (error instanceof Refusal ? error.code : `${error.name}: ${error.message}`),
  );
}
