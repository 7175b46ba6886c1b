import { expect, test } from "vitest";
import { countMessage } from "../../../shared/db/accounts/message-ceilings.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { costOf } from "../../support/records/costs.ts";
import { readItem } from "../../support/records/writes.ts";
import { useService } from "../../support/service/service.ts";

useService();
const network = useNetwork();
const first = { channel: "sms", perDay: 10, share: 1, registers: false } as const;
let day = 0;

/** A moment of a day of its own. */
function newDay(): Date {
  day += 2;
  return new Date(Date.UTC(2031, 0, day, 23, 59, 59, 999));
}

/** The counts that a message gets, as often as it is sent. */
async function countsOf(message: typeof first | object, times: number, now: Date): Promise<(number | undefined)[]> {
  const counts = [];
  for (let sent = 0; sent < times; sent += 1) counts.push(await countMessage({ ...first, ...message }, now));
  return counts;
}

test("D11: registrations go out while fewer than the share of further messages have, and a ceiling of none sends none", async () => {
  const now = newDay();
  await countsOf({}, 3, now);
  expect(await countsOf({ registers: true, share: 0.4 }, 2, now)).toEqual([4, undefined]);
  expect(await countsOf({ perDay: 0 }, 1, newDay())).toEqual([undefined]);
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
  expect(counts.filter((count) => count !== undefined)).toHaveLength(6);
  const key = { pk: "LIMIT#sms", sk: `${now.toISOString().slice(0, 10)}T00:00:00.000Z` };
  expect(await readItem(key)).toMatchObject({ n: 10 });
});

test("a message costs one write unit, in an update of its own", async () => {
  const now = newDay();
  expect(await costOf(() => countMessage({ ...first, registers: true }, now))).toEqual({
    readUnits: 0,
    writeUnits: 1,
    sequentialTrips: 1,
  });
});
