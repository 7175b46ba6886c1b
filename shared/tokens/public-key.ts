import * as v from "valibot";

const coordinate = v.pipe(v.string(), v.regex(/^[\w-]{43}$/, "must be 32 bytes in base64url"));

/** A key made to verify ES256 signatures, and for nothing else (D6). */
export const publicKey = v.object({
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: coordinate,
  y: coordinate,
  kid: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
  alg: v.literal("ES256"),
  use: v.literal("sig"),
});
