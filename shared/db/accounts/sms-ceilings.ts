import { updateIf } from "../table/conditional-writes.ts";
import { anyOf, lacks } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";

/** The number of SMS of a day as the table has it; the key holds its start. */
interface StoredSmsCount extends StoredItem {
  readonly sent: number;
  readonly expires_at: number;
}

/** The entity of SMS counts. */
export const smsCounts = defineEntity<StoredSmsCount>(
  "sms count",
  ({ pk, sk }) => sk === "SMS" && pk.startsWith("SMS#"),
);

/** Most SMS of the whole stage in a day, by the clock (D11). */
export interface SmsCeilings {
  readonly perDay: number;
}

/** Who an SMS is for: a user, or somebody who registers, so that the number may be anybody's. */
export type SmsPurpose = "user" | "registration";

/** Registrations get so much of the ceilings: strangers leave the rest to the resets of users (D11). */
const shareOfRegistrations = 0.2;

const keepDays = 2;

/**
 * Access pattern M1: counts an SMS of the stage; false when the day's ceiling is reached. One write unit, two for a
 * registration.
 */
export async function countSms(ceilings: SmsCeilings, purpose: SmsPurpose, now: Date): Promise<boolean> {
  const counted: Window[] = [];
  for (const window of windowsOf(ceilings, purpose, now)) {
    if (!(await count(window, now))) {
      await giveBack(counted);
      return false;
    }
    counted.push(window);
  }
  return true;
}

/** Access pattern M2: takes back an SMS that was counted at that moment. One write unit, two for a registration. */
export async function giveBackSms(purpose: SmsPurpose, countedAt: Date): Promise<void> {
  await giveBack(windowsOf({ perDay: 0 }, purpose, countedAt));
}

/** A day by the clock, and the most SMS in it. */
interface Window {
  readonly name: string;
  readonly most: number;
}

function windowsOf({ perDay }: SmsCeilings, purpose: SmsPurpose, now: Date): Window[] {
  const day = now.toISOString().slice(0, 10);
  const all = { name: day, most: perDay };
  if (purpose === "user") return [all];
  return [{ name: `REGISTRATIONS#${day}`, most: Math.floor(perDay * shareOfRegistrations) }, all];
}

const isBelowCeiling = anyOf(lacks("sent"), "sent < :most");
const isCounted = "sent > :none";

async function count({ name, most }: Window, now: Date): Promise<boolean> {
  if (most === 0) return false;
  const condition = { when: isBelowCeiling, values: { ":most": most } };
  const changes = { set: { expires_at: epochSecondsAfter(now, keepDays) }, add: { sent: 1 } };
  return (await updateIf(keyOf(name), { ...condition, ...changes })) !== undefined;
}

async function giveBack(windows: readonly Window[]): Promise<void> {
  for (const { name } of windows) {
    await updateIf(keyOf(name), { when: isCounted, values: { ":none": 0 }, add: { sent: -1 } });
  }
}

function keyOf(name: string): Key {
  return { pk: `SMS#${name}`, sk: "SMS" };
}
