import { beforeAll, beforeEach, expect, test } from "vitest";
import { dropDeviceTokens, saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { setTimesheetStates } from "../../../shared/db/records/timesheets.ts";
import { transactionConditionFailed, useNetwork } from "../../support/faults/network.ts";
import { callerContext } from "../../support/records/contexts.ts";
import { timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { useService } from "../../support/service/service.ts";

const caller = { userId: 1, role: "admin", companyId: null, sessionId: "session" } as const;
const device = { token: "token", platform: "ios", pushService: "apns" } as const;

useService();
const proxy = useNetwork();

beforeAll(async () => {
  await store([timesheetLine(1, 1)]);
  await saveDeviceToken(2, device, 1);
});
beforeEach(() => proxy.reset());

test.each([
  ["saveDeviceToken", 5, () => saveDeviceToken(1, device, 1)],
  ["dropDeviceTokens", 5, () => dropDeviceTokens(2, [1])],
])("D18: %s is refused as busy after %i lost races", async (_, races, work) => {
  proxy.fail("TransactWriteItems", transactionConditionFailed(4), Number.POSITIVE_INFINITY);
  await expect(work()).rejects.toMatchObject({ code: "busy" });
  expect(proxy.calls.get("TransactWriteItems")).toBe(races);
});

test("D18: setTimesheetStates is refused as busy after 3 seconds of lost races, no earlier", async () => {
  proxy.fail("TransactWriteItems", transactionConditionFailed(4), Number.POSITIVE_INFINITY);
  const startedAt = performance.now();
  await expect(setTimesheetStates([1], "all", "paid", callerContext(caller))).rejects.toMatchObject({ code: "busy" });
  expect(performance.now() - startedAt).toBeGreaterThan(2_750);
  expect(proxy.calls.get("TransactWriteItems")).toBeGreaterThan(5);
});
