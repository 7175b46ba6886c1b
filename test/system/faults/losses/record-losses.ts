import { expect } from "vitest";
import { handler as undoHandler } from "../../../../functions/changes/undo-change.ts";
import { handler as registerDevice } from "../../../../functions/devices/register-device-token.ts";
import { handler as removeDevice } from "../../../../functions/devices/remove-device-token.ts";
import { handler as bulkUpdateTimesheets } from "../../../../functions/finance/bulk-update-timesheets.ts";
import { handler as adjustTimers } from "../../../../functions/jobs/adjust-job-timers.ts";
import { handler as mark } from "../../../../functions/notifications/mark-notifications.ts";
import { undoChange } from "../../../../shared/contract/changes.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../../shared/contract/devices.ts";
import { bulkUpdateTimesheets as bulkUpdate } from "../../../../shared/contract/finance.ts";
import { adjustJobTimers } from "../../../../shared/contract/jobs.ts";
import { markNotifications } from "../../../../shared/contract/notifications.ts";
import { findUnreadCounts } from "../../../../shared/db/notifications/notification-counts.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { callerLine, jobLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem } from "../../../support/records/writes.ts";
import { call } from "../../../support/requests/call.ts";
import { newPush, register, tokensOf } from "../../../support/workers/pushes.ts";
import { type LossPlan, newId, request } from "./scenario.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const withKey = () => ({ "idempotency-key": crypto.randomUUID() });
const driver = (id: number) => ({ id, role: "driver", company_id: 1 }) as const;

/** The plans of what users change. */
export const recordLosses = {
  "bulk-update-timesheets": {
    holds: "it is carried out once and holds no Idempotency-Key (D32)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([callerLine(admin)]);
      await store([timesheetLine(id, 1, { state: "pending" })]);
      const before = Number((await readItem(recordKey("TIMESHEET", id)))?.revision);
      const body = { timesheet: { timesheet_ids: [id], state: "paid" } };
      return {
        attempt: request(bulkUpdateTimesheets, bulkUpdate, { as: admin, body, headers: withKey() }),
        check: async () => {
          const stored = await readItem(recordKey("TIMESHEET", id));
          expect(stored).toMatchObject({ revision: before + 1, record: { state: "paid" } });
        },
      };
    },
  },
  "adjust-job-timers": {
    holds: "it is carried out once and holds no Idempotency-Key (D32)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([jobLine(id, 1)]);
      const before = Number((await readItem(recordKey("JOB", id)))?.revision);
      const body = { job: { job_ids: [id], timer: 600 } };
      return {
        attempt: request(adjustTimers, adjustJobTimers, { as: admin, body, headers: withKey() }),
        check: async () =>
          expect(await readItem(recordKey("JOB", id))).toMatchObject({ timer: 600, revision: before + 1 }),
      };
    },
  },
  "undo-change": {
    holds: "it is carried out once and holds no Idempotency-Key (D32, D41)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([callerLine(admin)]);
      await store([timesheetLine(id, 1, { state: "pending" })]);
      const body = { timesheet: { timesheet_ids: [id], state: "paid" } };
      const { headers } = await call(bulkUpdateTimesheets, bulkUpdate, { as: admin, body });
      const before = Number((await readItem(recordKey("TIMESHEET", id)))?.revision);
      const sent = { parameters: { id: String(headers["change-id"]) }, body: { change: {} }, headers: withKey() };
      return {
        attempt: request(undoHandler, undoChange, { as: admin, ...sent }),
        check: async () => {
          const stored = await readItem(recordKey("TIMESHEET", id));
          expect(stored).toMatchObject({ revision: before + 1, record: { state: "pending" } });
        },
      };
    },
  },
  "mark-notifications": {
    holds: "each notification is counted once (D26)",
    prepare: async () => {
      const userId = newId();
      const { notificationId } = await newPush(userId);
      await newPush(userId);
      const body = { notification: { notification_ids: [notificationId], read: true } };
      return {
        attempt: request(mark, markNotifications, { as: driver(userId), body, headers: withKey() }),
        check: async () => expect(await findUnreadCounts(userId)).toMatchObject({ notifications: 1 }),
      };
    },
  },
  "register-device-token": {
    holds: "the user has one device (D28)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const id = newId();
      await store([callerLine(driver(id))]);
      const body = { notification: { token: `token-${id}`, platform: "fcm", device_id: "d" } };
      return {
        attempt: request(registerDevice, registerDeviceToken, { as: driver(id), body }),
        check: async () => expect(await tokensOf(id)).toEqual([`token-${id}`]),
      };
    },
  },
  "remove-device-token": {
    holds: "the user has no device (D28)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const userId = newId();
      const id = await register(userId, `token-${userId}`);
      return {
        attempt: request(removeDevice, removeDeviceToken, { as: driver(userId), parameters: { id: String(id) } }),
        check: async () => expect(await tokensOf(userId)).toEqual([]),
      };
    },
  },
} as const satisfies Record<string, LossPlan>;
