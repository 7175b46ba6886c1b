import { isDeepStrictEqual } from "node:util";
import { lastChangeOf } from "../../../shared/table/table.ts";
import { guardedPartitions } from "../../functions/function-row.ts";
import { functions } from "../../functions/functions.ts";
import { type ItemIndex, kindOf, titleOf } from "./item-index.ts";
import { maskValue } from "./mask.ts";
import {
  type History,
  linesAbout,
  type PastCall,
  type PastChange,
  type PastRequest,
  type PastRun,
} from "./past-calls.ts";
import {
  foldBookkeeping,
  foldChanges,
  foldMessages,
  foldRuns,
  hasFailed,
  requestSentence,
  silentPushes,
} from "./story-rows.ts";
import type { ChangeView, InboxView, RequestRow, RunView, StoryView } from "./views.ts";

export interface StorySources {
  history: Pick<History, "requests" | "runs" | "changes">;
  index: Pick<ItemIndex, "person" | "hasDevice">;
  messages: readonly InboxView[];
}

/** The longest time between a write and the moment it is seen. */
const seenWithinMilliseconds = 250;

/** Requests, and work that no request led to, newest first. */
export function requestRows({ history, index }: Pick<StorySources, "history" | "index">): RequestRow[] {
  const failed = new Set(
    history.runs.flatMap((run) => [...run.requestIds].filter((id) => hasFailed(viewRun(run, id)))),
  );
  const rows = [
    ...history.requests.map((each) => requestRow(each, failed.has(each.id), index)),
    ...history.runs.flatMap(workRows),
  ];
  return rows.sort((one, other) => other.at - one.at);
}

/** A request with everything that followed from it; undefined if the history does not have it. */
export function storyOf(id: string, sources: StorySources): StoryView | undefined {
  const { history, index } = sources;
  const past = history.requests.find((each) => each.id === id);
  const row = requestRows(sources).find((each) => each.id === id);
  if (!row) return undefined;
  const runs = history.runs.filter(({ requestIds }) => requestIds.has(id));
  const changes = history.changes.flatMap((change) => viewChange(change, id, past ? [past, ...runs] : runs));
  const mentioned = foldChanges(changes);
  const work = runs.map((run) => viewRun(run, id));
  const sent = sentBy(runs, id, sources.messages);
  const rows = [...mentioned, ...foldRuns("worker", work), ...foldMessages(sent), ...silentPushes(work, sent, index)];
  return {
    row,
    title: requestSentence(row, mentioned),
    event: past?.event ?? null,
    answer: past?.answer ?? null,
    unsendable: past?.isPartial
      ? "It held a secret or bytes that are no text, which are not kept, or was too long to keep."
      : null,
    rows: [
      ...(past ? foldRuns("request", [viewRun(past, id)]) : []),
      ...rows.sort((one, other) => one.at - other.at),
      ...foldBookkeeping(changes),
    ],
  };
}

function requestRow(past: PastRequest, hasFailedWork: boolean, index: StorySources["index"]): RequestRow {
  const { event: _, answer, isPartial, lines, error, messages, eventIds, bearer, ...row } = past;
  const isBad = row.status >= 500 || hasFailedWork;
  const logged = lines.map(({ fields }) => fields.user_id).find((each) => typeof each === "number");
  // Code that did not run logged nobody, and refused nobody.
  const userId = logged ?? (error === null ? null : bearer);
  if (typeof userId !== "number") return { ...row, isBad, user: null };
  const { name = `User ${userId}`, logins: [login = ""] = [] } = index.person(userId) ?? {};
  return { ...row, isBad, user: { id: userId, name, login } };
}

/** A row for work without a request: a call of a schedule, or messages that name no request. */
function workRows(run: PastRun): RequestRow[] {
  const { at, functionName, milliseconds, records, messages } = run;
  const base = { at, kind: "work", method: "event", functionName, milliseconds, user: null } as const;
  const rowOf = (id: string) => {
    const code = linesAbout(run.lines, id).map(
      ({ fields }) => fields.code ?? (fields.level === "error" ? "fault" : undefined),
    );
    const failure = code.find((each) => each !== undefined) ?? (run.error && "fault");
    return { id, status: failure ? 500 : 200, code: failure ? String(failure) : null, isBad: Boolean(failure) };
  };
  const own = messages.filter(({ id, requestId, attempt }) => id === requestId && attempt === 1);
  if (own.length > 0) return own.map(({ id, title }) => ({ ...base, ...rowOf(id), target: title }));
  const [id] = run.requestIds;
  if (records !== undefined || id === undefined) return [];
  return [{ ...base, ...rowOf(id), method: "schedule", target: functionName }];
}

