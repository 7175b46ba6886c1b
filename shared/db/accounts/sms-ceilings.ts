import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { updateIf } from "../table/table.ts";
import { updateOf } from "../table/updates.ts";

/** The number of SMS of an hour or a day as the table has it; the key holds its start. */
interface StoredSmsCount extends StoredItem {
  readonly sent: number;
  readonly expires_at: number;
}

/** The entity of SMS counts. */
export const smsCounts = defineEntity<StoredSmsCount>(
  "sms count",
  ({ pk, sk }) => sk === "SMS" && pk.startsWith("SMS#"),
);

/** Most SMS of the whole stage in an hour and in a day, by the clock (D11). */
export interface SmsCeilings {
  readonly perHour: number;
  readonly perDay: number;
}

const keepDays = 2;

/** Access pattern M1: counts an SMS of the stage; false when the hour's or the day's ceiling is reached. Two write units. */
export async function countSms({ perHour, perDay }: SmsCeilings, now: Date): Promise<boolean> {
  const moment = now.toISOString();
  return (await count(moment.slice(0, 13), perHour, now)) && (await count(moment.slice(0, 10), perDay, now));
}

async function count(window: string, most: number, now: Date): Promise<boolean> {
  if (most === 0) return false;
  const condition = { when: "attribute_not_exists(sent) OR sent < :most", values: { ":most": most } };
  const changes = { set: { expires_at: epochSecondsAfter(now, keepDays) }, add: { sent: 1 } };
  const counted = await updateIf(updateOf({ pk: `SMS#${window}`, sk: "SMS" }, { ...condition, ...changes }));
  return counted !== undefined;
}
