import { messageShares, windowOf } from "../../domain/guessing/rules.ts";
import { updateIf } from "../table/conditional-writes.ts";
import { allOf, anyOf, lacks } from "../table/conditions.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import { limitCounts } from "./windows.ts";

/** A message of the stage that is to be counted. */
export interface CeilingMessage {
  readonly channel: "email" | "sms";
  /** Most messages of its channel in a day. */
  readonly perDay: number;
  /** The share of them that it may use. */
  readonly share: number;
  readonly registers: boolean;
}

/** A day's count and the day after, so that no clock finds it gone. */
const keepDays = 2;

/**
 * Access pattern M1: counts a message of the stage, before it is sent. Returns how many the day (UTC) has; undefined if the
 * message's share of them is used up, and counts nothing then (D11). One write unit: an update of its own, as one item takes
 * few transactions a second.
 */
export async function countMessage(message: CeilingMessage, now: Date): Promise<number | undefined> {
  const { channel, perDay, share, registers } = message;
  const [most, mostRegistrations] = [share, messageShares.ofRegistrations].map((each) => Math.floor(perDay * each));
  if (most === 0) return undefined;
  const { start } = windowOf({ subjectKind: "stage", most: perDay, window: "day" }, now);
  const isBelow = anyOf(lacks("n"), "n < :most");
  const isOwnBelow = anyOf(lacks("registrations"), "registrations < :registrations");
  const item = await updateIf(
    { pk: `LIMIT#${channel}`, sk: start },
    {
      when: registers ? allOf(isBelow, isOwnBelow) : isBelow,
      values: { ":most": most, ...(registers && { ":registrations": mostRegistrations }) },
      set: { expires_at: epochSecondsAfter(now, keepDays) },
      add: { n: 1, ...(registers && { registrations: 1 }) },
    },
  );
  return item && limitCounts.decode(item).n;
}
