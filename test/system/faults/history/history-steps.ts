import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { findStoredUser, giveResetToken, replacePassword } from "../../../../shared/db/accounts/users.ts";
import { setJobTimers } from "../../../../shared/db/records/jobs.ts";
import { setTimesheetStates } from "../../../../shared/db/records/timesheets.ts";
import { type RecordKind, recordKey } from "../../../../shared/db/table/item-keys.ts";
import type { Item, Key } from "../../../../shared/db/table/table.ts";
import { transact } from "../../../../shared/db/table/transaction.ts";
import type { Change } from "../../../../shared/domain/records/change.ts";
import { settings } from "../../../../shared/settings.ts";
import type { CrashMoment } from "../../../support/faults/crash.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { documentClient } from "../../../support/records/items.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { fc } from "../../../support/service/properties.ts";

/** The kinds of record that histories are about. */
export const kinds = ["TIMESHEET", "INVOICE", "JOB", "USER"] as const satisfies readonly RecordKind[];

/** One of them. */
export type Kind = (typeof kinds)[number];

const place = { kind: fc.constantFrom(...kinds) };
/** At which call and on which side of it work is killed. */
export const death = {
  crashAt: fc.integer({ min: 1, max: 6 }),
  moment: fc.constantFrom<CrashMoment>("before", "after"),
};
/** Who makes a change. */
const author = fc.constantFrom("import" as const, "import" as const, "event" as const);
/** Who removes a record; `nobody` is an engineer's hand, which says nothing of itself. */
const remover = fc.constantFrom("import" as const, "event" as const, "nobody" as const);
/** Values of a field; the third is longer than the history keeps. */
const value = fc.nat({ max: 2 });

/** What changes a record, or ends a session. */
export const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("save" as const),
      ...place,
      author,
      value,
      company: fc.nat({ max: 1 }),
      ...death,
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("remove" as const), ...place, author: remover, ...death }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("change by hand" as const), ...place, value, ...death }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("set clock back" as const), ...place, ...death }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("act" as const), ...place, value, ...death }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("end session" as const), ...death }) },
);

/** One change. */
export type ChangeStep = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** How a change is made. */
export interface Plan {
  readonly work: () => Promise<unknown>;
  readonly author: Change | undefined;
  /** True where it cannot be killed in its midst. */
  readonly isWhole?: boolean;
}

/** How a change of a record is made; undefined where there is nothing to change. */
export function planOf(
  each: Exclude<ChangeStep, { does: "end session" }>,
  id: number,
  stored: Item | undefined,
): Plan | undefined {
  const { kind } = each;
  const type = kind.toLowerCase();
  switch (each.does) {
    case "save":
      return by(authorOf(each.author), (change) => write(lineOf(kind, id, each.value, each.company), { change }));
    case "remove":
      if (each.author === "nobody") return { author: undefined, work: () => removeByHand(recordKey(kind, id)) };
      return by(authorOf(each.author), (change) => write({ type, id, deleted: true }, { change }));
    case "change by hand":
      return stored && { author: undefined, work: () => changeByHand(recordKey(kind, id), each.value) };
    case "set clock back":
      if (stored) return undefined;
      return { ...by(authorOf("import"), (change) => writeBehind(kind, id, change)), isWhole: true };
    case "act":
      return stored && by(authorOf("user"), (change) => act(kind, id, each.value, change));
  }
}

function by(author: Change, work: (change: Change) => Promise<unknown>): Plan {
  return { author, work: () => work(author) };
}

let changes = 0;

/** A change of its own, by somebody of a kind. */
export function authorOf(kind: "import" | "event" | "user"): Change {
  changes += 1;
  const id = `019dfe10-0000-7000-8000-${changes.toString(16).padStart(12, "0")}`;
  const by = { import: `import#${id}`, event: `event#rota#${id}`, user: "user#7" }[kind];
  return { id, by, operation: kind, at: new Date(changes * 1_000).toISOString() };
}

const texts = ["one", "two", "three".repeat(40)] as const;

function lineOf(kind: Kind, id: number, at: number, company: number): { readonly type: string; readonly id: number } {
  const text = texts[at] ?? "";
  const companyId = id - (id % 10) + company;
  const long = Array.from({ length: at === 2 ? 40 : 1 }, () => text.slice(0, 90));
  if (kind === "TIMESHEET") return timesheetLine(id, companyId, { job_title: text });
  if (kind === "INVOICE") return invoiceLine(id, companyId, { company_name: text });
  if (kind === "JOB") return jobLine(id, companyId, { industries: long });
  return userLine(id, {
    first_name: text,
    financial_company_id: companyId,
    ...(at === 1 && { passcode: 1234 + company }),
  });
}

/** The revision rises, and nothing says who raised it. */
async function changeByHand(key: Key, at: number): Promise<void> {
  const field = { TIMESHEET: "job_title", INVOICE: "company_name", JOB: "title", USER: "last_name" }[key.sk];
  const update = new UpdateCommand({
    TableName: settings.tableName(),
    Key: { ...key },
    UpdateExpression: "SET #record.#field = :value, revision = revision + :one REMOVE #change",
    ExpressionAttributeNames: { "#record": "record", "#field": field ?? "", "#change": "change" },
    ExpressionAttributeValues: { ":value": texts[at], ":one": 1 },
  });
  await documentClient().send(update);
}

async function removeByHand(key: Key): Promise<void> {
  await documentClient().send(new DeleteCommand({ TableName: settings.tableName(), Key: { ...key } }));
}

/** Writes a new record by a clock that is behind the revisions that its key has had. */
async function writeBehind(kind: Kind, id: number, change: Change): Promise<void> {
  await write(lineOf(kind, id, 0, 0), { change });
  const update = new UpdateCommand({
    TableName: settings.tableName(),
    Key: { ...recordKey(kind, id) },
    UpdateExpression: "SET revision = :five",
    ExpressionAttributeValues: { ":five": 5 },
  });
  await documentClient().send(update);
}

/** What a user does: of an invoice a line of an event represents it. */
async function act(kind: Kind, id: number, at: number, change: Change): Promise<unknown> {
  const caller = { userId: 7, role: "admin", companyId: null, sessionId: "s" } as const;
  const context = { ...callerContext(caller), change: Promise.resolve(change) };
  if (kind === "TIMESHEET") return setTimesheetStates([id], "all", at === 0 ? "pending" : "paid", context);
  const timer = { timer: at, timer_expires_at: at === 0 ? null : new Date(at * 1_000).toISOString() };
  if (kind === "JOB") return setJobTimers([id], "all", timer, context);
  if (kind === "INVOICE") return write({ type: "invoice", id, state: at === 0 ? "pending" : "paid" }, { change });
  const stored = await findStoredUser(id);
  if (stored && at === 0) return transact([giveResetToken(stored, "reset", { ...context, change })]);
  if (stored?.reset_hash === undefined) return undefined;
  return transact(replacePassword(stored, { passwordHash: "hash", names: {} }, { ...context, change }));
}
