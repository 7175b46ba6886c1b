import { isDeepStrictEqual } from "node:util";
import { entityOf } from "../../../shared/db/entities.ts";
import { guardedPartitions } from "../../functions/function-row.ts";
import { functions } from "../../functions/functions.ts";
import type { LogLine } from "../log-lines.ts";
import { maskValue } from "./mask.ts";
import type { History, PastChange, PastRequest, PastRun } from "./past-calls.ts";
import { linesAbout } from "./past-lines.ts";
import type { FieldChange, InboxView, LogView, Person, RequestRow, Step, StoryView } from "./views.ts";

/** The sources of a story. */
export interface StorySources {
  history: Pick<History, "requests" | "runs" | "changes" | "mayLackChangesFrom">;
  people: readonly Person[];
  messages: readonly InboxView[];
}

/** The longest time between a write and the moment it is seen. */
const seenWithinMilliseconds = 250;

/** Requests, and work that no request led to, newest first. */
export function requestRows({ history, people }: Pick<StorySources, "history" | "people">): RequestRow[] {
  const rows = [...history.requests.map((each) => requestRow(each, people)), ...history.runs.flatMap(workRows)];
  return rows.sort((one, other) => other.at - one.at);
}

/** A request with everything that followed from it; undefined if the history does not have it. */
export function storyOf(id: string, sources: StorySources): StoryView | undefined {
  const { history } = sources;
  const past = history.requests.find((each) => each.id === id);
  const row = requestRows(sources).find((each) => each.id === id);
  if (!row) return undefined;
  const runs = history.runs.filter(({ requestIds }) => requestIds.has(id));
  const steps = [
    ...history.changes.flatMap((change) => changeStep(change, id, past ? [past, ...runs] : runs)),
    ...runs.map((run) => runStep(run, id)),
    ...sentBy(runs, id, sources.messages),
  ];
  return {
    row,
    request: past ? { headers: past.event.headers as Record<string, string>, body: bodyOf(past) } : null,
    answer: past?.answer ?? null,
    event: past?.event ?? null,
    unsendable: past?.isPartial
      ? "It held a secret or bytes that are no text, which are not kept, or was too long to keep."
      : null,
    lines: past ? past.lines.map(viewLine) : [],
    error: past?.error ?? null,
    steps: steps.sort((one, other) => one.at - other.at),
    mayLackChanges: history.mayLackChangesFrom(row.at),
  };
}

/** The body as text. Only text is kept in an encoded form. */
function bodyOf({ event: { body, isBase64Encoded } }: PastRequest): string | null {
  if (body === undefined) return null;
  return isBase64Encoded ? Buffer.from(body, "base64").toString() : body;
}

function requestRow(past: PastRequest, people: readonly Person[]): RequestRow {
  const { id, at, target, status, code = null, functionName, milliseconds, event } = past;
  const userId = past.lines.map(({ fields }) => fields.user_id).find((each) => typeof each === "number");
  const person = people.find((each) => each.id === userId);
  const user =
    typeof userId === "number" ? { id: userId, name: person?.name ?? "", login: person?.logins[0] ?? "" } : null;
  const { method } = event.requestContext.http;
  return { id, at, kind: "request", method, target, status, code, functionName, milliseconds, user };
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
    return { id, status: failure ? 500 : 200, code: failure ? String(failure) : null };
  };
  const own = messages.filter(({ id, requestId, attempt }) => id === requestId && attempt === 1);
  if (own.length > 0) return own.map(({ id, title }) => ({ ...base, ...rowOf(id), target: title }));
  const [id] = run.requestIds;
  if (records !== undefined || id === undefined) return [];
  return [{ ...base, ...rowOf(id), method: "schedule", target: functionName }];
}

function runStep(run: PastRun, id: string): Step {
  const { at, functionName, milliseconds, error = null } = run;
  const lines = linesAbout(run.lines, id).map(viewLine);
  const messages = run.messages.filter(({ requestId }) => requestId === id);
  return { kind: "run", at, functionName, milliseconds, error, lines, messages };
}

type PieceOfWork = Pick<PastRun, "at" | "functionName" | "milliseconds"> & Partial<Pick<PastRun, "eventIds">>;

/**
 * The change, if it names the request, or if it names none and the request's work may have written it, by time and
 * rights.
 */
function changeStep(change: PastChange, id: string, work: readonly PieceOfWork[]): Step[] {
  const { at, requestId, key, before, after } = change;
  const isNamed = requestId !== undefined;
  if (isNamed ? requestId !== id : !work.some((each) => mayHaveWritten(each, change))) return [];
  // A tombstone was renewed or has expired: no record changed.
  if (!before && !after) return [];
  const entity = entityOf(key)?.name ?? "item";
  const action = before ? (after ? "update" : "remove") : "insert";
  // The change is seen a moment after it was written. Consumers of the stream may have begun by then.
  const consumers = work.filter(({ eventIds }) => eventIds?.has(change.eventId));
  const seen = Math.min(at, ...consumers.map((each) => each.at));
  const fields = changedFields(before, after);
  return [{ kind: "change", at: seen, entity, key: `${key.pk} ${key.sk}`, action, fields, isNamed }];
}

const writes = new Set(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"]);

function mayHaveWritten({ at, milliseconds, functionName }: PieceOfWork, change: PastChange): boolean {
  const isMeanwhile = change.at >= at && change.at <= at + milliseconds + seenWithinMilliseconds;
  const row = Object.entries(functions).find(([name]) => name === functionName)?.[1];
  const partition = guardedPartitions.find((start) => change.key.pk.startsWith(start));
  const mayReach = partition === undefined || row?.guarded?.includes(partition);
  return isMeanwhile && Boolean(mayReach) && Boolean(row?.table?.some((action) => writes.has(action)));
}

function sentBy(runs: readonly PastRun[], id: string, messages: readonly InboxView[]): Step[] {
  const sentIn = (run: PastRun) => {
    const counts = Object.assign({}, ...linesAbout(run.lines, id).map(({ fields }) => fields)) as Record<
      string,
      unknown
    >;
    const fields = { email: "emails", sms: "sms", push: "pushes" } as const;
    return messages.filter(({ channel, sentAt }) => {
      const isMeanwhile = sentAt >= Math.floor(run.at) && sentAt <= run.at + run.milliseconds + 1;
      return isMeanwhile && counts[fields[channel]] !== undefined;
    });
  };
  const sent = new Set(runs.flatMap(sentIn));
  return [...sent].map((message) => ({ kind: "message", at: message.sentAt, message }));
}

const unsaid = new Set(["pk", "sk", "change", "schema_version"]);

/** The differences between two items, one by one for fields of nested objects. */
function changedFields(before: object | undefined, after: object | undefined): FieldChange[] {
  const [old, now] = [flat(before), flat(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => !isDeepStrictEqual(old.get(name), now.get(name)));
  const textOf = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return changed.map((name) => ({ name, before: textOf(old.get(name)), after: textOf(now.get(name)) }));
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

/** A log line as the page shows it. */
function viewLine({ at, fields }: LogLine): LogView {
  const {
    level = "info",
    message = "",
    stack,
    timestamp,
    time,
    operation,
    build,
    request_id,
    request_ids,
    ...rest
  } = fields;
  return {
    at,
    level: String(level),
    text: String(message),
    fields: rest,
    stack: typeof stack === "string" ? stack : null,
  };
}
