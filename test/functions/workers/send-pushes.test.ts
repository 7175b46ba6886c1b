import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  SetEndpointAttributesCommand,
} from "@aws-sdk/client-sns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { markByIds } from "../../../functions/notifications/mark-notifications.ts";
import { handler } from "../../../functions/workers/send-pushes.ts";
import { streamFilters } from "../../../infra/functions/stream-filters.ts";
import { matchesAny } from "../../../infra/runtime/filter-patterns.ts";
import { dropDeviceTokens, findDevices, keepEndpoint } from "../../../shared/notifications/devices.ts";
import { notificationKey } from "../../../shared/notifications/notifications.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { driverContext } from "../../support/records/contexts.ts";
import { costOf } from "../../support/records/costs.ts";
import { notificationLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import {
  applications,
  endpointOf,
  newPush,
  newUserId,
  pushedTo,
  register,
  tokensOf,
  usePushService,
} from "../../support/workers/pushes.ts";
import { nothingFailed, queueEvent, streamRecord } from "../../support/workers/workers.ts";
import { besideHandlers } from "../../system/rights/recorded-calls.ts";

const service = usePushService();
const wentBack = { batchItemFailures: [{ itemIdentifier: "message-0" }] };
let userId = 0;

beforeEach(() => {
  userId = newUserId();
});
afterEach(() => {
  vi.unstubAllEnvs();
  service.endpoints.failNext("Publish", "PlatformApplicationDisabled", 0);
});

const send = (...messages: unknown[]) => handler(queueEvent(...messages));

describe("D29: a notification is pushed", () => {
  test("to each device of its user through its push service, and to no other", async () => {
    await register(userId, "fcm-1");
    await register(userId, "abc123", "apns");
    await register(userId, "abc456", "apns_sandbox");
    const push = await newPush(userId);
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["abc123", "fcm-1"]);
    const texts = service.inbox.entries().map(({ text }) => text ?? "");
    expect(texts.find((text) => text.includes("fcmV1Message"))).toContain(String(push.notificationId));
    expect(texts.find((text) => text.includes('"aps"'))).toContain("A job was published");
  });

  test("to an app in development through the sandbox, where the stage has one", async () => {
    vi.stubEnv("PLATFORM_APPLICATIONS", JSON.stringify(applications));
    await register(userId, "abc012", "apns_sandbox");
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["abc012"]);
    expect(await endpointOf(userId, "abc012")).toMatch(/:endpoint\/APNS_SANDBOX\/workforce\//);
  });

  test.each([
    ["read", () => newPush(userId, { read_at: "2026-05-02T09:00:00.000Z" })],
    ["gone", async () => ({ userId, notificationId: 1 })],
  ])("not when it is %s by now", async (_, push) => {
    await register(userId, "unused");
    expect(await send(await push())).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual([]);
  });

  test("to nobody who has no device", async () => {
    await store([userLine(userId)]);
    const push = await newPush(userId);
    expect(await costOf(() => send(push))).toMatchObject({ writeUnits: 0 });
  });

  test("the next time without creating the endpoint again", async () => {
    await register(userId, "kept");
    await send(await newPush(userId));
    expect(await endpointOf(userId, "kept")).toMatch(/:endpoint\/GCM\/workforce\//);
    service.endpoints.failNext("CreatePlatformEndpoint", "AuthorizationError", 1);
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    service.endpoints.failNext("CreatePlatformEndpoint", "AuthorizationError", 0);
    expect(pushedTo(service)).toEqual(["kept", "kept"]);
  });

  test("again with the same collapse id if the queue delivers its message twice", async () => {
    await register(userId, "again");
    const push = await newPush(userId);
    await Promise.all([send(push), send(push)]);
    expect(pushedTo(service)).toEqual(["again", "again"]);
    const texts = service.inbox.entries().map(({ text }) => text ?? "");
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(`"collapse_key":"${push.notificationId}"`);
  });
});

test("D28: a device that moved gets its latest user's pushes alone, and keeps no endpoint of its former one's", async () => {
  await register(userId, "moving");
  const push = await newPush(userId);
  await send(push);
  const [former] = await findDevices(userId);
  if (!former) throw new Error("There is no device");
  const latest = newUserId();
  await register(latest, "moving");
  service.inbox.clear();
  expect(await send(await newPush(userId))).toEqual(nothingFailed);
  expect(pushedTo(service)).toEqual([]);
  await keepEndpoint(userId, former, "arn:under-way");
  expect(await endpointOf(userId, "moving")).toBeUndefined();
  await send(await newPush(latest));
  expect(pushedTo(service)).toEqual(["moving"]);
});

test("D28: SNS has one endpoint of a token of APNs, however it is spelt, also for its next user", async () => {
  vi.stubEnv("PLATFORM_APPLICATIONS", JSON.stringify(applications));
  for (const pushService of ["apns", "apns_sandbox"] as const) {
    service.inbox.clear();
    const [token, latest] = [`abcdef${newUserId()}`, newUserId()];
    await register(userId, token.toUpperCase(), pushService);
    await send(await newPush(userId));
    const endpoint = await endpointOf(userId, token);
    await register(latest, token, pushService);
    await register(latest, token.toUpperCase(), pushService);
    await send(await newPush(latest));
    expect(await endpointOf(latest, token)).toBe(endpoint);
    expect(endpoint).toBeDefined();
    await send(await newPush(userId));
    expect(pushedTo(service)).toEqual([token, token]);
  }
});

test("D29: a device's endpoint is written once: another push writes nothing", async () => {
  await Promise.all([register(userId, "one"), register(userId, "two")]);
  const endpoints = async () => (await findDevices(userId)).map(({ endpoint_arn }) => endpoint_arn);
  expect(await endpoints()).toEqual([undefined, undefined]);
  await send(await newPush(userId));
  const kept = await endpoints();
  expect(kept).toEqual([expect.any(String), expect.any(String)]);
  const push = await newPush(userId);
  expect(await costOf(() => send(push))).toMatchObject({ readUnits: 2.5, writeUnits: 0 });
  expect(await endpoints()).toEqual(kept);
});

/** Expects one device to have been dropped, which is in a log line and a metric, without its token. */
function expectDropped(code: string, device_id: number, token: string): void {
  const lines = loggedLines.filter((line) => line.includes('"device dropped"')).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ level: "warn", code, device_id }]);
  expect(countedMetrics()).toEqual([{ DevicesDropped: 1 }]);
  expect(loggedLines.join()).not.toContain(token);
}

