import { describe, expect, onTestFinished, test, vi } from "vitest";
import { handler } from "../../../functions/devices/list-device-tokens.ts";
import { handler as registerHandler } from "../../../functions/devices/register-device-token.ts";
import { listDeviceTokens, registerDeviceToken } from "../../../shared/contract/devices.ts";
import { saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { endSessionFamily, sessionKey } from "../../../shared/people/sessions.ts";
import { userKey } from "../../../shared/people/users.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { testChange } from "../../support/records/contexts.ts";
import { at } from "../../support/records/own-user.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, testSession } from "../../support/tokens/tokens.ts";

useService();
let lastUserId = 100;

async function newUser() {
  lastUserId += 1;
  const user = { id: lastUserId, role: "driver", company_id: null } as const;
  await store([callerLine(user)]);
  return user;
}

const list = (as: TestUser) => call(handler, listDeviceTokens, { as });

async function register(notification: object, as: TestUser): Promise<number> {
  return (await call(registerHandler, registerDeviceToken, { as, body: { notification } })).body.notification.id;
}

test("D5: 401: of a session that was ended, though its access token lasts, and of a user who was removed", async () => {
  const user = await newUser();
  await endSessionFamily(user.id, testSession, testChange());
  for (const as of [user, { ...user, id: 99 }]) expectProblem(await list(as), 401, "token_invalid");
});

describe("200", () => {
  test("D28: the caller's own devices, newest first, without their tokens", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const phone = await register({ token: "phone-token", platform: "Android", device_id: "phone" }, user);
    const tablet = await register({ token: "abcdef0123", platform: "ios" }, user);
    await register({ token: "of-another" }, other);
    const { status, body, headers } = await list(user);
    expect(status).toBe(200);
    const registered_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const common = { registered_at, current: true };
    expect(body.tokens).toEqual([
      { id: tablet, platform: "ios", device_id: null, ...common },
      { id: phone, platform: "Android", device_id: "phone", ...common },
    ]);
    expect(headers.total).toBe("2");
    for (const secret of ["phone-token", "abcdef0123", "of-another"])
      expect(JSON.stringify(body)).not.toContain(secret);
  });

  test("D28: when it was registered", async () => {
    at("2031-10-01T08:30:00.123");
    onTestFinished(() => void vi.useRealTimers());
    const user = await newUser();
    await register({ token: "timed" }, user);
    expect((await list(user)).body.tokens).toMatchObject([{ registered_at: "2031-10-01T08:30:00.123Z" }]);
  });

  test("D28: one that moved to another user under a new id is theirs alone, and comes back under another", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const id = await register({ token: "taken" }, user);
    const taken = await register({ token: "taken" }, other);
    expect(taken).not.toBe(id);
    expect((await list(user)).body.tokens).toEqual([]);
    expect((await list(other)).body.tokens).toMatchObject([{ id: taken }]);
    const again = await register({ token: "taken" }, user);
    expect((await list(user)).body.tokens).toMatchObject([{ id: again }]);
    expect((await list(other)).body.tokens).toEqual([]);
  });

  test("D28: a device of another session is not the current one", async () => {
    const user = await newUser();
    const device = { token: "elsewhere", platform: "fcm", pushService: "fcm", family: "another" } as const;
    await saveDeviceToken(user.id, device, 1_000);
    expect((await list(user)).body.tokens).toMatchObject([{ id: 1_000, current: false }]);
  });

  test("D14: what was registered before all sessions ended gets no pushes, and is not shown", async () => {
    const user = await newUser();
    await register({ token: "before" }, user);
    await updateIf(userKey(user.id), { set: { session_epoch: 1 } });
    expectProblem(await list(user), 401, "token_invalid");
    await updateIf(sessionKey(user.id, testSession), { set: { epoch: 1 } });
    expect((await list(user)).body.tokens).toEqual([]);
  });
});
