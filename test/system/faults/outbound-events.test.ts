import type { DynamoDBRecord } from "aws-lambda";
import { expect, test, vi } from "vitest";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as sendEvents } from "../../../functions/workers/send-events.ts";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { chunksOf } from "../../../shared/batches.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { jobLine, timesheetLine } from "../../support/records/records.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { changeAt, useOutboundBus } from "../../support/workers/events.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { queueEvent } from "../../support/workers/workers.ts";
import { type CrashMoment, crashAt } from "./crash.ts";

const service = useService();
const received = useOutboundBus(service);
const at = new Date("2026-05-04T16:00:07.000Z");

/** A paid timesheet, or a timer together with an undone change: one event, or two. */
function change(n: number): DynamoDBRecord {
  const isJob = n % 5 === 0;
  const { type: _, company_id, ...record } = isJob ? jobLine(n, 1) : timesheetLine(n, 1);
  const before = { id: n, company_id, revision: 1, record };
  const after = isJob
    ? { ...before, revision: 2, timer: 60, timer_expires_at: at.toISOString(), change: { undoes: `change-${n}` } }
    : { ...before, revision: 2, record: { ...record, state: "paid" } };
  return changeAt(at, recordKey(isJob ? "JOB" : "TIMESHEET", n), { before, after }, `event-${n}`);
}

const eventsOf = (n: number) =>
  n % 5 === 0 ? [`job.timer_adjusted job/${n}`, `change.undone job/${n}`] : [`timesheet.paid timesheet/${n}`];

test("D42: consumer and sender are killed at any call, the bus refuses some: every event is out, doubles have the same id", async () => {
  const changes = usualOrFull(200, 10_000);
  const chance = chanceOf(42);
  const draw = (below: number) => chance.between(0, below - 1);
  let crashes = 0;
  let refusals = 0;
  const { perform } = service.buses;
  vi.spyOn(service.buses, "perform").mockImplementation(async (action, input) => {
    const { Entries } = input as { Entries: object[] };
    const isTaken = Entries.map(() => draw(10) > 0);
    const taken = Entries.filter((_, at) => isTaken[at]);
    if (taken.length > 0) await perform(action, { Entries: taken });
    refusals += Entries.length - taken.length;
    return { Entries: isTaken.map((each) => (each ? { EventId: "taken" } : { ErrorCode: "InternalFailure" })) };
  });
  /** Until it comes to its end, as the stream and a queue bring what failed. */
  const untilDone = async (calls: number, work: () => Promise<{ batchItemFailures: unknown[] }>) => {
    for (let isDone = false; !isDone; ) {
      const moment: CrashMoment = draw(2) === 0 ? "before" : "after";
      const wasKilled = await crashAt(1 + draw(calls), moment, async () => {
        isDone = (await work()).batchItemFailures.length === 0;
      });
      crashes += wasKilled ? 1 : 0;
      isDone &&= !wasKilled;
    }
  };
  const numbers = Array.from({ length: changes }, (_, n) => n + 1);
  for (const batch of chunksOf(numbers, 10)) await untilDone(4, () => notify({ Records: batch.map(change) }));
  const queued = await takeMessages("EVENT_QUEUE_URL");
  // Some of them twice, as the consumer did not learn that they were queued.
  const messages = queued as { events: unknown[] }[];
  expect(messages.flatMap(({ events }) => events).length).toBeGreaterThan(numbers.flatMap(eventsOf).length);
  for (const batch of chunksOf(queued, 3)) await untilDone(12, () => sendEvents(queueEvent(...batch)));

  const ids = Map.groupBy(
    received.map(({ detail }) => detail as { id: string; type: string; subject: string }),
    ({ type, subject }) => `${type} ${subject}`,
  );
  expect([...ids.keys()].toSorted()).toEqual(numbers.flatMap(eventsOf).toSorted());
  for (const [event, copies] of ids) expect(new Set(copies.map(({ id }) => id)).size, event).toBe(1);
  const all = new Set(received.map(({ detail }) => (detail as { id: string }).id));
  expect(all.size).toBe(ids.size);
  expect(crashes).toBeGreaterThan(changes / 40);
  expect(refusals).toBeGreaterThan(changes / 40);
  expect(received.length).toBeGreaterThan(ids.size);
}, 600_000);
