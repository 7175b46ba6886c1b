import { consumeMessageAllowance } from "../../shared/accounts/message-allowance.ts";
import { subjectOf } from "../../shared/accounts/subjects.ts";
import { findTestPin } from "../../shared/accounts/test-pin.ts";
import { findUserIdOfLogin } from "../../shared/db/accounts/logins.ts";
import { holdPin, keepDelivered, pinKey, storePin } from "../../shared/db/accounts/pins.ts";
import { findUser } from "../../shared/db/accounts/users.ts";
import { nextUserId } from "../../shared/db/table/sequences.ts";
import { hashOfPin, makePin } from "../../shared/domain/accounts/pin.ts";
import { isUsedUp } from "../../shared/domain/guessing/pin-decisions.ts";
import { sendPin } from "../../shared/messaging/pin-message.ts";
import { pinRequest } from "../../shared/messaging/pin-queue.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { forQueue } from "../../shared/workers/queue-worker.ts";

/**
 * Makes the pin of a request and sends it. Requests that came too late end here, and so do those of unknown logins,
 * registrations of known ones, and pins that tries have used up meanwhile (D8–D12, D16). A message is counted before its pin is stored, once for each attempt, and one
 * above the ceiling is not sent. A message that comes again is sent by this worker alone, while nobody has sent it. One of the
 * stage's test logins gets their pin, and nothing is sent or counted. The message goes to the user's stored address, in the
 * user's language (D7, D45).
 */
export const handler = forQueue(pinRequest, async ({ login, channel, registers, isKnown, pin: asked }, { now }) => {
  if (now.toISOString() >= asked.valid_to) return;
  const existingUserId = await findUserIdOfLogin(login);
  if (registers !== (existingUserId === undefined)) return;
  const kind = registers ? "REGISTRATION" : "PIN";
  const held = await holdPin(pinKey(await subjectOf("pin", login), kind), asked, now);
  if (!held) return;
  const user = existingUserId === undefined ? undefined : await findUser(existingUserId);
  const test = await findTestPin(login, user, now);
  if (!test && isUsedUp(held)) return;
  const to = registers ? login : channel === "email" ? user?.email : user?.phone_number;
  if (!to) return;
  const isCounted = test !== undefined || held.counted === asked.sent;
  const isAllowed =
    isCounted || (await consumeMessageAllowance(channel, { nth: asked.messages, isKnown, registers }, now));
  if (isAllowed) {
    const userId = existingUserId ?? held.user_id ?? (await nextUserId());
    const key = await hmacKey();
    const pin = test?.pin ?? makePin({ ...held, login }, key);
    const validTo = test && test.until < new Date(held.valid_to) ? test.until.toISOString() : held.valid_to;
    const hash = hashOfPin(held, pin, userId, key);
    const made = { ...hash, userId, validTo, counted: asked.sent, testCompanyId: test?.companyId };
    if (!(await storePin(held, made))) return;
    if (!test) await sendPin({ channel, to, locale: user?.locale }, pin);
  }
  await keepDelivered(held, isAllowed ? asked.sent : held.delivered);
});
