import { expect, test } from "vitest";
import type { CeilingMessage } from "../../shared/people/message-limits.ts";
import { countMessage, findHeldBack } from "../../shared/people/message-limits.ts";
import { useNetwork } from "../support/faults/network.ts";
import { costOf } from "../support/records/costs.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

useService();
const network = useNetwork();
/** A message with a proof. */
const first: CeilingMessage = { channel: "sms", perDay: 10, client: undefined, registers: false };
let day = 0;

/** A moment of a day of its own. */
function newDay(): Date {
  day += 2;
  return new Date(Date.UTC(2031, 0, day, 23, 59, 59, 999));
}

/** The counts that a message gets, as often as it is sent. */
async function countsOf(message: Partial<CeilingMessage>, times: number, now: Date) {
  const counts = [];
  for (let sent = 0; sent < times; sent += 1) counts.push(await countMessage({ ...first, ...message }, now));
  return counts;
}

/** The same as is found without counting. */
function foundOf(message: Partial<CeilingMessage>, now: Date) {
  return findHeldBack({ ...first, ...message }, now);
}

test("D11: one client has half of the registrations, a second the rest, and what is held back counts nowhere", async () => {
  const now = newDay();
  const [one, other] = [
    { client: "one", registers: true },
    { client: "other", registers: true },
  ];
  expect(await countsOf(one, 2, now)).toEqual([1, "client"]);
  expect(await foundOf(one, now)).toBe("client");
  expect(await countsOf(other, 1, now)).toEqual([2]);
  expect(await foundOf({ ...one, client: "third" }, now)).toBe("stage");
  expect(await foundOf({ client: "third" }, now)).toBeUndefined();
  const sk = `${now.toISOString().slice(0, 10)}T00:00:00.000Z`;
  expect(await readItem({ pk: "LIMIT#sms#one", sk })).toMatchObject({ n: 1, registrations: 1 });
  expect(await readItem({ pk: "LIMIT#sms", sk })).toMatchObject({ n: 2, registrations: 2 });
});

test("D11: of messages of a client at once no more than its further ones' 60 % and its first 20 are counted", async () => {
  const now = newDay();
  const message = { ...first, perDay: 100, client: "one" };
  const counts = await Promise.all(Array.from({ length: 100 }, () => countMessage(message, now)));
  const counted = counts.filter((count) => typeof count === "number");
  expect(counted.length).toBeGreaterThanOrEqual(60);
  expect(counted.length).toBeLessThanOrEqual(80);
  expect(await foundOf({ perDay: 100, client: "one" }, now)).toBe("client");
});

test("D11: the first 20 messages of a client, one after the other, may use 90 %, its further ones 60 %", async () => {
  const now = newDay();
  const of = (client: string) => ({ perDay: 40, client });
  const sent = Array.from({ length: 24 }, (_, at) => at + 1);
  expect(await countsOf(of("one"), 26, now)).toEqual([...sent, "client", "client"]);
  expect(await foundOf(of("one"), now)).toBe("client");
  expect(await countsOf(of("other"), 13, now)).toEqual([...Array.from({ length: 12 }, (_, at) => 25 + at), "stage"]);
  expect(await foundOf(of("other"), now)).toBe("stage");
  expect(await countsOf({ perDay: 40 }, 5, now)).toEqual([37, 38, 39, 40, "stage"]);
});

test("D11: a ceiling of none sends none, with a proof or without", async () => {
  const now = newDay();
  expect(await countsOf({ perDay: 0 }, 1, now)).toEqual(["stage"]);
  expect([await foundOf({ perDay: 0 }, now), await foundOf({ perDay: 0, client: "one" }, now)]).toEqual([
    "stage",
    "stage",
  ]);
});

test("D11: a lost answer counts once, two at most if another came between, and of messages at once no more than the ceiling get through", async () => {
  const now = newDay();
  network.lose(1, "interrupted");
  expect(await countMessage(first, now)).toBe(1);
  expect(network.heal()).toBe("UpdateItem");
  network.lose(1, "interrupted", () => countMessage(first, now));
  expect(await countMessage(first, now)).toBe(4);
  network.heal();
  const counts = await Promise.all(Array.from({ length: 20 }, () => countMessage(first, now)));
  expect(counts.filter((count) => typeof count === "number")).toHaveLength(6);
  const key = { pk: "LIMIT#sms", sk: `${now.toISOString().slice(0, 10)}T00:00:00.000Z` };
  expect(await readItem(key)).toMatchObject({ n: 10 });
});

test("a message costs a write unit, two with a client, and one that is held back half a read unit each", async () => {
  const now = newDay();
  const message = { ...first, client: "one", registers: true };
  const [write, read] = [() => countMessage(message, now), () => findHeldBack(message, now)];
  expect(await costOf(write)).toEqual({ readUnits: 0, writeUnits: 2, sequentialTrips: 2 });
  expect(await costOf(read)).toEqual({ readUnits: 1, writeUnits: 0, sequentialTrips: 1 });
  expect(await costOf(() => countMessage(first, now))).toEqual({ readUnits: 0, writeUnits: 1, sequentialTrips: 1 });
});
