import { endSessionFamily as endStored, openSession, sessionKey } from "../../../../shared/people/sessions.ts";
import { findStoredUser, giveResetToken, replacePassword } from "../../../../shared/people/users.ts";
import type { Change } from "../../../../shared/run/change.ts";
import { importParts } from "../../../../shared/table/counters.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { createWriteBatches } from "../../../../shared/table/write-batches.ts";
import { deleteItemAt, transact } from "../../../../shared/table/writes.ts";
import { updateRaw } from "../../../support/records/items.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { fc } from "../../../support/service/properties.ts";
import { death, defineCommand } from "./command.ts";
import { type Kind, kinds } from "./expect-history.ts";
import { expectLists, statesOf } from "./expect-model.ts";

/** Somebody other than a user; `nobody` is an engineer's hand, which leaves no name. */
type Author = "import" | "event" | "nobody";

const place = { kind: fc.constantFrom<Kind>(...kinds, "INVOICE"), slot: fc.nat({ max: 3 }) };
/** One of two. */
const text = fc.nat({ max: 1 });
const author = fc.constantFrom<Author>("import", "import", "event");

const texts = ["one", "two"] as const;
let changes = 0;

/** A change of its own, by somebody of a kind. */
function authorOf(kind: "import" | "event" | "user"): Change {
  changes += 1;
  const id = `019dfe10-0000-7000-8000-${changes.toString(16).padStart(12, "0")}`;
  const by = { import: `import#${id}`, event: `event#rota#${id}`, user: "user#7" }[kind];
  return { id, by, operation: kind, at: new Date().toISOString() };
}

const dates = ["2026-01-31", "2026-02-01", "2026-02-28"] as const;

/** A record's fields; of its kind, some are left out. */
const saved = {
  ...place,
  company: fc.constantFrom<number>(0, 0, 0, 1),
  text,
  invoiceState: fc.constantFrom(...statesOf.INVOICES),
  state: fc.constantFrom(...statesOf.TIMESHEETS),
  date: fc.constantFrom(...dates),
  number: fc.constantFrom("INV-1", "INV-2", "B 7"),
};
type Saved = { readonly [K in keyof typeof saved]?: (typeof saved)[K] extends fc.Arbitrary<infer T> ? T : never };

/** The fields of the model, and the line that writes them. */
function lineOf(id: number, { kind, slot = 0, company = 0, text = 0, ...rest }: Saved, base: number) {
  const { state = "pending", invoiceState = "pending", date = "2026-02-01", number = "INV-1" } = rest;
  const companyId = base + company;
  const title = texts[text] ?? "";
  if (kind === "JOB") {
    return { fields: { companyId }, line: jobLine(id, companyId, { industries: [title] }) };
  }
  if (kind === "USER") {
    const code = text === 1 && { passcode: 1234 + company };
    return { fields: {}, line: userLine(id, { first_name: title, financial_company_id: companyId, ...code }) };
  }
  const fields = { companyId, date, state: kind === "INVOICE" ? invoiceState : state, number };
  if (kind === "INVOICE") {
    const invoice = { state: invoiceState, issued_date: date, number, company_name: title };
    return { fields, line: invoiceLine(id, companyId, invoice) };
  }
  // Slots 0 and 1 are the driver's, 2 and 3 the admin's.
  const driver = { ...timesheetLine(id, companyId).driver, profile_id: base + Math.floor(slot / 2) };
  const timesheet = { state, payment_state: state, date, job_title: title, driver };
  return { fields, line: timesheetLine(id, companyId, timesheet) };
}

const setRevision = { UpdateExpression: "SET revision = :five", ExpressionAttributeValues: { ":five": 5 } };

