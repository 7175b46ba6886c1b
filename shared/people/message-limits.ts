import { count, log } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { epochSecondsAfter, type Key } from "../table/table.ts";
import { allOf, anyOf, lacks, updateIf } from "../table/writes.ts";
import { limitCounts, windowOf } from "./limits.ts";

/** The parts of the stage's messages of a day: for the first and the further messages of a client, and for registrations (D11). */
export const messageShares = { first: 0.9, further: 0.6, ofRegistrations: 0.2, ofOneClient: 0.5 } as const;

/** So many messages of a client on a day are its first. A login has as many with a proof. */
export const firstMessages = 20;

/** A message that would count against the stage's ceiling. */
export interface CeilingMessage {
  readonly channel: "email" | "sms";
  /** Most messages of its channel in a day. */
  readonly perDay: number;
  /** The client that asked for it, by a keyed hash or as `user-<id>` for a notice; absent for a message with a proof. */
  readonly client: string | undefined;
  readonly registers: boolean;
}

/** The messages of a day: of the stage or of a client. */
export interface MessageCount {
  readonly n: number;
  readonly registrations: number;
}

/** The reason why a message is held back: its client's use of the day, or everybody's. */
type HeldBackBy = "client" | "stage";

/**
 * The counts of a client at which its messages are held back, whatever is left of the stage's: of registrations alone. If there is
 * only one, a client may have it.
 */
function mostOfClient({ perDay }: CeilingMessage): MessageCount {
  const registrations = Math.max(1, Math.floor(registrationsOf(perDay) * messageShares.ofOneClient));
  return { n: Number.MAX_SAFE_INTEGER, registrations };
}

/** The counts of the stage at which the message that is so many-th of its client is held back (D11). */
function mostOfStage({ perDay, client }: CeilingMessage, nth: number): MessageCount {
  const { first, further } = messageShares;
  const share = nth <= firstMessages ? first : further;
  return { n: client === undefined ? perDay : Math.floor(perDay * share), registrations: registrationsOf(perDay) };
}

/** The reason why the stage's counts hold a message back. */
function holderOf(nth: number): HeldBackBy {
  return nth <= firstMessages ? "stage" : "client";
}

/** Decides on a message by the counts of its client and the stage; undefined if it may be sent. */
export function heldBackBy(
  message: CeilingMessage,
  ofClient: MessageCount,
  ofStage: MessageCount,
): HeldBackBy | undefined {
  const nth = ofClient.n + 1;
  const isUsedUp = (count: MessageCount, most: MessageCount) =>
    count.n >= most.n || (message.registers && count.registrations >= most.registrations);
  if (isUsedUp(ofClient, mostOfClient(message))) return "client";
  return isUsedUp(ofStage, mostOfStage(message, nth)) ? holderOf(nth) : undefined;
}

function registrationsOf(perDay: number): number {
  return Math.floor(perDay * messageShares.ofRegistrations);
}

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
  return { pk: `LIMIT#${channel}`, sk: windowOf({ window: "day" }, now).start };
}

function clientKey(message: CeilingMessage, now: Date): Key | undefined {
  const { pk, sk } = stageKey(message, now);
  return message.client === undefined ? undefined : { pk: `${pk}#${message.client}`, sk };
}

/** A message of the stage, and the client that asked for it. */
type StageMessage = Omit<CeilingMessage, "perDay">;

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
