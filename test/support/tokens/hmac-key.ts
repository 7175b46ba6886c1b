import { type HmacKey, openHmacKey } from "../../../shared/tokens/secrets.ts";

/** A key for HMACs, in its first version only unless it has later ones, which sign from the start of 1970. */
export function hmacKeyOf(key: string, ...later: readonly string[]): HmacKey {
  const signs_from = new Date(0).toISOString();
  return openHmacKey(
    [{ version: 1, key }, ...later.map((each, at) => ({ version: at + 2, key: each, signs_from }))],
    new Date(),
  );
}