test("D29: a device whose token its push service refuses is dropped", async () => {
  const token = "no hexadecimal digits";
  const id = await register(userId, token, "apns");
  loggedLines.length = 0;
  await send(await newPush(userId));
  expect(await tokensOf(userId)).toEqual([]);
  expectDropped("token_refused", id, token);
});

describe("D29: an endpoint", () => {
  test("that is disabled goes with its device token; the other devices are served", async () => {
    const [stale] = await Promise.all([register(userId, "stale"), register(userId, "fresh")]);
    await send(await newPush(userId));
    service.inbox.clear();
    loggedLines.length = 0;
    const EndpointArn = await endpointOf(userId, "stale");
    await service.sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } }));
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["fresh"]);
    expect(await tokensOf(userId)).toEqual(["fresh"]);
    expectDropped("endpoint_disabled", stale, "stale");
    const asked = new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "true" } });
    await expect(service.sns.send(asked)).rejects.toMatchObject({ name: "NotFoundException" });
  });

  test("that went stale is opened again when the device registers its token again", async () => {
    const id = await register(userId, "returning");
    await send(await newPush(userId));
    const EndpointArn = await endpointOf(userId, "returning");
    await dropDeviceTokens(userId, [id]);
    await service.sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } }));
    await register(userId, "returning");
    expect(await endpointOf(userId, "returning")).toBeUndefined();
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["returning", "returning"]);
  });

  test("that is not there any more is created again", async () => {
    await register(userId, "missing");
    await send(await newPush(userId));
    const EndpointArn = await endpointOf(userId, "missing");
    await service.sns.send(new DeleteEndpointCommand({ EndpointArn }));
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["missing", "missing"]);
    expect(await endpointOf(userId, "missing")).not.toBe(EndpointArn);
  });

  test("that others made for the token with attributes of their own is used", async () => {
    const made = { PlatformApplicationArn: applications.fcm, Token: "shared", CustomUserData: "theirs" };
    const { EndpointArn } = await service.sns.send(new CreatePlatformEndpointCommand(made));
    await register(userId, "shared");
    expect(await send(await newPush(userId))).toEqual(nothingFailed);
    expect(await endpointOf(userId, "shared")).toBe(EndpointArn);
  });
});

