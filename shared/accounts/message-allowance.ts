import { countMessage, findHeldBack } from "../db/accounts/message-ceilings.ts";
import type { CeilingMessage, HeldBackBy } from "../domain/guessing/message-shares.ts";
import { count, log } from "../run/log.ts";
import { settings } from "../run/settings.ts";

/** A message of the stage, and the client that asked for it. */
export type StageMessage = Omit<CeilingMessage, "perDay">;

/** Finds out whether a message would be sent, and counts nothing. False as `consumeMessageAllowance` (D11). */
export async function mayUseAllowance(message: StageMessage, now: Date): Promise<boolean> {
  const by = await findHeldBack(withCeiling(message), now);
  if (by) reportHeldBack(message, by);
  return by === undefined;
}

/**
 * Counts a message of the stage before it is sent. Returns false, with a log line and a metric that fires an alarm, if its
 * share of the day's messages is used up (D11).
 */
export async function consumeMessageAllowance(message: StageMessage, now: Date): Promise<boolean> {
  const limited = withCeiling(message);
  const counted = await countMessage(limited, now);
  if (typeof counted === "number") {
    count(message.channel === "sms" ? "SmsShare" : "MailShare", {}, Math.ceil((100 * counted) / limited.perDay));
    return true;
  }
  reportHeldBack(message, counted);
  return false;
}

function withCeiling(message: StageMessage): CeilingMessage {
  const { perDay } = message.channel === "sms" ? settings.smsCeilings() : settings.mailCeilings();
  return { ...message, perDay };
}

/** Messages that a client holds back by its own many ones have a metric of their own. */
function reportHeldBack({ channel }: StageMessage, by: HeldBackBy): void {
  log("error", "message ceiling reached", { code: `${channel}_ceiling_reached` });
  if (by === "client") count("FurtherMessagesRefused", {});
  else count(channel === "sms" ? "SmsRefused" : "MailRefused", {});
}
