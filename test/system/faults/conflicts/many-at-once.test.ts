import { afterEach, expect, test } from "vitest";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { importRecords } from "../../../../infra/tools/import/import-records.ts";
import { sleep } from "../../../../shared/backoff.ts";
import { setTimesheetStates } from "../../../../shared/db/records/timesheets.ts";
import { isBusy } from "../../../support/faults/conflict-model.ts";
import { type Holding, inParts, useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { usualOrFull } from "../../../support/service/counts.ts";
import { useService } from "../../../support/service/service.ts";
import { queueEvent } from "../../../support/workers/workers.ts";

const bulkUpdates = 50;
/** Beside everything else. */
const mostAtOnce = 100;
const workers = 10;
const messagesEach = 10;
const imported = usualOrFull(1_000, 20_000);
/** An import takes less than a second: if the pauses were longer, few payments would meet it. */
const betweenPaymentsMs = 50;
const mostPayments = 100;

useService();
const held = useHeldItems();
const clock = useModelClock();
afterEach(() => held.end());

let company = 0;

/** Begins a company of its own for a test, because the counters of other companies have been written. */
function nextCompany(): number {
  company += 1;
  return company;
}

const idOf = (at: number) => company * 100_000 + at;
const caller = () => ({ userId: 1, role: "operator", companyId: company, sessionId: "s" }) as const;
const pay = (...at: number[]) => setTimesheetStates(at.map(idOf), company, "paid", callerContext(caller()));

/** 1 if it is refused as `busy`, 0 if it succeeds; nothing else may go wrong. */
async function refusalOf(work: Promise<unknown>): Promise<number> {
  const refusal = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal !== undefined && !isBusy(refusal)) throw refusal;
  return refusal === undefined ? 0 : 1;
}

async function sumOf(numbers: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(numbers)).reduce((sum, each) => sum + each, 0);
}

/** The number of payments that are refused. */
function payAtOnce(count = bulkUpdates): Promise<number> {
  return sumOf(Array.from({ length: count }, (_, at) => refusalOf(pay(2 * at, 2 * at + 1))));
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
    payments.push(refusalOf(pay(2 * mostAtOnce + payments.length)));
    await Promise.race([sleep(betweenPaymentsMs), settled]);
  }
  await settled;
  return sumOf(payments);
}

async function storeTimesheets(): Promise<void> {
  nextCompany();
  await store(Array.from({ length: 2 * mostAtOnce + mostPayments }, (_, at) => timesheetLine(idOf(at), company)));
}

function show(name: string): void {
  const { transactions, cancelled } = held.figures;
  if (process.env.SHOW_FIGURES) console.info(`${name}: ${transactions} transactions, ${cancelled} cancelled`);
}

/** All at once: users who pay, workers that take events in, and an import with payments beside it. */
async function contend(holding?: Holding) {
  await storeTimesheets();
  held.begin(holding);
  return clock.run(async () => {
    const importing = importAll();
    const others = [payAtOnce(mostAtOnce), takeInAtOnce(), payBeside(importing)] as const;
    const [failed, paid, takenIn, beside] = await Promise.all([importing, ...others]);
    return { paid, takenIn, failed, beside };
  });
}

test(`${bulkUpdates} bulk updates of one company at once all succeed`, async () => {
  await storeTimesheets();
  held.begin();
  expect(await clock.run(() => payAtOnce())).toBe(0);
  show("bulk updates");
});

test(`${workers} workers with ${messagesEach} events of one company each take all of them in`, async () => {
  nextCompany();
  held.begin();
  expect(await clock.run(takeInAtOnce)).toBe(0);
  show("intake");
});

test(`an import of ${imported} timesheets of a company and payments of the same stand in nobody's way`, async () => {
  await storeTimesheets();
  held.begin();
  const work = () => {
    const importing = importAll();
    return Promise.all([importing, payBeside(importing)]);
  };
  expect(await clock.run(work)).toEqual([0, 0]);
  show("import");
}, 600_000);

test(`all of that at once succeeds, with ${mostAtOnce} bulk updates`, async () => {
  expect(await contend()).toEqual({ paid: 0, takenIn: 0, failed: 0, beside: 0 });
  show("all at once");
}, 600_000);

test("all of that at once, with one part for each counter, is refused in part", async () => {
  const { paid, takenIn, beside } = await contend({ rewrite: inParts(1) });
  show(`all at once in one part: ${paid} bulk updates, ${takenIn} events and ${beside} payments are refused`);
  expect(paid + takenIn + beside).toBeGreaterThan(0);
}, 600_000);
