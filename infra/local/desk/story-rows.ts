import { operations } from "../../../shared/contract/operations.ts";
import { recordTypes } from "../../../shared/contract/records.ts";
import { parseJson } from "../../runtime/json-text.ts";
import type { ItemIndex } from "./item-index.ts";
import {
  type ChangeView,
  durationOf,
  type InboxView,
  plural,
  type RequestRow,
  type RunView,
  type StoryRow,
} from "./views.ts";

/** Kinds of items that a person would mention. */
const mentioned: readonly string[] = [...recordTypes, "session", "device", "pin"];
const channels = {
  email: ["Mail", "mails"],
  sms: ["SMS", "SMS"],
  push: ["Push", "pushes"],
  event: ["Event", "events"],
} as const;

/** More messages of a channel make one row. */
const mostMessages = 6;

/** True for a write that no person would mention. */
function isBookkeeping({ entity, isNamed }: ChangeView): boolean {
  return !isNamed || !mentioned.includes(entity);
}

/** One row for each kind of items that people mention and way in which they changed. */
export function foldChanges(changes: readonly ChangeView[]): StoryRow[] {
  const own = changes.filter((each) => !isBookkeeping(each));
  return Object.values(Object.groupBy(own, (each) => `${each.entity} ${wayOf(each)}`)).map((given = []) => {
    const [first] = given as [ChangeView];
    const about = [wayOf(first), ...(given.length === 1 ? [first.title] : [])].join(" · ");
    return { ...rowOf("table", plural(given.length, first.entity), about, given), changes: given };
  });
}

/** One row for all other writes. */
export function foldBookkeeping(changes: readonly ChangeView[]): StoryRow[] {
  const own = changes.filter(isBookkeeping);
  const row = rowOf("table", plural(own.length, "more write"), "history, counts and the like", own);
  return own.length > 0 ? [{ ...row, changes: own }] : [];
}

export function foldRuns(layer: StoryRow["layer"], runs: readonly RunView[]): StoryRow[] {
  return Object.values(Object.groupBy(runs, ({ functionName }) => functionName)).map((given = []) => {
    const busy = given.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const about = `${given.length > 1 ? `${given.length} times, ` : ""}${durationOf(busy)}`;
    return { ...rowOf(layer, given[0]?.functionName ?? "", about, given), runs: given, isBad: given.some(hasFailed) };
  });
}

/** One row for each message, or for each channel if there are many. */
export function foldMessages(messages: readonly InboxView[]): StoryRow[] {
  return Object.values(Object.groupBy(messages, ({ channel }) => channel)).flatMap((given = []) => {
    const groups = given.length > mostMessages ? [given] : given.map((each) => [each]);
    return groups.map((each) => {
      const [{ channel, person, to, subject, text }] = each as [InboxView];
      const [name, names] = channels[channel];
      const title = each.length > 1 ? `${each.length} ${names}` : `${name} to ${person?.name ?? to}`;
      const about = channel === "push" ? text : (subject ?? text);
      return { ...rowOf("message", title, about, each), messages: each };
    });
  });
}

/** One row for the users who were to get a push and got none. */
export function silentPushes(
  runs: readonly RunView[],
  sent: readonly InboxView[],
  index: Pick<ItemIndex, "person" | "hasDevice">,
): StoryRow[] {
  const due = runs.filter(({ functionName }) => functionName === "send-pushes").flatMap(duePushes);
  const pushed = new Set(sent.flatMap(({ channel, person }) => (channel === "push" && person ? [person.id] : [])));
  const silent = due.filter(({ userId }) => !pushed.has(userId));
  const groups = Object.entries(Object.groupBy(silent, ({ userId }) => (index.hasDevice(userId) ? "read" : "none")));
  return groups.map(([reason, given = []]) => {
    const names = [...new Set(given.map(({ userId }) => index.person(userId)?.name ?? `user ${userId}`))];
    const none = `${listOf(names)} ${names.length > 1 ? "have" : "has"} no device`;
    const why = reason === "none" ? none : `nothing was left to send to ${listOf(names)}`;
    return rowOf("message", `No push: ${why}`, "", given);
  });
}

function duePushes({ at, messages }: RunView): { at: number; userId: number }[] {
  return messages.flatMap(({ body }) => {
    const { userId } = (parseJson(body) ?? {}) as { userId?: unknown };
    return typeof userId === "number" ? [{ at, userId }] : [];
  });
}

const did: Readonly<Record<string, (things: string, state: string) => string>> = {
  "bulk-update-timesheets": (things, state) => (state === "paid" ? `paid ${things}` : `set ${things} back to ${state}`),
  "adjust-job-timers": (things) => `set the timer of ${things}`,
  "undo-change": (things) => `undid a change of ${things}`,
  "mark-notifications": (things) => `marked ${things}`,
};

/** A request as a sentence: who did what to how many; else the contract's summary and the caller. */
export function requestSentence(
  { kind, functionName, method, target, user }: RequestRow,
  rows: readonly StoryRow[],
): string {
  if (kind === "work") return method === "schedule" ? `${functionName} ran on its schedule` : target;
  const changed = rows.find(({ changes: [first] }) => first?.action === "changed");
  const who = user?.name;
  const say = did[functionName];
  if (say && who && changed) return `${who} ${say(changed.title, String(fieldOf(changed.changes[0])?.after))}`;
  const [summary = functionName] = operations.find(({ name }) => name === functionName)?.summary.split(", ") ?? [];
  if (!who) return summary;
  return summary.includes("the caller") ? summary.replace("the caller", who) : `${summary}, for ${who}`;
}

function fieldOf(change: ChangeView | undefined) {
  return change?.fields.find(({ name }) => /(^|\.)state$/.test(name));
}

function wayOf(change: ChangeView): string {
  const { before, after } = fieldOf(change) ?? {};
  return before && after ? `${before} → ${after}` : change.action;
}

function listOf(names: readonly string[]): string {
  const [shown, rest] = [names.slice(0, 3), names.length - 3];
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ").replace(/, ([^,]*)$/, " and $1");
}

export function hasFailed({ error, lines }: RunView): boolean {
  return Boolean(error) || lines.some(({ fields }) => fields.level === "error");
}

function rowOf(
  layer: StoryRow["layer"],
  title: string,
  about: string,
  parts: readonly { at: number; milliseconds?: number }[],
): StoryRow {
  const at = Math.min(...parts.map((each) => each.at));
  const end = Math.max(...parts.map((each) => each.at + (each.milliseconds ?? 0)));
  return { layer, title, about, at, milliseconds: end - at, isBad: false, changes: [], runs: [], messages: [] };
}