describe("D29: a push that fails", () => {
  /** Two devices, of which one is served: gives the message, which came back, and the ids of both. */
  async function servedHalf() {
    const ids = await Promise.all([register(userId, "half-1"), register(userId, "half-2")]);
    const push = await newPush(userId);
    failNext(1);
    expect(await send(push)).toEqual(wentBack);
    expect(pushedTo(service)).toHaveLength(1);
    return { push, ids, key: notificationKey(userId, push.notificationId) };
  }

  const failNext = (times: number) => service.endpoints.failNext("Publish", "PlatformApplicationDisabled", times);

  test("keeps every device, serves the others, and comes again for those that were not served", async () => {
    const { push, ids, key } = await servedHalf();
    const { pushed_to } = (await readItem(key)) ?? {};
    expect(pushed_to).toEqual([expect.any(Number)]);
    expect(ids).toEqual(expect.arrayContaining(pushed_to as number[]));
    expect(await costOf(() => send(push))).toMatchObject({ writeUnits: 1 });
    expect(pushedTo(service)).toEqual(["half-1", "half-2"]);
    expect(await tokensOf(userId)).toHaveLength(2);
  });

  test("adds to those that were served before, each time that it serves a further one", async () => {
    const ids = await Promise.all(["1", "2", "3"].map((token) => register(userId, token)));
    const push = await newPush(userId);
    for (const failing of [2, 1]) {
      failNext(failing);
      expect(await send(push)).toEqual(wentBack);
    }
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["1", "2", "3"]);
    const { pushed_to } = (await readItem(notificationKey(userId, push.notificationId))) ?? {};
    expect(pushed_to).toHaveLength(2);
    expect(ids).toEqual(expect.arrayContaining(pushed_to as number[]));
  });

  test("pushes to all once more where those that were served could not be kept", async () => {
    await Promise.all([register(userId, "twice-1"), register(userId, "twice-2")]);
    const push = await newPush(userId);
    failNext(1);
    const die = (_: string, input: object) => {
      if (JSON.stringify(input).includes("pushed_to")) throw new Error("The worker ends here");
    };
    expect(await beforeCalls(die, () => send(push))).toEqual(wentBack);
    const [served] = pushedTo(service);
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["twice-1", "twice-2", served].sort());
  });

  test("for good goes back to the queue each time, and writes nothing", async () => {
    await register(userId, "refused");
    const push = await newPush(userId);
    failNext(2);
    expect(await costOf(() => send(push))).toMatchObject({ writeUnits: 0 });
    expect([await send(push), await send(push)]).toEqual([wentBack, nothingFailed]);
    expect(pushedTo(service)).toEqual(["refused"]);
  });

  test("serves the failed device alone when the notification was marked and changed since", async () => {
    const { push } = await servedHalf();
    for (const read of [true, false]) await markByIds([push.notificationId], read, driverContext(userId));
    await write(notificationLine(push.notificationId, userId, { record_id: 99 }));
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["half-1", "half-2"]);
  });

  test("says so in no field of the notification, and starts no push, event or history", async () => {
    const { push, key } = await servedHalf();
    const after = (await readItem(key)) ?? {};
    const { pushed_to: _, ...before } = after;
    for (const patterns of Object.values(streamFilters)) {
      expect(matchesAny(streamRecord(key, { after: before }), patterns)).toBe(patterns === streamFilters.notify);
      expect(matchesAny(streamRecord(key, { before, after }), patterns)).toBe(false);
    }
    const [shown] = (await markByIds([push.notificationId], true, driverContext(userId))).items;
    expect(Object.keys(shown ?? {}).sort()).toEqual(
      ["created_at", "id", "params", "read_at", "record_id", "record_type"].sort(),
    );
  });

  test.each([
    ["read", (id: number) => markByIds([id], true, driverContext(userId)), { record: { read_at: expect.any(String) } }],
    ["gone", (id: number) => write({ type: "notification", id, user_id: userId, deleted: true }), undefined],
  ])("leaves a notification that is %s meanwhile as it is", async (_, change, left) => {
    await Promise.all([register(userId, "meanwhile-1"), register(userId, "meanwhile-2")]);
    const push = await newPush(userId);
    failNext(1);
    let isChanged = false;
    const meanwhile = async (command: string, input: object) => {
      if (isChanged || command !== "UpdateItemCommand" || !JSON.stringify(input).includes("pushed_to")) return;
      isChanged = true;
      await besideHandlers(() => change(push.notificationId));
    };
    expect(await beforeCalls(meanwhile, () => send(push))).toEqual(wentBack);
    expect(isChanged).toBe(true);
    const stored = await readItem(notificationKey(userId, push.notificationId));
    if (left) expect(stored).toMatchObject(left);
    else expect(stored).toBeUndefined();
    expect(stored ?? {}).not.toHaveProperty("pushed_to");
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toHaveLength(1);
  });

  test("and is kept while its user marks it hinders no mark", async () => {
    await Promise.all([register(userId, "marked-1"), register(userId, "marked-2")]);
    const push = await newPush(userId);
    failNext(1);
    let commits = 0;
    const meanwhile = async (command: string) => {
      if (command !== "TransactWriteItemsCommand") return;
      commits += 1;
      if (commits === 1) expect(await send(push)).toEqual(wentBack);
    };
    const mark = () => markByIds([push.notificationId], true, driverContext(userId));
    expect((await beforeCalls(meanwhile, mark)).items).toMatchObject([{ read_at: expect.any(String) }]);
    expect(commits).toBe(1);
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toHaveLength(1);
  });
});
