import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/devices/register-device-token.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { allItems } from "../../support/records/items.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

useService();
let lastUserId = 100;

function newUser() {
  lastUserId += 1;
  return { id: lastUserId, role: "driver", company_id: null } as const;
}

async function register(notification: unknown, as: TestUser) {
  await store([callerLine(as)]);
  return call(handler, registerDeviceToken, { as, body: { notification } });
}

async function devicesOf(userId: number) {
  const items = await allItems([`USER#${userId}`]);
  return items.filter(({ sk }) => String(sk).startsWith("DEVICE#"));
}

describe("200", () => {
  test.each([
    ["t-1", undefined, "fcm"],
    ["t-2", null, "fcm"],
    ["0123abcd".repeat(7), "", "fcm"],
    ["0123ABcd".repeat(8), undefined, "apns"],
    ["0123abcd".repeat(20), null, "apns"],
    [`${"0123abcd".repeat(8)}:`, undefined, "fcm"],
  ])("D28: of the token %s with the platform %j the push service is answered: %s", async (token, platform, service) => {
    const user = newUser();
    const answer = await register({ token, platform, device_id: platform }, user);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ notification: { id: expect.any(Number), platform: service, token } });
    expect(await devicesOf(user.id)).toMatchObject([{ push_service: service, platform: service }]);
  });

  test.each([
    ["fcm", "fcm", "x".repeat(4_096)],
    ["GCM", "fcm"],
    ["google", "fcm"],
    ["Android", "fcm", "fMEP0vJqS0mR7yT1wXc2Zk:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx_3"],
    ["web", "fcm"],
    ["apns", "apns"],
    ["iOS", "apns", "0123456789abcdefABCDEF".repeat(3)],
    ["ios", "fcm", "fMEP0vJqS0mR7yT1wXc2Zk:APA91b"],
    ["apple", "apns", "a".repeat(64)],
    ["Apple", "fcm"],
    ["apns_sandbox", "apns_sandbox", "a".repeat(400)],
  ])("D28: the platform %s is echoed as sent and kept for %s", async (platform, pushService, token = "") => {
    const user = newUser();
    const answer = await register({ token: token || Buffer.from(platform).toString("hex"), platform }, user);
    expect(answer.body.notification.platform).toBe(platform);
    expect(await devicesOf(user.id)).toMatchObject([{ push_service: pushService, platform }]);
  });

  test("D28: the same token again keeps its id and is kept once", async () => {
    const user = newUser();
    const first = await register({ token: "5a3e" }, user);
    const second = await register({ token: "5a3e", platform: "ios" }, user);
    expect(second.body.notification).toEqual({ ...first.body.notification, platform: "ios" });
    expect(await devicesOf(user.id)).toHaveLength(1);
  });

  test("D28: of a token that goes from hand to hand each former user has one device", async () => {
    const users = [newUser(), newUser(), newUser()];
    for (let round = 0; round < 3; round += 1) for (const user of users) await register({ token: "t-shared" }, user);
    const kept = await Promise.all(users.map(({ id }) => devicesOf(id)));
    expect(kept.map((devices) => devices.map(({ moved_at }) => moved_at !== undefined))).toEqual([
      [true],
      [true],
      [false],
    ]);
  });

  test("D28: a new token for the same device replaces the old one", async () => {
    const user = newUser();
    await register({ token: "t-old", device_id: "phone" }, user);
    await register({ token: "t-other", device_id: "tablet" }, user);
    await register({ token: "t-new", device_id: "phone" }, user);
    expect((await devicesOf(user.id)).map(({ token }) => token).sort()).toEqual(["t-new", "t-other"]);
    expect((await register({ token: "t-old" }, newUser())).status).toBe(200);
  });

  test("D28: a user keeps 20 tokens, the oldest goes", async () => {
    const user = newUser();
    for (let index = 1; index <= 22; index += 1) {
      await register({ token: `t-many-${index}`, device_id: `d-${index}` }, user);
    }
    await register({ token: "t-many-new", device_id: "d-22" }, user);
    const tokens = (await devicesOf(user.id)).map(({ token }) => token);
    expect(tokens).toEqual([...Array.from({ length: 19 }, (_, at) => `t-many-${at + 3}`), "t-many-new"]);
  });

  test("D28: many tokens registered at once never exceed 20, and no two users keep one token", async () => {
    const [one, other] = [newUser(), newUser()];
    for (let index = 1; index <= 18; index += 1) await register({ token: `t-race-${index}` }, one);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => register({ token: `t-late-${index % 3}` }, index % 2 ? one : other)),
    );
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    const [mine, theirs] = [await devicesOf(one.id), await devicesOf(other.id)];
    expect(mine.length).toBeLessThanOrEqual(20);
    const tokens = [...mine, ...theirs].flatMap(({ token, moved_at }) => (moved_at === undefined ? [token] : []));
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});

test.each([
  ["fcm", "two words"],
  ["web", "https://push.example/1"],
  ["gcm", "tökèn"],
  ["apns", "fMEP0vJqS0mR7yT1wXc2Zk:APA91b"],
  ["apple", "<0123abcd 4567>"],
  ["apns", "a".repeat(401)],
  ["apns_sandbox", "abcg"],
  ...["undefined", "null", "NULL", "nil", "BLACKLISTED"].map((token) => ["android", token]),
])("D28: 422: %s has no token %j, and nothing is kept", async (platform, token) => {
  const user = newUser();
  const answer = await register({ token, platform }, user);
  const errors = [{ pointer: "/notification/token", code: "invalid" }];
  expect(answer).toMatchObject({ status: 422, body: { code: "fields_invalid", errors } });
  expect(await devicesOf(user.id)).toEqual([]);
});