/** An import or an event writes a whole record, a new one perhaps by a clock behind the revisions that its key has had. */
export const save = defineCommand(
  "save",
  5,
  { ...saved, author, isClockBehind: fc.boolean(), death },
  async ({ author = "import", isClockBehind = false, death, ...fields }, world) => {
    const { kind = "TIMESHEET", slot = 0 } = fields;
    const id = world.idOf(kind, slot);
    const saving = lineOf(id, { ...fields, kind }, world.base);
    const change = authorOf(author === "event" ? "event" : "import");
    const { records, changes } = world.model;
    // A change names the revisions that it made: a clock that is set back makes them twice.
    const isBehind = isClockBehind && !records[kind].has(id) && !changes.some(({ values }) => values.has(id));
    const work = async () => {
      await write(saving.line, { change });
      if (isBehind) await updateRaw({ ...setRevision, Key: { ...recordKey(kind, id) } });
    };
    await world.write(change, work, () => world.model.save(kind, id, saving.fields), isBehind ? undefined : death);
  },
  expectLists,
);

/** An import writes all records of a kind in shared transactions, each with other fields. */
export const importAll = defineCommand(
  "importAll",
  2,
  { ...saved, slot: fc.nat({ max: 9 }), death },
  async ({ kind = "TIMESHEET", slot: first = 0, death, ...fields }, world) => {
    const change = authorOf("import");
    const all = world.idsOf(kind).map((id, slot) => {
      const at = first + slot;
      const others = { company: at % 2, date: dates[at % 3], state: statesOf.TIMESHEETS[at % 2] } as const;
      return { id, ...lineOf(id, { ...fields, ...others, kind, slot }, world.base) };
    });
    const work = () => {
      const commit = createWriteBatches(importParts);
      return Promise.all(all.map(({ line }) => write(line, { change, commit })));
    };
    const keep = () => {
      for (const { id, fields } of all) world.model.save(kind, id, fields);
    };
    await world.write(change, work, keep, death);
  },
  expectLists,
);

/** A record is removed. */
export const remove = defineCommand(
  "remove",
  2,
  { ...place, author: fc.constantFrom<Author>("import", "event", "nobody"), death },
  async ({ kind = "TIMESHEET", slot = 0, author = "import", death }, world) => {
    const id = world.idOf(kind, slot);
    const change = author === "nobody" ? undefined : authorOf(author);
    const key = recordKey(kind, id);
    const work = async () => {
      await write({ type: kind.toLowerCase(), id, deleted: true }, change && { change });
      // Without a tombstone, nothing says who removed it.
      if (!change) await deleteItemAt(key);
    };
    await world.write(change, work, () => void world.model.records[kind].delete(id), change && death);
  },
  expectLists,
);

/** A field is changed by hand: the revision rises, and nothing says who raised it. */
export const writeByHand = defineCommand(
  "writeByHand",
  2,
  { ...place, text },
  async ({ kind = "TIMESHEET", slot = 0, text = 0 }, world) => {
    const id = world.idOf(kind, slot);
    if (!world.model.records[kind].has(id)) return;
    const field = { TIMESHEET: "job_title", INVOICE: "company_name", JOB: "title", USER: "last_name" }[kind];
    const update = {
      Key: { ...recordKey(kind, id) },
      UpdateExpression: "SET #record.#field = :value, revision = revision + :one REMOVE #change",
      ExpressionAttributeNames: { "#record": "record", "#field": field, "#change": "change" },
      ExpressionAttributeValues: { ":value": texts[text], ":one": 1 },
    };
    await world.write(undefined, () => updateRaw(update));
  },
);

/** A user asks for a new password, or sets it. */
export const setPassword = defineCommand(
  "setPassword",
  1,
  { isAsked: fc.boolean(), death },
  async ({ isAsked, death }, world) => {
    const change = authorOf("user");
    const context = { now: new Date(), change };
    const work = async () => {
      const stored = await findStoredUser(world.idOf("USER", 0));
      if (stored && isAsked) await transact([giveResetToken(stored, "reset", context)]);
      if (stored?.reset_hash === undefined || isAsked) return;
      await transact(replacePassword(stored, { passwordHash: "hash", endedKeys: 0, names: {} }, context));
    };
    await world.write(change, work, undefined, death);
  },
);

/** A user ends a session. */
export const endSession = defineCommand("endSession", 1, { death }, async ({ death }, world) => {
  const [id, change] = [world.idOf("USER", 0), authorOf("user")];
  const family = `zz-${change.id}`;
  await openSession(id, family, "seed", 0, new Date());
  await world.watch(sessionKey(id, family));
  await world.write(change, () => endStored(id, family, change), undefined, death);
});
