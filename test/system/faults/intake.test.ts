import { expect, test } from "vitest";
import { handler } from "../../../functions/workers/intake.ts";
import { chanceOf } from "../../../infra/local/demo/demo-chance.ts";
import { chunksOf } from "../../../shared/batches.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { notificationKey } from "../../../shared/db/notifications/notifications.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { invoiceLine, jobLine, notificationLine } from "../../support/records/records.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";
import { queueEvent } from "../../support/workers/workers.ts";

const messageCount = usualOrFull(300, 10_000);
const poisonCount = usualOrFull(40, 80);
const oneHeldIn = usualOrFull(10, 50);
const workers = 8;
const mostRepeats = 10;
const users = 20;
/** A call that takes longer has its messages handed out again beside it. */
const visibleAgainMs = 200;
/** A message is put aside after so many failures. */
const mostFailures = 3;

useService();
const network = useNetwork();
const chance = chanceOf(20_260_510);

const envelope = (detail: unknown, type = "Record") => ({ version: "0", "detail-type": type, source: "rota", detail });

const poisons: readonly ((at: number) => unknown)[] = [
  (at) => `not an event ${at}`,
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99, event_id: `e${at}` }, "Unknown"),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99 }),
  (at) => envelope({ ...jobLine(at + 1, 1), event_id: `e${at}` }),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 2 ** 53, event_id: `e${at}` }),
  (at) => envelope({ ...jobLine(at + 1, 1), version: 99, event_id: `e${at}`, titel: "x" }),
  (at) => envelope({ type: "user", id: 7, version: 99, event_id: `e${at}`, deleted: true }),
  (at) => envelope({ type: "job", id: 9_000_000 + at, version: 99, event_id: `e${at}`, title: "not whole" }),
];

/** One record's life: its key, what it must hold in the end, and the messages about it. */
interface History {
  readonly kind: keyof typeof lines;
  readonly id: number;
  readonly last: { readonly version: number; readonly deleted: boolean };
  readonly bodies: readonly unknown[];
}

const lines = {
  job: (id: number) => jobLine(id, 1),
  invoice: (id: number) => invoiceLine(id, 1),
  notification: (id: number) => notificationLine(id, userOf(id)),
};

function userOf(id: number): number {
  return (id % users) + 1;
}

function historyOf(id: number): History {
  const kind = (["job", "invoice", "notification"] as const)[id % 3] ?? "job";
  const owner = kind === "notification" ? { user_id: userOf(id) } : {};
  const versions = Array.from({ length: chance.between(1, 4) }, (_, at) => ({
    version: at + 1,
    deleted: chance.percent(20),
  }));
  const bodies = versions.flatMap(({ version, deleted }) => {
    const line = deleted ? { type: kind, id, ...owner, deleted } : lines[kind](id);
    const body = envelope({ ...line, version, event_id: `${kind}-${id}-${version}` });
    return Array.from({ length: chance.percent(12) ? mostRepeats : chance.between(1, 3) }, () => body);
  });
  return { kind, id, last: versions.at(-1) ?? { version: 0, deleted: true }, bodies };
}

function historiesOf(count: number): History[] {
  const histories: History[] = [];
  for (let left = count; left > 0; left -= histories.at(-1)?.bodies.length ?? 0) {
    histories.push(historyOf(histories.length + 1));
  }
  return histories;
}

/** Hands messages to workers, ten a call, until all are done or put aside. Returns those, and how many were handed out. */
async function process(bodies: readonly unknown[]) {
  const waiting = bodies
    .map((body) => ({ body, failures: 0, order: chance.between(0, 2 ** 30) }))
    .sort((one, other) => one.order - other.order);
  const aside: unknown[] = [];
  const underWay = new Set<Promise<void>>();
  let handedOut = 0;
  let calls = 0;
  const take = async (batch: typeof waiting) => {
    handedOut += batch.length;
    calls += 1;
    if (calls % oneHeldIn === 0) setTimeout(network.hold("TransactWriteItems"), 2 * visibleAgainMs);
    const again = setTimeout(() => waiting.push(...batch), visibleAgainMs);
    const { batchItemFailures } = await handler(queueEvent(...batch.map(({ body }) => body)));
    clearTimeout(again);
    for (const { itemIdentifier } of batchItemFailures) {
      const failed = batch[Number(itemIdentifier.split("-")[1])];
      if (!failed) throw new Error(`No message is called ${itemIdentifier}`);
      failed.failures += 1;
      if (failed.failures < mostFailures) waiting.push(failed);
      else if (failed.failures === mostFailures) aside.push(failed.body);
    }
  };
  while (waiting.length + underWay.size > 0) {
    while (waiting.length > 0 && underWay.size < workers) {
      const call = take(waiting.splice(0, 10)).finally(() => underWay.delete(call));
      underWay.add(call);
    }
    await Promise.race(underWay);
  }
  return { aside, handedOut };
}

test(`of ${messageCount} events, repeated, out of order, slow and poisonous, none is lost, doubled or put aside in error`, async () => {
  const poison = Array.from({ length: poisonCount }, (_, at) => poisons[at % poisons.length]?.(at));
  const histories = historiesOf(messageCount - poisonCount);
  const sent = [...histories.flatMap(({ bodies }) => bodies), ...poison];
  const { aside, handedOut } = await process(sent);

  const texts = (bodies: readonly unknown[]) => bodies.map((body) => JSON.stringify(body)).toSorted();
  expect(texts(aside)).toEqual(texts(poison));
  // Three times each poisonous message, and the batches that were held back more than once.
  expect(handedOut).toBeGreaterThan(sent.length + 2 * poison.length);
  const keys = histories.map(({ kind, id }) =>
    kind === "notification" ? notificationKey(userOf(id), id) : recordKey(kind === "job" ? "JOB" : "INVOICE", id),
  );
  const items = (await Promise.all(chunksOf(keys, 100).map((some) => readBatch(some)))).flat();
  const wanted = histories.map(({ last }) => (last.deleted ? undefined : last.version));
  expect(items.map((item) => item?.version)).toEqual(wanted);
  const alive = histories.filter(({ kind, last }) => kind === "notification" && !last.deleted);
  for (let user = 1; user <= users; user += 1) {
    const mine = alive.filter(({ id }) => userOf(id) === user);
    expect(await findUnreadCounts(user)).toMatchObject({ notifications: mine.length });
  }
}, 600_000);
