import {
  type CeilingMessage,
  type HeldBackBy,
  heldBackBy,
  holderOf,
  type MessageCount,
  mostOfClient,
  mostOfStage,
} from "../../domain/guessing/message-shares.ts";
import { windowOf } from "../../domain/guessing/rules.ts";
import type { Key } from "../../table/table.ts";
import { epochSecondsAfter } from "../../table/table.ts";
import { allOf, anyOf, lacks, updateIf } from "../../table/writes.ts";
import { limitCounts } from "./windows.ts";

/** A day's count and the day after, so that no clock finds it gone. */
export const ceilingDays = 2;
/** The count of a client or a stage that has none. */
const none: MessageCount = { n: 0, registrations: 0 };

/**
 * Access pattern M1: counts a message, of its client and then of the stage, before it is sent. Returns how many the day (UTC) of the
 * stage has, or what holds the message back (D11). One write unit, two with a client: updates of their own, as one item takes
 * few transactions a second. A message that is held back only here, as others came between, counts for its client alone.
 */
export async function countMessage(message: CeilingMessage, now: Date): Promise<number | HeldBackBy> {
  const ofClient = clientKey(message, now);
  const counted = ofClient ? await add(ofClient, message, mostOfClient(message), now) : none;
  if (!counted) return "client";
  const ofStage = await add(stageKey(message, now), message, mostOfStage(message, counted.n), now);
  return ofStage?.n ?? holderOf(counted.n);
}

/**
 * Access pattern M2: finds what would hold a message back, so that one that is not sent writes nothing. Half a read unit, one
 * with a client.
 */
export async function findHeldBack(message: CeilingMessage, now: Date): Promise<HeldBackBy | undefined> {
  const ofClient = clientKey(message, now);
  const counts = [ofClient && find(ofClient), find(stageKey(message, now))];
  const [client = none, stage = none] = await Promise.all(counts);
  return heldBackBy(message, client, stage);
}

async function add(
  key: Key,
  { registers }: CeilingMessage,
  most: MessageCount,
  now: Date,
): Promise<MessageCount | undefined> {
  const counts = registers ? (["n", "registrations"] as const) : (["n"] as const);
  if (counts.some((name) => most[name] <= 0)) return undefined;
  const item = await updateIf(key, {
    when: allOf(...counts.map((name) => anyOf(lacks(name), `${name} < :${name}`))),
    values: Object.fromEntries(counts.map((name) => [`:${name}`, most[name]])),
    set: { expires_at: epochSecondsAfter(now, ceilingDays) },
    add: Object.fromEntries(counts.map((name) => [name, 1])),
  });
  return item && { ...none, ...limitCounts.decode(item) };
}

async function find(key: Key): Promise<MessageCount> {
  return { ...none, ...(await limitCounts.find(key, { consistent: false })) };
}

function stageKey({ channel }: CeilingMessage, now: Date): Key {
  return { pk: `LIMIT#${channel}`, sk: windowOf({ subjectKind: "stage", most: 0, window: "day" }, now).start };
}

function clientKey(message: CeilingMessage, now: Date): Key | undefined {
  const { pk, sk } = stageKey(message, now);
  return message.client === undefined ? undefined : { pk: `${pk}#${message.client}`, sk };
}
