import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import { expect } from "vitest";
import { streamConsumers, streamFilters } from "../../../infra/functions/stream-filters.ts";
import { matchesAny, type Pattern } from "../../../infra/runtime/filter-patterns.ts";
import type { Item } from "../../../shared/table/table.ts";
import { isTombstone, keyOf } from "../../../shared/table/table.ts";
import { changeAt } from "../../support/workers/events.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { queueEvent } from "../../support/workers/workers.ts";
import { addition, type Release } from "./release.ts";

const workersOfQueues = {
  PIN_QUEUE_URL: "deliver-pin",
  NOTICE_QUEUE_URL: "notify-password-changed",
  NOTIFICATION_QUEUE_URL: "deliver-notifications",
  PUSH_QUEUE_URL: "send-pushes",
} as const;

export type Turns = Awaited<ReturnType<typeof takeTurns>>;

/** Has two releases act by turns on one table, and expects after each act that no item is older or lost the addition. */
export async function takeTurns(order: readonly [Release, Release]) {
  let turn = 0;
  let items = await order[0].scanItems();
  let changes: DynamoDBRecord[] = [];
  const messages: Record<string, unknown[]> = {};

  async function act<T>(what: string, work: (release: Release) => Promise<T>): Promise<T> {
    const release = order[turn % 2] ?? order[0];
    turn += 1;
    const result = await work(release);
    const [before, after] = [items, await release.scanItems()];
    items = after;
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const images = { before: before.get(name), after: after.get(name) };
      expect(lossOf(images.before, images.after), `${release.name} ${what}: ${name}`).toBeUndefined();
      if (isDeepStrictEqual(images.before, images.after)) continue;
      changes.push(changeAt(new Date(), keyOf(images.after ?? images.before ?? {}), images));
    }
    return result;
  }

  /** Gives the workers what is in the stream and the queues, until nothing is left. */
  async function settle(): Promise<void> {
    while (changes.length > 0) {
      const records = changes;
      changes = [];
      for (const name of streamConsumers) {
        const Records = records.filter((each) => matchesAny(each, streamFilters[name] as unknown as Pattern[]));
        if (Records.length > 0) await act(name, ({ work }) => work(name, { Records }));
      }
      for (const [queue, worker] of Object.entries(workersOfQueues)) {
        const taken = await takeMessages(queue);
        if (taken.length > 0) await hand(worker, taken);
      }
    }
  }

  async function hand(worker: string, some: readonly unknown[]): Promise<void> {
    messages[worker] = [...(messages[worker] ?? []), ...some];
    await act(worker, ({ work }) => work(worker, queueEvent(...some)));
  }
  return { act, settle, hand, items: () => [...items.values()], messages };
}

/** Says why an item is worse than before, if it is. */
function lossOf(before: Item | undefined, after: Item | undefined): string | undefined {
  if (!before || !after || isTombstone(after)) return undefined;
  if (Number(after.schema_version) < Number(before.schema_version)) return "it has an older version";
  return addition in before && !(addition in after) ? `it lost ${addition}` : undefined;
}
