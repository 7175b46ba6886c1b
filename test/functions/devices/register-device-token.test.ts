import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/devices/register-device-token.ts";
import { handler as removeHandler } from "../../../functions/devices/remove-device-token.ts";
import { registerDeviceToken, removeDeviceToken } from "../../../shared/contract/devices.ts";
import { findDeviceOwner } from "../../../shared/notifications/devices.ts";
import { hashToken } from "../../../shared/tokens/secrets.ts";
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

  test("D28: a token that goes from hand to hand is its last user's alone", async () => {
    const users = [newUser(), newUser(), newUser()];
    for (let round = 0; round < 3; round += 1) for (const user of users) await register({ token: "t-shared" }, user);
    const kept = await Promise.all(users.map(({ id }) => devicesOf(id)));
    expect(kept.map((devices) => devices.length)).toEqual([0, 0, 1]);
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
    const tokens = [...mine, ...theirs].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});

describe("D28: a token of APNs is one in any letter case", () => {
  const spellingsOf = (token: string) => [token, token.toUpperCase(), token.replaceAll("a", "A")];
  const hex = (at: number) => `ab${at.toString(16).padStart(2, "0")}c0de`.repeat(8);

  test.each([
    "ios",
    "apple",
    "apns",
    "apns_sandbox",
    undefined,
  ])("which its user registers again for the platform %j: it keeps its id and is answered as sent", async (platform) => {
    const user = newUser();
    const answers = [];
    for (const token of spellingsOf(hex(user.id))) answers.push(await register({ token, platform }, user));
    expect(answers.map(({ body }) => body.notification.token)).toEqual(spellingsOf(hex(user.id)));
    expect(new Set(answers.map(({ body }) => body.notification.id)).size).toBe(1);
    expect(await devicesOf(user.id)).toMatchObject([{ token: hex(user.id) }]);
  });

  test("whichever spelling comes first, also at once and in another session", async () => {
    const user = newUser();
    await Promise.all(
      spellingsOf(hex(user.id)).map((token) => register({ token, platform: "apns", device_id: token }, user)),
    );
    await register({ token: hex(user.id).toUpperCase(), platform: "ios" }, user);
    expect(await devicesOf(user.id)).toMatchObject([{ token: hex(user.id), platform: "ios" }]);
  });

  test("for a phone that changes hands: it moves, and is gone from its former user's list", async () => {
    const users = [newUser(), newUser(), newUser()];
    const [first = { id: 0 }] = users;
    for (const [at, token] of spellingsOf(hex(first.id)).entries()) await register({ token }, users[at] ?? newUser());
    const kept = await Promise.all(users.map(({ id }) => devicesOf(id)));
    expect(kept.map((devices) => devices.length)).toEqual([0, 0, 1]);
  });

  test("for the 20 of a user: a spelling takes no place", async () => {
    const user = newUser();
    const tokens = Array.from({ length: 20 }, (_, at) => hex(at + 0x30));
    for (const token of tokens) await register({ token }, user);
    for (const token of tokens) await register({ token: token.toUpperCase() }, user);
    expect((await devicesOf(user.id)).map(({ token }) => token)).toEqual(tokens);
  });

  test("for its removal: nothing of it stays, and its next user gets an id", async () => {
    const user = newUser();
    await register({ token: hex(user.id).toUpperCase() }, user);
    const { id } = (await register({ token: hex(user.id) }, user)).body.notification;
    await call(removeHandler, removeDeviceToken, { as: user, parameters: { id: String(id) } });
    expect(await devicesOf(user.id)).toEqual([]);
    expect(await findDeviceOwner(hashToken(hex(user.id)), { consistent: true })).toBeUndefined();
    const next = newUser();
    expect((await register({ token: hex(user.id).toUpperCase() }, next)).status).toBe(200);
    expect(await devicesOf(next.id)).toHaveLength(1);
  });

  test("and one of FCM is as written", async () => {
    const user = newUser();
    for (const token of spellingsOf(hex(user.id))) await register({ token, platform: "android" }, user);
    expect((await devicesOf(user.id)).map(({ token }) => token)).toEqual(spellingsOf(hex(user.id)));
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
