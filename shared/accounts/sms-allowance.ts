import { countSms, giveBackSms, type SmsPurpose } from "../db/accounts/sms-ceilings.ts";
import { log } from "../logger.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";

/**
 * Counts an SMS of the stage before it is sent. Above the ceiling returns false, with a log line and a metric that
 * fires an alarm (D11).
 */
export async function maySendSms(purpose: SmsPurpose, now: Date): Promise<boolean> {
  if (await countSms(settings.smsCeilings(), purpose, now)) return true;
  log("error", "sms ceiling reached", { code: "sms_ceiling_reached" });
  count("SmsRefused", {});
  return false;
}

/** Takes back an SMS that was counted at that time and is not sent. */
export function uncountSms(purpose: SmsPurpose, countedAt: Date): Promise<void> {
  return giveBackSms(purpose, countedAt);
}
