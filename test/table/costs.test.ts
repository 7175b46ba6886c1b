import { afterEach, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { restoreRecords } from "../../functions/changes/undo-change.ts";
import { handler as deliverPin } from "../../functions/workers/deliver-pin.ts";
import { saveDeviceToken } from "../../shared/notifications/devices.ts";
import { findUnreadCounts } from "../../shared/notifications/notifications.ts";
import { requestPin } from "../../shared/people/ask-for-pin.ts";
import { confirm } from "../../shared/people/confirm.ts";
import { setTimesheetStates } from "../../shared/records/timesheets.ts";
import { timeOrderedId } from "../../shared/run/time-ordered-id.ts";
import { importParts } from "../../shared/table/counters.ts";
import { createWriteBatches } from "../../shared/table/write-batches.ts";
import { callerContext, testContext } from "../support/records/contexts.ts";
import { costOf } from "../support/records/costs.ts";
import { companyLine, notificationLine, timesheetLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { write } from "../support/records/writes.ts";
import { forgetLimits } from "../support/requests/limits.ts";
import { askForPin, forgetPinsOf, otherPin, pinMessage, useUpShortPins } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";
import { queueEvent } from "../support/workers/workers.ts";

const caller = { userId: 1, role: "operator", companyId: 1, sessionId: "s" } as const;

const service = useService();

beforeAll(() =>
  store([
    ...Array.from({ length: 100 }, (_, index) => timesheetLine(index + 1, 1)),
    ...Array.from({ length: 60 }, (_, index) => notificationLine(index + 1, 5)),
  ]),
);

test.each([1, 10, 90])("bulk_update of %i ids reads a unit each, in two round trips", async (count) => {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const cost = await costOf(() => setTimesheetStates(ids, 1, "paid", callerContext(caller)));
  expect(cost.readUnits).toBeLessThanOrEqual(count + 1);
  expect(cost.sequentialTrips).toBe(2);
});

// The units of a transaction are other ones on DynamoDB Local.
const countsTransactions = inject("engineName") !== "dynamodb-local";

test.runIf(countsTransactions)(
  "D41: a payment of 90 writes its change of 5 KB beside them, and its undo two, in three round trips",
  async () => {
    const ids = Array.from({ length: 90 }, (_, index) => index + 201);
    await store(ids.map((id) => timesheetLine(id, 1)));
    const commit = createWriteBatches(importParts);
    const importAll = (state: string) =>
      Promise.all(ids.map((id) => write({ type: "timesheet", id, state }, { commit })));
    const plain = await costOf(() => importAll("paid"));
    await importAll("pending");
    let changeId = "";
    const pay = async () => (await setTimesheetStates(ids, 1, "paid", callerContext(caller))).changeId ?? "";
    const paid = await costOf(async () => (changeId = await pay()));
    const undone = await costOf(() => restoreRecords(changeId, callerContext(caller)));
    // Two write units a KB in a transaction.
    const change = 2 * 5;
    expect(paid).toEqual({ ...plain, writeUnits: plain.writeUnits + change });
    expect(undone).toEqual({
      readUnits: plain.readUnits + 2,
      writeUnits: plain.writeUnits + 2 * change,
      sequentialTrips: plain.sequentialTrips + 1,
    });
  },
);

test("unread counts cost half a read unit", async () => {
  expect(await costOf(() => findUnreadCounts(5))).toEqual({ readUnits: 0.5, writeUnits: 0, sequentialTrips: 1 });
});

test("a new device token costs at most 2 read and 8 write units, in two round trips", async () => {
  const device = { platform: "ios", pushService: "apns" } as const;
  for (let index = 0; index < 19; index += 1) {
    await saveDeviceToken(5, { ...device, token: `${index}`.padEnd(200, "x") }, timeOrderedId(new Date()));
  }
  const cost = await costOf(() => saveDeviceToken(5, { ...device, token: "n".repeat(200) }, timeOrderedId(new Date())));
  expect(cost.readUnits).toBeLessThanOrEqual(2);
  expect(cost.writeUnits).toBeLessThanOrEqual(8);
  expect(cost.sequentialTrips).toBe(2);
});

test("the same device token again writes nothing", async () => {
  const device = { token: "again", platform: "ios", pushService: "apns" } as const;
  await saveDeviceToken(6, device, timeOrderedId(new Date()));
  expect(await costOf(() => saveDeviceToken(6, device, timeOrderedId(new Date())))).toMatchObject({ writeUnits: 0 });
});

describe("D10, D11: pins", () => {
  const login = { value: "user-7@example.com", channel: "email" } as const;
  const tryOne = (pin: string) => costOf(() => confirm(login, pin, "192.0.2.7", testContext()).catch(() => undefined));
  const ask = (now = new Date()) =>
    costOf(() => requestPin({ login, requestId: crypto.randomUUID(), registers: false, address: "192.0.2.7" }, now));

  /** DynamoDB Local takes no units for it. */
  const emptyQuery = inject("engineName") === "dynamodb-local" ? 0 : 1;

  beforeAll(() => store([companyLine(1), userLine(7)]));
  beforeEach(() => forgetPinsOf(login.value));
  afterEach(() => forgetLimits(service));

  test("a request costs 1.5 read units and 1 write unit, and one while its pin is live no write", async () => {
    expect(await ask()).toEqual({ readUnits: 1.5, writeUnits: 1, sequentialTrips: 2 });
    expect(await ask()).toEqual({ readUnits: 1.5, writeUnits: 0, sequentialTrips: 1 });
  });

  test.each([
    ["a message costs 5 write units", {}, 10, 5],
    ["one with a proof 4", { isKnown: true }, 10, 4],
    ["one that is held back none", {}, 0, 0],
  ])("%s, its request apart", async (_, changes, perDay, writeUnits) => {
    vi.stubEnv("MAIL_CEILINGS", `{"perDay":${perDay}}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const message = { ...pinMessage(login.value), ...changes };
    expect(await costOf(() => deliverPin(queueEvent(message)))).toMatchObject({ writeUnits });
  });

  test("a wrong short pin costs 1.5 read units and 2 write units, a long one no write, and so does one of no live pin", async () => {
    expect(await tryOne("000000")).toEqual({ readUnits: 0.5 + emptyQuery, writeUnits: 0, sequentialTrips: 1 });
    const pin = await askForPin(service, login.value);
    expect(await tryOne(otherPin(pin))).toEqual({ readUnits: 1.5, writeUnits: 2, sequentialTrips: 2 });
    await useUpShortPins();
    const long = await askForPin(service, login.value);
    expect(await tryOne(otherPin(long))).toEqual({ readUnits: 1.5, writeUnits: 0, sequentialTrips: 1 });
  });

  test("a right one costs at most 3 read units, in three round trips", async () => {
    const cost = await tryOne(await askForPin(service, login.value));
    expect(cost.readUnits).toBeLessThanOrEqual(3);
    expect(cost.sequentialTrips).toBeLessThanOrEqual(3);
  });
});
