import { hashOfPin, makePin, nextUserId, type StoredPin, storePin } from "../../shared/people/pins.ts";
import { hmacKey } from "../../shared/tokens/secrets.ts";

/**
 * Makes the pin of a login, of its user if there is one, and stores its hash. Undefined if the request's pin was spent or replaced
 * meanwhile.
 */
export async function storeNewPin(held: StoredPin, login: string, userId?: number): Promise<string | undefined> {
  const ofUser = userId ?? held.user_id ?? (await nextUserId());
  const key = await hmacKey();
  const pin = makePin({ ...held, login }, key);
  const made = { ...hashOfPin(held, pin, ofUser, key), userId: ofUser, counted: held.sent + 1 };
  return (await storePin(held, made)) ? pin : undefined;
}
