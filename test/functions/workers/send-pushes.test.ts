import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  SetEndpointAttributesCommand,
} from "@aws-sdk/client-sns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/send-pushes.ts";
import { dropDeviceTokens, findDevices, keepEndpoint } from "../../../shared/notifications/devices.ts";
import { acquireSendLease } from "../../../shared/notifications/sendings.ts";
import { padId } from "../../../shared/table/table.ts";
import { costOf } from "../../support/records/costs.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
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
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

const service = usePushService();
const wentBack = { batchItemFailures: [{ itemIdentifier: "message-0" }] };
const holdMs = 90_000;
let userId = 0;

beforeEach(() => {
  userId = newUserId();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
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

  test("once, however often and side by side the message comes", async () => {
    await register(userId, "once-1");
    await register(userId, "once-2");
    const push = await newPush(userId);
    await Promise.all(Array.from({ length: 6 }, () => send(push)));
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual(["once-1", "once-2"]);
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

test("D29: a device's endpoint is written once: another push costs its lease alone", async () => {
  await Promise.all([register(userId, "one"), register(userId, "two")]);
  const endpoints = async () => (await findDevices(userId)).map(({ endpoint_arn }) => endpoint_arn);
  expect(await endpoints()).toEqual([undefined, undefined]);
  await send(await newPush(userId));
  const kept = await endpoints();
  expect(kept).toEqual([expect.any(String), expect.any(String)]);
  const push = await newPush(userId);
  expect(await costOf(() => send(push))).toMatchObject({ readUnits: 2.5, writeUnits: 2 });
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
  test("keeps every device, serves the others, and comes again for those that were not served", async () => {
    await Promise.all([register(userId, "failing-1"), register(userId, "failing-2")]);
    const push = await newPush(userId);
    service.endpoints.failNext("Publish", "PlatformApplicationDisabled", 1);
    expect([await send(push), await send(push)]).toEqual([wentBack, nothingFailed]);
    expect(pushedTo(service)).toEqual(["failing-1", "failing-2"]);
    expect(await tokensOf(userId)).toHaveLength(2);
  });

  test("for good goes back to the queue each time", async () => {
    await register(userId, "refused");
    const push = await newPush(userId);
    service.endpoints.failNext("Publish", "PlatformApplicationDisabled", 2);
    expect([await send(push), await send(push), await send(push)]).toEqual([wentBack, wentBack, nothingFailed]);
    expect(pushedTo(service)).toEqual(["refused"]);
  });
});

test("D29: a push that another worker holds comes again, and is sent when that one died", async () => {
  await register(userId, "held");
  const push = await newPush(userId);
  vi.useFakeTimers({ toFake: ["Date"], now: new Date() });
  await acquireSendLease(userId, { kind: "PUSH", name: padId(push.notificationId) }, new Date());
  expect(await send(push)).toEqual(wentBack);
  vi.setSystemTime(Date.now() + holdMs + 1);
  expect(await send(push)).toEqual(nothingFailed);
  expect(pushedTo(service)).toEqual(["held"]);
});
