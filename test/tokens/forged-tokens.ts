import { createHmac, KeyObject, sign as signBytes } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import { expect } from "vitest";
import { Refusal } from "../../shared/domain/refusal.ts";
import { verifyAccessToken } from "../../shared/tokens/verify-access-token.ts";
import { payloadOf, testKeyId, testKeys } from "../support/tokens/tokens.ts";

/** The user that the tokens are issued to. */
export const caller = { id: 900, role: "admin", company_id: null } as const;
/** Order n of the curve P-256. */
export const orderOfP256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** Prime p of the field of P-256. */
export const primeOfP256 = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
/** The key that right tokens are signed with. */
export const privateKey = KeyObject.from(testKeys.privateKey);
/** Its public half, as it is published. */
export const publicJwk = await exportJWK(testKeys.publicKey);
/** A key pair of nobody that the service knows. */
export const stranger = await generateKeyPair("ES256", { extractable: true });
/** The header of a right token. */
export const goodHeader = { alg: "ES256", typ: "at+jwt", kid: testKeyId };

/** The time at which tokens are made and verified. */
export let now = new Date("2026-06-01T09:00:00.000Z");

/** Lets so much time go by that the key set is read again. */
export function passTime(): void {
  now = new Date(now.getTime() + 60 * 60_000);
}

/** Makes a token. */
export type Make = () => string;

/** A part of a token: text, or a value as JSON, in base64url. */
export function encode(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** A token of encoded parts with a right signature over them, whatever they say. */
export function signEncoded(header: string, payload: string, key = privateKey): string {
  const signature = signBytes("sha256", Buffer.from(`${header}.${payload}`), { key, dsaEncoding: "ieee-p1363" });
  return `${header}.${payload}.${signature.toString("base64url")}`;
}

/** A token with a changed header, rightly signed. */
export function withHeader(changes: Record<string, unknown>): Make {
  return () => signEncoded(encode({ ...goodHeader, ...changes }), encode(payloadOf(caller, now)));
}

/** A token whose header is any bytes, rightly signed. */
export function withRawHeader(header: string | Buffer): Make {
  return () => signEncoded(Buffer.from(header).toString("base64url"), encode(payloadOf(caller, now)));
}

/** A token with changed claims, rightly signed. */
export function withClaims(changes: Record<string, unknown>): Make {
  return () => signEncoded(encode(goodHeader), encode({ ...payloadOf(caller, now), ...changes }));
}

/** A token whose payload is any bytes, rightly signed. */
export function withPayload(payload: string | Buffer): Make {
  return () => signEncoded(encode(goodHeader), Buffer.from(payload).toString("base64url"));
}

/** A right token. */
export function valid(): string {
  return withClaims({})();
}

/** A right token whose three parts are put together otherwise. */
export function reshaped(change: (header: string, payload: string, signature: string) => string): Make {
  return () => change(...(valid().split(".") as [string, string, string]));
}

/** A right token with another signature, made of the two numbers of its own. */
export function withSignature(change: (r: Buffer, s: Buffer) => Buffer): Make {
  return reshaped((header, payload, signature) => {
    const bytes = Buffer.from(signature, "base64url");
    return `${header}.${payload}.${change(bytes.subarray(0, 32), bytes.subarray(32)).toString("base64url")}`;
  });
}

/** A number as bytes, the highest first. */
export function number(value: bigint, bytes = 32): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, "0"), "hex");
}

/** A right token whose signature is spelt in DER. */
export function der(): string {
  const signed = `${encode(goodHeader)}.${encode(payloadOf(caller, now))}`;
  return `${signed}.${signBytes("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
}

/** A token signed with a shared secret. */
export function hmacSigned(alg: string, secret: string | Buffer): Make {
  return () => {
    const signed = `${encode({ ...goodHeader, alg })}.${encode(payloadOf(caller, now))}`;
    return `${signed}.${createHmac(`sha${alg.slice(2)}`, secret)
      .update(signed)
      .digest("base64url")}`;
  };
}

/** A token without a signature. */
export function unsigned(alg: unknown): Make {
  return () => `${encode({ ...goodHeader, alg })}.${encode(payloadOf(caller, now))}.`;
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

/** Both coordinates of the public key, one after the other. */
export const coordinates = Buffer.concat(
  [publicJwk.x ?? "", publicJwk.y ?? ""].map((part) => Buffer.from(part, "base64url")),
);
/** The number 0 in 32 bytes. */
export const zero = number(0n);
/** The order of P-256 in 32 bytes. */
export const order = number(orderOfP256);

/** The code that a token is refused with; what else comes of it in words. */
export async function refusalOf(token: string): Promise<string> {
  return verifyAccessToken(token, now).then(
    () => "accepted",
    (error) => (error instanceof Refusal ? error.code : `${error.name}: ${error.message}`),
  );
}

/** Asserts that a right token is accepted. */
export async function expectValidAccepted(): Promise<void> {
  expect(await verifyAccessToken(valid(), now)).toMatchObject({ userId: 900, role: "admin" });
}
