import { expect } from "vitest";
import { handler as registerDevice } from "../../../../functions/devices/register-device-token.ts";
import { handler as removeDevice } from "../../../../functions/devices/remove-device-token.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../../shared/contract/devices.ts";
import { findUnreadCounts } from "../../../../shared/notifications/notifications.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { callerLine, jobLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { readItem } from "../../../support/records/writes.ts";
import { call, type TestAnswer } from "../../../support/requests/call.ts";
import { adjust, mark, markRead, undo } from "../../../support/requests/changes.ts";
import { newPush, register, tokensOf } from "../../../support/workers/pushes.ts";
import { type LossPlan, newId, request, type Scenario } from "./scenario.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const driver = (id: number) => ({ id, role: "driver", company_id: 1 }) as const;
const keyed = "it is carried out once and holds no Idempotency-Key (D32)";

/** A change of a new record by the admin, which is to be made once. */
async function prepareChange(
  kind: "TIMESHEET" | "JOB",
  begin: (id: number) => Promise<(key: string) => Promise<TestAnswer>>,
  changed: object,
): Promise<Scenario> {
  const id = newId();
  const record = kind === "JOB" ? jobLine(id, 1) : timesheetLine(id, 1, { state: "pending" });
  await store([callerLine(admin), record]);
  const send = await begin(id);
  const before = Number((await readItem(recordKey(kind, id)))?.revision);
  const key = crypto.randomUUID();
  return {
    attempt: request(() => send(key)),
    check: async () => expect(await readItem(recordKey(kind, id))).toMatchObject({ revision: before + 1, ...changed }),
  };
}

/** The plans of what users change. */
export const recordLosses = {
  "bulk-update-timesheets": {
    holds: keyed,
    loses: "TransactWriteItems",
    prepare: () =>
      prepareChange("TIMESHEET", async (id) => (key) => mark(admin, [id], "paid", { key }), {
        record: expect.objectContaining({ state: "paid" }),
      }),
  },
  "adjust-job-timers": {
    holds: keyed,
    loses: "TransactWriteItems",
    prepare: () => prepareChange("JOB", async (id) => (key) => adjust(admin, [id], 600, { key }), { timer: 600 }),
  },
  "undo-change": {
    holds: keyed,
    loses: "TransactWriteItems",
    prepare: () => {
      const begin = async (id: number) => {
        const { headers } = await mark(admin, [id], "paid");
        return (key: string) => undo(admin, headers["change-id"], { key });
      };
      return prepareChange("TIMESHEET", begin, { record: expect.objectContaining({ state: "pending" }) });
    },
  },
  "mark-notifications": {
    holds: "each notification is counted once (D26)",
    prepare: async () => {
      const userId = newId();
      await store([callerLine(driver(userId))]);
      const { notificationId } = await newPush(userId);
      await newPush(userId);
      return {
        attempt: request(() => markRead(driver(userId), [notificationId], true)),
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
        attempt: request(() => call(registerDevice, registerDeviceToken, { as: driver(id), body })),
        check: async () => expect(await tokensOf(id)).toEqual([`token-${id}`]),
      };
    },
  },
  "remove-device-token": {
    holds: "the user has no device (D28)",
    loses: "TransactWriteItems",
    prepare: async () => {
      const userId = newId();
      const sent = { as: driver(userId), parameters: { id: String(await register(userId, `token-${userId}`)) } };
      await store([callerLine(driver(userId))]);
      return {
        attempt: request(() => call(removeDevice, removeDeviceToken, sent)),
        check: async () => expect(await tokensOf(userId)).toEqual([]),
      };
    },
  },
} as const satisfies Record<string, LossPlan>;
