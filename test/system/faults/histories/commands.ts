import { keepHistory } from "../../../../functions/workers/write-history.ts";
import type { StreamRecord } from "../../../../shared/table/entity.ts";
import {
  adjust as adjustTimers,
  mark as payTimesheets,
  undo as undoChange,
} from "../../../support/requests/changes.ts";
import { fc } from "../../../support/service/properties.ts";
import { death, defineCommand } from "./command.ts";
import { expectLists } from "./expect-model.ts";
import { type Death, killAt, timerState, type World } from "./world.ts";

const who = fc.nat({ max: 3 });
const slots = (max: number) => fc.uniqueArray(fc.nat({ max }), { minLength: 1, maxLength: max + 1 });
const state = fc.constantFrom("paid" as const, "pending" as const);

/** Somebody marks timesheets as paid or pending. */
export const pay = defineCommand(
  "pay",
  5,
  { who, slots: slots(3), state, isKeyed: fc.boolean(), death },
  async ({ who = 0, slots = [], state = "paid", isKeyed = true, death }, world) => {
    const as = world.person(who);
    const ids = slots.map((slot) => world.idOf("TIMESHEET", slot));
    const sent = isKeyed ? { key: crypto.randomUUID() } : {};
    const send = () => payTimesheets(as, ids, state, sent);
    const expected = () => world.model.set("TIMESHEET", as, ids, state);
    await world.ask({ as, isKeyed, send, expected, shows: { kind: "TIMESHEET", ids } }, death);
  },
  expectLists,
);

/** The admin sets the timer of jobs. */
export const adjust = defineCommand(
  "adjust",
  2,
  { slots: slots(1), timer: fc.constantFrom<number>(0, 60, 600), death },
  async ({ slots = [], timer = 0, death }, world) => {
    const as = world.person(1);
    const ids = slots.map((slot) => world.idOf("JOB", slot));
    const key = crypto.randomUUID();
    const send = () => adjustTimers(as, ids, timer, { key });
    const expected = () => world.model.set("JOB", as, ids, timerState(timer, Date.now()));
    await world.ask({ as, isKeyed: true, send, expected, shows: { kind: "JOB", ids } }, death);
  },
);

/** Somebody undoes the latest change, or one before it. */
export const undo = defineCommand(
  "undo",
  6,
  { who, pick: fc.nat({ max: 2 }), death },
  async ({ who = 0, pick = 0, death }, world) => {
    const as = world.person(who);
    const undone = world.model.changes.at(-1 - pick);
    if (!undone) return;
    const key = crypto.randomUUID();
    const send = () => undoChange(as, undone.id, { key });
    await world.ask({ as, isKeyed: true, send, expected: () => world.model.undo(undone, as) }, death);
  },
  expectLists,
  ({ pick = 0 }, { changes }) => changes.length > pick,
);

/** A request comes again. */
export const repeat = defineCommand("repeat", 1, { pick: fc.nat({ max: 30 }) }, async ({ pick = 0 }, world) => {
  const request = world.requests[pick % world.requests.length];
  if (request) await world.repeat(request);
});

/** The stream reaches its consumer that notifies. */
export const stream = defineCommand("stream", 3, {}, (_, world) => world.stream());

/** A consumer keeps the history of changes, perhaps beside others; a new mapping begins at the start of the log. */
export const read = defineCommand(
  "read",
  3,
  {
    tenth: fc.nat({ max: 9 }),
    changes: fc.integer({ min: 1, max: 12 }),
    shards: fc.integer({ min: 1, max: 3 }),
    batch: fc.integer({ min: 1, max: 6 }),
    isAwaited: fc.boolean(),
    death,
  },
  async ({ tenth = 0, changes = 1, shards = 1, batch = 1, isAwaited, death }, world) => {
    const start = Math.floor((world.log.length * tenth) / 10);
    const reading = readChanges(world.log.slice(start, start + changes), shards, batch, death);
    world.readings.push(reading);
    if (isAwaited) await reading;
  },
);

/** Reads changes as a mapping does, those of a record in one shard; gives those that it was killed at and after. */
async function readChanges(changes: readonly StreamRecord[], shards: number, batch: number, death?: Death) {
  const left = Array.from({ length: shards }, async (_, nth) => {
    const shard = changes.filter(({ key }) => Number(key.pk.split("#")[1]) % shards === nth);
    for (let at = 0; at < shard.length; at += batch) {
      if (await killAt(death, () => keepHistory(shard.slice(at, at + batch)))) return shard.slice(at);
    }
    return [];
  });
  return (await Promise.all(left)).flat();
}

/** The rest of what killed consumers left comes again, and every change from the start, to two consumers. */
export async function endReadings({ log, readings }: World): Promise<void> {
  const again = readings.map(async (reading) => readChanges(await reading, 1, 100));
  await Promise.all([...again, readChanges(log, 1, 4), readChanges(log, 2, 100)]);
}
