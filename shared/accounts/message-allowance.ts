import { countMessage } from "../db/accounts/message-ceilings.ts";
import { type PinMessage, shareOf } from "../domain/guessing/pin-decisions.ts";
import { messageShares } from "../domain/guessing/rules.ts";
import { log } from "../logger.ts";
import { count, type MetricName } from "../metrics.ts";
import { settings } from "../settings.ts";

/**
 * Counts a message of the stage before it is sent. Returns false, with a log line and a metric that fires an alarm, if its
 * share of the day's messages is used up (D11).
 */
export async function consumeMessageAllowance(
  channel: "email" | "sms",
  message: PinMessage,
  now: Date,
): Promise<boolean> {
  const isSms = channel === "sms";
  const { perDay } = isSms ? settings.smsCeilings() : settings.mailCeilings();
  const { registers } = message;
  const counted = await countMessage({ channel, perDay, share: shareOf(message), registers }, now);
  if (counted !== undefined) {
    count(isSms ? "SmsShare" : "MailShare", {}, Math.ceil((100 * counted) / perDay));
    return true;
  }
  log("error", "message ceiling reached", { code: `${channel}_ceiling_reached` });
  count(refusalMetric(channel, message), {});
  return false;
}

/** The metric of a refused message. Refusals that a stranger's many requests for one login cause have one of their own. */
function refusalMetric(channel: "email" | "sms", { nth, isKnown, registers }: PinMessage): MetricName & Refusals {
  const isFurther = !registers && !isKnown && nth >= messageShares.ofLogin.length;
  if (isFurther) return "FurtherMessagesRefused";
  return channel === "sms" ? "SmsRefused" : "MailRefused";
}

type Refusals = "SmsRefused" | "MailRefused" | "FurtherMessagesRefused";
