import * as v from "valibot";

const coordinate = v.pipe(
  v.string(),
  v.check(
    (value) => Buffer.from(value, "base64url").length === 32 && isCanonical(value),
    "must be 32 bytes in canonical base64url",
  ),
);

/** A key that verifies ES256 signatures and does nothing else (D6). */
export const publicKey = v.object({
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: coordinate,
  y: coordinate,
  kid: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  alg: v.literal("ES256"),
  use: v.literal("sig"),
  key_ops: v.optional(v.strictTuple([v.literal("verify")])),
});

function isCanonical(value: string): boolean {
  return Buffer.from(value, "base64url").toString("base64url") === value;
}
