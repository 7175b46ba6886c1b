import { confirm } from "../../../shared/accounts/confirmation.ts";
import { saveDeviceToken } from "../../../shared/db/notifications/device-tokens.ts";
import { findUnreadCounts } from "../../../shared/db/notifications/notification-counts.ts";
import { findNotifications } from "../../../shared/db/notifications/notifications.ts";
import { setTimesheetStates } from "../../../shared/db/records/timesheets.ts";
import { hashPin } from "../../../shared/domain/accounts/pin.ts";
import { timeOrderedId } from "../../../shared/domain/time-ordered-id.ts";
import { hmacKey } from "../../../shared/secrets.ts";
import { callerContext, testContext } from "../../support/records/contexts.ts";
import { companyLine, notificationLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { storeMadePin } from "../../support/requests/pins.ts";
import type { Measure } from "./measures.ts";

const user = { id: 77, login: "user-77@example.com" };
const ids = Array.from({ length: 20 }, (_, at) => at + 1);
const caller = { userId: user.id, role: "operator", companyId: 1, sessionId: "s" } as const;
const flat = { growth: "flat" } as const;

/** The records that the other calls are about: they do not grow with the invoices. */
export async function storeOtherRecords(): Promise<void> {
  await store([
    companyLine(1),
    userLine(user.id),
    ...ids.map((id) => timesheetLine(id, 1)),
    ...Array.from({ length: 60 }, (_, at) => notificationLine(at + 1, user.id)),
  ]);
}

/** The calls of the table of bars beside the lists of invoices. */
export const otherMeasures: readonly Measure[] = [
  {
    ...flat,
    name: "a page of notifications",
    mostReadUnits: 2,
    mostTrips: 1,
    run: () => findNotifications(user.id, { limit: 20, beforeId: undefined, skip: 0 }),
  },
  { ...flat, name: "unread counts", mostReadUnits: 0.5, mostTrips: 1, run: () => findUnreadCounts(user.id) },
  {
    ...flat,
    name: "a new device token of 200 characters",
    mostReadUnits: 2,
    mostTrips: 2,
    run: () => {
      const device = { token: crypto.randomUUID().padEnd(200, "x"), platform: "ios", pushService: "apns" } as const;
      return saveDeviceToken(user.id, device, timeOrderedId(new Date()));
    },
  },
  {
    ...flat,
    name: "bulk_update of 20 ids",
    mostReadUnits: ids.length + 1,
    mostTrips: 2,
    run: () => setTimesheetStates(ids, 1, "paid", callerContext(caller)),
  },
  { ...flat, name: "a confirmation with the right pin", mostReadUnits: 3, mostTrips: 3, run: () => confirmation.run() },
];

const confirmation = {
  pin: "123456",
  async prepare(): Promise<void> {
    await storeMadePin(user.login, user.id, hashPin(this.pin, user.id, await hmacKey()));
  },
  run() {
    return confirm({ value: user.login, channel: "email" }, this.pin, "192.0.2.7", testContext());
  },
};

/** Sends the pin that the confirmation spends. */
export function prepareConfirmation(): Promise<void> {
  return confirmation.prepare();
}
