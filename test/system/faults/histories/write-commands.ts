import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { endSession as endStored, openSession, sessionKey } from "../../../../shared/db/accounts/sessions.ts";
import { findStoredUser, giveResetToken, replacePassword } from "../../../../shared/db/accounts/users.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { transact } from "../../../../shared/db/table/transaction.ts";
import { importParts } from "../../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../../shared/db/writes/write-batches.ts";
import type { WriteContext } from "../../../../shared/db/writes/write-plans.ts";
import type { Change } from "../../../../shared/domain/records/change.ts";
import { settings } from "../../../../shared/settings.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { documentClient, updateRaw } from "../../../support/records/items.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { fc } from "../../../support/service/properties.ts";
import { commandsOf, death } from "./commands.ts";
import { statesOf } from "./expect-lists.ts";
import { expectLists } from "./expect-model.ts";
import { type Kind, kinds } from "./model.ts";
import { type Death, slots, type World } from "./world.ts";

/** Somebody other than a user; `nobody` is an engineer's hand, which leaves no name. */
type Author = "import" | "event" | "nobody";

/** The place of a record, and its writer. */
interface Writing {
  readonly kind: Kind;
  readonly slot: number;
  readonly author?: Author;
  readonly death?: Death;
}

/** A record's fields; `text` is which of three, the last longer than the history keeps. */
interface Saving extends Writing {
  readonly company?: number;
  readonly text?: number;
  readonly state?: string;
  readonly date?: string;
  readonly number?: string;
  /** True if a new record is written by a clock behind the revisions that its key has had. */
  readonly isClockBehind?: boolean;
}

const texts = ["one", "two", "three".repeat(40)] as const;
let changes = 0;

/** A change of its own, by somebody of a kind. */
function authorOf(kind: "import" | "event" | "user"): Change {
  changes += 1;
  const id = `019dfe10-0000-7000-8000-${changes.toString(16).padStart(12, "0")}`;
  const by = { import: `import#${id}`, event: `event#rota#${id}`, user: "user#7" }[kind];
  return { id, by, operation: kind, at: new Date().toISOString() };
}

/** The fields of the model, and the line that writes them. */
function lineOf({ kind, slot, company = 0, text: at = 0, ...rest }: Saving, world: World) {
  const { state = "pending", date = "2026-02-01", number = "INV-1" } = rest;
  const { base } = world;
  const id = world.idOf(kind, slot);
  const companyId = base + company;
  const text = texts[at] ?? "";
  if (kind === "JOB") {
    const industries = Array.from({ length: at === 2 ? 40 : 1 }, () => text.slice(0, 90));
    return { fields: { companyId }, line: jobLine(id, companyId, { industries }) };
  }
  if (kind === "USER") {
    const code = at === 1 && { passcode: 1234 + company };
    return { fields: {}, line: userLine(id, { first_name: text, financial_company_id: companyId, ...code }) };
  }
  if (kind === "INVOICE") {
    const invoice = { state, issued_date: date, number, company_name: text };
    return { fields: { companyId, state, date, number }, line: invoiceLine(id, companyId, invoice) };
  }
  const { driver } = timesheetLine(id, companyId);
  // Slots 0 and 1 are the driver's, 2 and 3 the admin's.
  const changes = { state, payment_state: state, date, job_title: text };
  const line = timesheetLine(id, companyId, {
    ...changes,
    driver: { ...driver, profile_id: base + Math.floor(slot / 2) },
  });
  return { fields: { companyId, state, date }, line };
}

/** An import or an event writes a whole record. */
export const save = commandsOf<Saving>(
  "save",
  async (step, world) => {
    const { kind, slot, author = "import", isClockBehind = false, death } = step;
    const { fields, line } = lineOf(step, world);
    const [id, change] = [world.idOf(kind, slot), authorOf(author === "nobody" ? "import" : author)];
    const { records, changes } = world.model;
    // A change names the revisions that it made: a clock that is set back makes them twice.
    const isBehind = isClockBehind && !records[kind].has(id) && !changes.some(({ values }) => values.has(id));
    const work = async () => {
      await write(line, { change });
      if (isBehind) await updateRaw({ ...setRevision, Key: { ...recordKey(kind, id) } });
    };
    const keep = () => world.model.save(kind, id, fields);
    await world.write(change, work, keep, isBehind ? undefined : death);
  },
  expectLists,
);

const setRevision = { UpdateExpression: "SET revision = :five", ExpressionAttributeValues: { ":five": 5 } };

/** An event writes the state of a record alone. */
export const report = commandsOf<Writing & { readonly state: string }>(
  "report",
  async ({ kind, slot, state, death }, world) => {
    const [id, change] = [world.idOf(kind, slot), authorOf("event")];
    if (!world.model.records[kind].has(id)) return;
    const line = { type: kind.toLowerCase(), id, state, ...(kind === "TIMESHEET" && { payment_state: state }) };
    const work = () => write(line, { change });
    await world.write(change, work, () => world.model.save(kind, id, { state }), death);
  },
  expectLists,
);

/** A record is removed. */
export const remove = commandsOf<Writing>(
  "remove",
  async ({ kind, slot, author = "import", death }, world) => {
    const id = world.idOf(kind, slot);
    const change = author === "nobody" ? undefined : authorOf(author);
    const work = async () => {
      await write({ type: kind.toLowerCase(), id, deleted: true }, change && { change });
      if (!change) await deleteItem(recordKey(kind, id));
    };
    const keep = () => void world.model.records[kind].delete(id);
    await world.write(change, work, keep, change && death);
  },
  expectLists,
);

/** Without a tombstone, nothing says who removed a record. */
function deleteItem(key: ReturnType<typeof recordKey>): Promise<unknown> {
  return documentClient().send(new DeleteCommand({ TableName: settings.tableName(), Key: { ...key } }));
}

