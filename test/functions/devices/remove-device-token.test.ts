import { describe, expect, test, vi } from "vitest";
import { handler as registerHandler } from "../../../functions/devices/register-device-token.ts";
import { handler } from "../../../functions/devices/remove-device-token.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../shared/contract/devices.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const driver = { id: 5, role: "driver", company_id: null } as const;
const other = { id: 6, role: "driver", company_id: null } as const;

useService();

async function register(token: string, as: TestUser): Promise<number> {
  await store([callerLine(as)]);
  const answer = await call(registerHandler, registerDeviceToken, { as, body: { notification: { token } } });
  return answer.body.notification.id;
}

function remove(id: number | string, as: TestUser = driver) {
  return call(handler, removeDeviceToken, { as, parameters: { id: String(id) } });
}

describe("200", () => {
  test("D28: an id that no token has is fine", async () => {
    expect(await remove(404)).toMatchObject({ status: 200, body: {} });
  });

  test.each(["1234567890123456", "9007199254740991"])("D28: an id may be as wide as 2^53 − 1: %s", async (id) => {
    expect(await remove(id)).toMatchObject({ status: 200, body: {} });
  });

  test("D28: a device that is registered when ids have 16 digits is removed by its id", async () => {
    vi.useFakeTimers({ now: Date.parse("2031-10-01T00:00:00.000Z"), toFake: ["Date"] });
    try {
      const id = await register("t-2031", driver);
      expect(String(id)).toHaveLength(16);
      expect((await remove(id)).status).toBe(200);
      expect(await register("t-2031", driver)).not.toBe(id);
    } finally {
      vi.useRealTimers();
    }
  });

  test("D28: a token that was removed is free again: registering it gives a new id", async () => {
    const id = await register("t-1", driver);
    expect(await remove(id)).toMatchObject({ status: 200, body: {} });
    expect(await register("t-1", driver)).not.toBe(id);
  });

  test("D28: removing one token leaves the others, and doing it again is fine", async () => {
    const [kept, removed] = [await register("t-kept", driver), await register("t-removed", driver)];
    expect((await remove(removed)).status).toBe(200);
    expect((await remove(removed)).status).toBe(200);
    expect(await register("t-kept", driver)).toBe(kept);
  });

  test("D28: removing a device that moved leaves it to its latest user", async () => {
    const moved = await register("t-moved", driver);
    const id = await register("t-moved", other);
    expect((await remove(moved)).status).toBe(200);
    expect(await register("t-moved", other)).toBe(id);
  });

  test("D3: another user's token is left alone", async () => {
    const id = await register("t-other", other);
    expect((await remove(id)).status).toBe(200);
    expect(await register("t-other", other)).toBe(id);
  });
});

describe("422", () => {
  test.each([
    "seven",
    "-1",
    "1.5",
    "0",
    "%00",
    "9007199254740992",
    "12345678901234567",
  ])("the id %j is named", async (id) => {
    const answer = await remove(id);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ parameter: "id", code: "invalid" }] } });
  });
});
