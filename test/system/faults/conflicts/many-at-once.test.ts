import { afterEach, expect, test } from "vitest";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { importRecords } from "../../../../infra/tools/import/import-records.ts";
import { setTimesheetStates } from "../../../../shared/records/timesheets.ts";
import { sleep } from "../../../../shared/run/backoff.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { useService } from "../../../support/service/service.ts";
import { queueEvent } from "../../../support/workers/workers.ts";

const company = 1;
const bulkUpdates = usualOrFull(50, 100);
const workers = 10;
const messagesEach = 10;
const imported = usualOrFull(300, 20_000);
/** If the pauses were longer, few payments would meet the import. */
const betweenPaymentsMs = 50;
const mostPayments = usualOrFull(30, 100);

useService();
const held = useHeldItems();
const clock = useModelClock();
afterEach(() => held.end());

const idOf = (at: number) => company * 100_000 + at;
const caller = { userId: 1, role: "operator", companyId: company, sessionId: "s" } as const;
const pay = (...at: number[]) => setTimesheetStates(at.map(idOf), company, "paid", callerContext(caller));

/** 1 if it is refused as `busy`, 0 if it succeeds; nothing else may go wrong. */
function refusalOf(work: Promise<unknown>): Promise<number> {
  return work.then(
    () => 0,
    (error) => {
      if (error.code !== "busy") throw error;
      return 1;
    },
  );
}

async function sumOf(numbers: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(numbers)).reduce((sum, each) => sum + each, 0);
}

/** The number of payments that are refused. */
function payAtOnce(): Promise<number> {
  return sumOf(Array.from({ length: bulkUpdates }, (_, at) => refusalOf(pay(2 * at, 2 * at + 1))));
}

/** Messages of ten workers at once; the number of those that go back to the queue. */
async function takeInAtOnce(): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: workers }, (_, worker) => {
      const first = 1_000 + worker * messagesEach;
      return intake(queueEvent(...Array.from({ length: messagesEach }, (_, at) => eventOf(idOf(first + at)))));
    }),
  );
  return answers.reduce((sum, { batchItemFailures }) => sum + batchItemFailures.length, 0);
}

function eventOf(id: number): object {
  const detail = { ...timesheetLine(id, company), version: 1, event_id: `e${id}` };
  return { version: "0", id: crypto.randomUUID(), "detail-type": "Record", source: "rota", detail };
}

/** An import of new timesheets; the number of lines that fail. */
async function importAll(): Promise<number> {
  const lines = Array.from(
    { length: imported },
    (_, at) => `${JSON.stringify(timesheetLine(idOf(2_000 + at), company))}\n`,
  );
  const { failed } = await importRecords({
    source: (async function* () {
      yield Buffer.from(lines.join(""));
    })(),
    now: new Date(),
  });
  return failed;
}

/** A payment every now and then while other work goes on; the number of those that are refused. */
async function payBeside(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  const payments: Promise<number>[] = [];
  while (!isDone && payments.length < mostPayments) {
    payments.push(refusalOf(pay(2 * bulkUpdates + payments.length)));
    await Promise.race([sleep(betweenPaymentsMs), settled]);
  }
  await settled;
  return sumOf(payments);
}

test(`${bulkUpdates} bulk updates, an import and payments beside it, and ten workers that take events of one company all succeed at once`, async () => {
  await store(Array.from({ length: 2 * bulkUpdates + mostPayments }, (_, at) => timesheetLine(idOf(at), company)));
  held.begin();
  const refused = await clock.run(() => {
    const importing = importAll();
    return Promise.all([importing, payAtOnce(), takeInAtOnce(), payBeside(importing)]);
  });
  expect(refused).toEqual([0, 0, 0, 0]);
  const { transactions, cancelled } = held.figures;
  expect(cancelled).toBeGreaterThan(0);
  if (process.env.SHOW_FIGURES) console.info(`${transactions} transactions, ${cancelled} cancelled`);
}, 600_000);