/** A field is changed by hand: the revision rises, and nothing says who raised it. */
export const writeByHand = commandsOf<Writing & { readonly text?: number }>(
  "writeByHand",
  async ({ kind, slot, text = 0 }, world) => {
    const id = world.idOf(kind, slot);
    if (!world.model.records[kind].has(id)) return;
    const field = { TIMESHEET: "job_title", INVOICE: "company_name", JOB: "title", USER: "last_name" }[kind];
    const work = () =>
      updateRaw({
        Key: { ...recordKey(kind, id) },
        UpdateExpression: "SET #record.#field = :value, revision = revision + :one REMOVE #change",
        ExpressionAttributeNames: { "#record": "record", "#field": field, "#change": "change" },
        ExpressionAttributeValues: { ":value": texts[text], ":one": 1 },
      });
    await world.write(undefined, work, () => {});
  },
);

/** A user asks for a new password, or sets it. */
export const setPassword = commandsOf<{ readonly isAsked: boolean; readonly death?: Death }>(
  "setPassword",
  async ({ isAsked, death }, world) => {
    const change = authorOf("user");
    const caller = { userId: 7, role: "admin", companyId: null, sessionId: "s" } as const;
    const context = { ...callerContext(caller), change } satisfies Partial<WriteContext>;
    const work = async () => {
      const stored = await findStoredUser(world.idOf("USER", 0));
      if (stored && isAsked) await transact([giveResetToken(stored, "reset", context)]);
      if (stored?.reset_hash === undefined || isAsked) return;
      await transact(replacePassword(stored, { passwordHash: "hash", names: {} }, context));
    };
    await world.write(change, work, () => {}, death);
  },
);

/** A user ends a session. */
export const endSession = commandsOf<{ readonly death?: Death }>("endSession", async ({ death }, world) => {
  const [id, change] = [world.idOf("USER", 0), authorOf("user")];
  const family = `zz-${change.id}`;
  await openSession(id, family, "seed", 0, new Date());
  await world.watch(sessionKey(id, family));
  await world.write(
    change,
    () => endStored(id, family, change),
    () => {},
    death,
  );
});

/** An import writes many records at once, half of them in shared transactions. */
export const importMany = commandsOf<{ readonly lines: readonly (Saving & { readonly isRemoved: boolean })[] }>(
  "importMany",
  async ({ lines }, world) => {
    const change = authorOf("import");
    const commit = createWriteBatches(importParts);
    const work = () =>
      Promise.all(
        lines.map(({ isRemoved, ...step }, at) => {
          const type = step.kind.toLowerCase();
          const removal = { type, id: world.idOf(step.kind, step.slot), deleted: true };
          return write(isRemoved ? removal : lineOf(step, world).line, { change, ...(at % 2 === 0 && { commit }) });
        }),
      );
    const keep = () => {
      for (const { isRemoved, ...step } of lines) {
        const id = world.idOf(step.kind, step.slot);
        if (isRemoved) world.model.records[step.kind].delete(id);
        else world.model.save(step.kind, id, lineOf(step, world).fields);
      }
    };
    await world.write(change, work, keep);
  },
  expectLists,
);

/** Stores the first timesheets and jobs. */
export async function begin(world: World): Promise<void> {
  const first = [0, 1, 2, 3].map((slot) => ({ kind: "TIMESHEET", slot, isRemoved: false }) as const);
  const jobs = [0, 1].map((slot) => ({ kind: "JOB", slot, isRemoved: false }) as const);
  await importMany({ lines: [...first, ...jobs] }).run(world.model, world);
}

const kind = fc.constantFrom<Kind>(...kinds, "INVOICE");
const place = { kind, slot: fc.nat({ max: 3 }) };
const author = fc.constantFrom<Author>("import", "import", "event");
const saving = fc.record({
  ...place,
  company: fc.constantFrom(0, 0, 0, 1),
  text: fc.nat({ max: 2 }),
  date: fc.constantFrom("2026-01-31", "2026-02-01", "2026-02-28"),
  number: fc.constantFrom("INV-1", "INV-2", "B 7"),
});
const stateOf = (kind: Kind) => fc.constantFrom(...statesOf[kind === "INVOICE" ? "INVOICES" : "TIMESHEETS"]);
const savingWithState = saving.chain((step) => stateOf(step.kind).map((state) => ({ ...step, state })));

/** Writes by imports, events and hands. */
export const writeCommands = [
  {
    weight: 5,
    arbitrary: fc
      .tuple(savingWithState, fc.record({ author, isClockBehind: fc.boolean(), death }))
      .map(([step, rest]) => save({ ...step, ...rest })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<Kind>("INVOICE", "TIMESHEET")
      .chain((of) => fc.record({ kind: fc.constant(of), slot: fc.nat({ max: 3 }), state: stateOf(of), death }))
      .map(report),
  },
  {
    weight: 2,
    arbitrary: fc.record({ ...place, author: fc.constantFrom<Author>("import", "event", "nobody"), death }).map(remove),
  },
  { weight: 2, arbitrary: fc.record({ ...place, text: fc.nat({ max: 2 }) }).map(writeByHand) },
  { weight: 1, arbitrary: fc.record({ isAsked: fc.boolean(), death }).map(setPassword) },
  { weight: 1, arbitrary: fc.record({ death }).map(endSession) },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(
        fc.tuple(savingWithState, fc.integer({ min: 0, max: 3 })).map(([s, n]) => ({ ...s, isRemoved: n === 0 })),
        { minLength: 2, maxLength: 9, selector: (step) => `${step.kind} ${step.slot % slots[step.kind]}` },
      )
      .map((lines) => importMany({ lines })),
  },
];
