import { type StoredPin, storePin } from "../db/accounts/pins.ts";
import { nextUserId } from "../db/table/sequences.ts";
import { hashOfPin, makePin } from "../domain/accounts/pin.ts";
import { hmacKey } from "../secrets.ts";
import type { TestPin } from "./test-pin.ts";

/** The login of a pin, its user, if there is one, and the pin of the test logins if it is theirs. */
interface PinOwner {
  readonly login: string;
  readonly userId: number | undefined;
  readonly test: TestPin | undefined;
}

/** Makes the pin of a request and stores its hash; undefined if it was spent or replaced meanwhile. */
export async function storeNewPin(held: StoredPin, { login, userId, test }: PinOwner): Promise<string | undefined> {
  const ofUser = userId ?? held.user_id ?? (await nextUserId());
  const key = await hmacKey();
  const pin = test?.pin ?? makePin({ ...held, login }, key);
  const validTo = test && test.until < new Date(held.valid_to) ? test.until.toISOString() : held.valid_to;
  const hash = hashOfPin(held, pin, ofUser, key);
  const made = { ...hash, userId: ofUser, validTo, counted: held.sent + 1, testCompanyId: test?.companyId };
  return (await storePin(held, made)) ? pin : undefined;
}
