import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { handler as deliverNotifications } from "../../functions/workers/deliver-notifications.ts";
import { handler as keepHistory } from "../../functions/workers/keep-history.ts";
import { handler as notify } from "../../functions/workers/notify.ts";
import { handler as sendEvents } from "../../functions/workers/send-events.ts";
import { handler as sendPushes } from "../../functions/workers/send-pushes.ts";
import { type StreamConsumerName, streamFilters } from "../../infra/functions/stream-filters.ts";
import { matchesAny } from "../../infra/runtime/filter-patterns.ts";
import { entityOf } from "../../shared/entities.ts";
import type { Item, Key } from "../../shared/table/table.ts";
import { keyOf } from "../../shared/table/table.ts";
import { watchCalls } from "../support/faults/aws-calls.ts";
import { testChange } from "../support/records/contexts.ts";
import { scanItems } from "../support/records/items.ts";
import { callerLine, timesheetLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { write } from "../support/records/writes.ts";
import { mark } from "../support/requests/changes.ts";
import { useEventQueue } from "../support/service/service.ts";
import { pushedTo, register, usePushService } from "../support/workers/pushes.ts";
import { drain, nothingFailed, streamRecord } from "../support/workers/workers.ts";

const page =
  readFileSync(new URL("../../shared/table/README.md", import.meta.url), "utf8")
    .split("\n## ")
    .find((section) => section.startsWith("Writes of a payment")) ?? "";

const service = usePushService();
useEventQueue();

const operator = { id: 2, role: "operator", company_id: 1 } as const;
const { driver } = timesheetLine(1, 1);
const ids = [11, 12, 13, 14, 15];
const written: Key[] = [];

/** A write as each command has it; a check of a condition writes nothing. */
interface Write {
  readonly Put?: { readonly Item: Item };
  readonly PutRequest?: { readonly Item: Item };
  readonly Update?: { readonly Key: Item };
  readonly Delete?: { readonly Key: Item };
}

interface WriteInput {
  readonly Item?: Item;
  readonly Key?: Item;
  readonly TransactItems?: readonly Write[];
  readonly RequestItems?: Readonly<Record<string, readonly Write[]>>;
}

function writesOf(command: string, input: WriteInput): Key[] {
  const ofMany = [...(input.TransactItems ?? []), ...Object.values(input.RequestItems ?? {}).flat()];
  const items = ofMany.map((each) => (each.Put ?? each.PutRequest)?.Item ?? (each.Update ?? each.Delete)?.Key);
  const isSingle = /^(Put|Update|Delete)(Item)?Command$/.test(command);
  return [...(isSingle ? [input.Item ?? input.Key] : []), ...items].flatMap((item) => (item ? [keyOf(item)] : []));
}

beforeAll(async () => {
  watchCalls(async ({ service: of, command, input }, send) => {
    const answer = await send();
    if (of === "DynamoDB" && /Put|Update|Delete|Write/.test(command)) written.push(...writesOf(command, input));
    return answer;
  });
  await store([callerLine(operator)]);
  const change = testChange("import#one", "one");
  for (const id of ids) {
    await register(id, `token-${id}`);
    await store([userLine(id, { role: "driver", profile_id: id })]);
    await write(timesheetLine(id, 1, { driver: { ...driver, profile_id: id } }), { change });
  }
});

/** Hands the changes between two states of the table to the consumers of its stream, and their messages on to the workers. */
async function follow(before: ReadonlyMap<string, Item>, after: ReadonlyMap<string, Item>): Promise<void> {
  const changed = [...after].filter(([name, item]) => !isDeepStrictEqual(item, before.get(name)));
  const records = changed.map(([name, item]) => streamRecord(keyOf(item), { before: before.get(name), after: item }));
  for (const [name, consumer] of Object.entries({ "keep-history": keepHistory, notify })) {
    const given = records.filter((record) => matchesAny(record, streamFilters[name as StreamConsumerName]));
    if (given.length > 0) expect(await consumer({ Records: given })).toEqual(nothingFailed);
  }
  await drain("NOTIFICATION_QUEUE_URL", deliverNotifications);
  await drain("PUSH_QUEUE_URL", sendPushes);
  await drain("EVENT_QUEUE_URL", sendEvents);
}

/** Marks the timesheets, with everything that follows; gives the number of writes of items by kind. */
async function countWrites(state: string): Promise<Record<string, number>> {
  let [before, after] = [await scanItems(), new Map<string, Item>()];
  written.length = 0;
  expect((await mark(operator, ids, state)).status).toBe(200);
  for (;;) {
    after = await scanItems();
    if (isDeepStrictEqual(before, after)) break;
    await follow(before, after);
    before = after;
  }
  const kinds = Object.entries(Object.groupBy(written, (key) => entityOf(key)?.name ?? "none"));
  return Object.fromEntries(kinds.map(([kind, keys = []]) => [kind, keys.length]));
}

/** The numbers of the table of the page: of any payment, and what the first one of records and devices adds. */
const table = new Map(
  [...page.matchAll(/^\| (?<kind>[a-z -]+) \| (?<usual>\d+) \| (?<added>\d+) \| .+ \|$/gm)].map(({ groups }) => [
    groups?.kind ?? "",
    { usual: Number(groups?.usual), added: Number(groups?.added) },
  ]),
);

function tableOf(count: (kind: { readonly usual: number; readonly added: number }) => number): Record<string, number> {
  const counts = [...table].map(([kind, row]) => [kind, count(row)] as const);
  return Object.fromEntries(counts.filter(([, items]) => items > 0));
}

test("D17, D25, D29, D41: a payment of five writes 28 items, the first of imported records to new devices 38, each kind as the page says", async () => {
  expect(await countWrites("paid")).toEqual(tableOf(({ usual, added }) => usual + added));
  expect(pushedTo(service)).toHaveLength(ids.length);
  await countWrites("pending");
  const counts = await countWrites("paid");
  expect(counts).toEqual(tableOf(({ usual }) => usual));
  expect(sum(Object.values(counts))).toBe(28);
  expect(sum([...table.values()].map(({ usual, added }) => usual + added))).toBe(38);
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
