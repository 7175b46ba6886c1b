import { afterEach, beforeEach, test, vi } from "vitest";
import type { Key } from "../../../../shared/table/table.ts";
import { scanPage } from "../../../../shared/table/table.ts";
import { deleteItemAt } from "../../../../shared/table/writes.ts";
import { callerLine, userLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { fc } from "../../../support/service/properties.ts";
import { useService } from "../../../support/service/service.ts";
import type { Command } from "./command.ts";
import { adjust, endReadings, pay, read, repeat, stream, undo } from "./commands.ts";
import { expectHistory } from "./expect-history.ts";
import { expectAllCounts, expectLists, expectUsers } from "./expect-model.ts";
import { knownHistories } from "./known-histories.ts";
import { deliver, endDeliveries, importNotification, inform, mark, markAll } from "./notification-commands.ts";
import { World } from "./world.ts";
import { endSession, importAll, remove, save, setPassword, writeByHand } from "./write-commands.ts";

const runs = usualFreshOrFull(2, 30, 500);

useService();

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-05-10T09:00:00.000Z"), toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const requests = [pay, adjust, undo, repeat, stream, read];
const writes = [save, importAll, remove, writeByHand, setPassword, endSession];
const notifications = [inform, deliver, mark, markAll, importNotification];
const all = [...requests, ...writes, ...notifications].map(({ weighted }) => weighted);
/** Timesheets and jobs are there from the start. */
const first = [...[0, 1, 2, 3].map((slot) => save({ slot })), ...[0, 1].map((slot) => save({ kind: "JOB", slot }))];

test(`D25, D26, D41: known and ${runs} random histories of requests, undos, imports, events, removals, hands, deliveries and marks, cut short anywhere and repeated, with late consumers side by side, end in the records, lists, totals, history, notifications and counts of a model`, async () => {
  const histories = fc.commands([fc.oneof(...all)], { maxCommands: 40, size: "max" });
  const examples = knownHistories.map((each): [Iterable<Command>] => [each]);
  await fc.assert(fc.asyncProperty(histories, runHistory), { numRuns: runs + examples.length, examples });
}, 10_800_000);

async function runHistory(some: Iterable<Command>): Promise<void> {
  await emptyTable();
  const world = new World();
  await fc.asyncModelRun(async () => {
    await addUsers(world);
    for (const command of first) await command.run(world.model, world);
    world.isBegun = true;
    return { model: world.model, real: world };
  }, some);
  for (const request of world.requests) await world.repeat(request);
  await world.stream();
  await endDeliveries(world);
  await endReadings(world);
  await expectAll(world);
}

async function expectAll(world: World): Promise<void> {
  const whole = [expectLists, expectAllCounts, expectUsers].map((expectThem) => expectThem(world));
  await Promise.all([...whole, ...[...world.model.histories.values()].map(expectHistory)]);
}

async function addUsers({ base, people: [operator, admin, ...others], model: { users } }: World): Promise<void> {
  await Promise.all([
    ...[operator, ...others].map((user) => write(callerLine(user))),
    write(callerLine(admin, { profile_id: base + 1 })),
    write(userLine(users[0]?.id ?? 0, { role: "driver", profile_id: base })),
  ]);
}

/** The counters are compared with a count of the whole table, which is short if it has one history. The signing key stays. */
async function emptyTable(): Promise<void> {
  const { items } = await scanPage({ FilterExpression: "pk <> :keys", ExpressionAttributeValues: { ":keys": "KEYS" } });
  await Promise.all(items.map(({ pk, sk }) => deleteItemAt({ pk, sk } as Key)));
}