/** A call's part in a request. */
function viewRun({ at, functionName, milliseconds, error, ...run }: PastCall, id: string): RunView {
  const messages = run.messages.filter(({ requestId }) => requestId === id);
  return { at, functionName, milliseconds, error, lines: linesAbout(run.lines, id), messages };
}

/**
 * The change, if it names the request, or if it names none and the request's work may have written it, by time and
 * rights.
 */
function viewChange(change: PastChange, id: string, work: readonly PastCall[]): ChangeView[] {
  const { requestId, key, before, after } = change;
  const isNamed = requestId !== undefined;
  if (isNamed ? requestId !== id : !work.some((each) => mayHaveWritten(each, change))) return [];
  // A tombstone was renewed or has expired: no record changed.
  const item = after ?? before;
  if (!item) return [];
  const action = before ? (after ? "changed" : "removed") : "new";
  const name = `${key.pk} ${key.sk}`;
  const fields = changedFields(before, after);
  const time = timeOf(change, work);
  return [{ ...time, entity: kindOf(key), title: titleOf(item) || name, key: name, action, fields, isNamed }];
}

/**
 * The time within which a change was written: from when it was asked for to the end of the one call that may have
 * written it. If there is no such call, the moment at which it was seen.
 */
function timeOf(change: PastChange, work: readonly PastCall[]) {
  const stamp = change.removedBy ?? lastChangeOf(change.after);
  const reads = ({ eventIds }: PastCall) => eventIds.has(change.eventId);
  // The stream delivers a change a moment after it was written. Consumers may have begun before the desk sees it.
  const seen = Math.min(change.at, ...work.filter(reads).map(({ at }) => at));
  const writers = work.filter((each) => {
    const mayBe = stamp?.operation ? each.functionName === stamp.operation : mayHaveWritten(each, change);
    return mayBe && each.at <= seen && !reads(each);
  });
  const [writer] = writers;
  if (writers.length !== 1 || !writer) return { at: seen, milliseconds: 0 };
  const until = Math.min(seen, writer.at + writer.milliseconds);
  const at = Math.min(until, Date.parse(stamp?.at ?? "") || writer.at);
  return { at, milliseconds: until - at };
}

const writes = new Set(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"]);

function mayHaveWritten({ at, milliseconds, functionName }: PastCall, change: PastChange): boolean {
  const isMeanwhile = change.at >= at && change.at <= at + milliseconds + seenWithinMilliseconds;
  const row = Object.entries(functions).find(([name]) => name === functionName)?.[1];
  const partition = guardedPartitions.find((start) => change.key.pk.startsWith(start));
  const mayReach = partition === undefined || row?.guarded?.includes(partition);
  return isMeanwhile && Boolean(mayReach) && Boolean(row?.table?.some((action) => writes.has(action)));
}

function sentBy(runs: readonly PastRun[], id: string, messages: readonly InboxView[]): InboxView[] {
  const fields = { email: "emails", sms: "sms", push: "pushes", event: "events" } as const;
  const sentIn = (run: PastRun) => {
    const counts: Record<string, unknown> = Object.assign({}, ...linesAbout(run.lines, id).map((line) => line.fields));
    return messages.filter(({ channel, at }) => {
      const isMeanwhile = at >= Math.floor(run.at) && at <= run.at + run.milliseconds + 1;
      return isMeanwhile && counts[fields[channel]] !== undefined;
    });
  };
  return [...new Set(runs.flatMap(sentIn))];
}

const unsaid = new Set(["pk", "sk", "change", "schema_version"]);

function changedFields(before: object | undefined, after: object | undefined): ChangeView["fields"] {
  const [old, now] = [flat(before), flat(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => !isDeepStrictEqual(old.get(name), now.get(name)));
  return changed.map((name) => ({ name, before: old.get(name) ?? null, after: now.get(name) ?? null }));
}

function flat(item: object = {}): Map<string, unknown> {
  const entries = Object.entries(maskValue(item) as object).filter(([name]) => !unsaid.has(name));
  return new Map(
    entries.flatMap(([name, value]) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, value]];
      return Object.entries(value).map(([inner, each]): [string, unknown] => [`${name}.${inner}`, each]);
    }),
  );
}
