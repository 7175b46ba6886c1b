import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { handler as registerHandler } from "../../../functions/devices/register-device-token.ts";
import { handler } from "../../../functions/devices/remove-device-token.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../shared/contract/devices.ts";
import { at } from "../../support/records/own-user.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const driver = { id: 5, role: "driver", company_id: null } as const;
const other = { id: 6, role: "driver", company_id: null } as const;

useService();
beforeAll(() => store([callerLine(driver)]));

async function register(token: string, as: TestUser): Promise<number> {
  await store([callerLine(as)]);
  const answer = await call(registerHandler, registerDeviceToken, { as, body: { notification: { token } } });
  return answer.body.notification.id;
}

function remove(id: number | string, as: TestUser = driver) {
  return call(handler, removeDeviceToken, { as, parameters: { id: String(id) } });
}

test.each([
  "404",
  "1234567890123456",
  "9007199254740991",
])("D28: the id %s, which no token has, is fine", async (id) => {
  expect(await remove(id)).toMatchObject({ status: 200, body: {} });
});

test("D28: a device that is registered when ids have 16 digits is removed by its id", async () => {
  at("2031-10-01T00:00:00.000");
  onTestFinished(() => void vi.useRealTimers());
  const id = await register("t-2031", driver);
  expect(String(id)).toHaveLength(16);
  expect((await remove(id)).status).toBe(200);
  expect(await register("t-2031", driver)).not.toBe(id);
});

test("D28: a token that was removed is free again: a new id; others stay, and doing it again is fine", async () => {
  const [kept, removed] = [await register("t-kept", driver), await register("t-removed", driver)];
  for (let time = 0; time < 2; time += 1) expect(await remove(removed)).toMatchObject({ status: 200, body: {} });
  expect(await register("t-kept", driver)).toBe(kept);
  expect(await register("t-removed", driver)).not.toBe(removed);
});

test("D3, D28: another user's token is left alone, and one that moved is its latest user's", async () => {
  const moved = await register("t-moved", driver);
  const id = await register("t-moved", other);
  for (const each of [moved, id]) expect((await remove(each)).status).toBe(200);
  expect(await register("t-moved", other)).toBe(id);
});
