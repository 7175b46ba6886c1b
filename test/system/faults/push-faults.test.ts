import { SetEndpointAttributesCommand } from "@aws-sdk/client-sns";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/send-pushes.ts";
import { acquireSendLease } from "../../../shared/db/accounts/sendings.ts";
import { dropDeviceTokens } from "../../../shared/db/notifications/device-tokens.ts";
import { padId } from "../../../shared/db/table/item-keys.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import {
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
afterEach(() => vi.useRealTimers());

const send = (...messages: unknown[]) => handler(queueEvent(...messages));

describe("D29: a push that fails", () => {
  test.each([
    "Throttled",
    "PlatformApplicationDisabled",
    "InternalError",
  ])("by %s keeps every device, serves the others, and comes again for those that were not served", async (code) => {
    await Promise.all([register(userId, `${code}-1`), register(userId, `${code}-2`)]);
    await send(await newPush(userId));
    service.inbox.clear();
    const push = await newPush(userId);
    // One device is refused at each of its tries, or the first of both: what was served is not served again.
    service.endpoints.failNext("Publish", code, 1);
    await send(push);
    expect(await send(push)).toEqual(nothingFailed);
    expect(pushedTo(service)).toEqual([`${code}-1`, `${code}-2`]);
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

test("D29: killed at every call that it makes, nothing is lost, and what is doubled shows once", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date() });
  const calls = await crashEverywhere(async (kill, place) => {
    userId = newUserId();
    const ids = [
      await register(userId, `${place} a`),
      await register(userId, `${place} b`),
      await register(userId, `${place} c`),
    ];
    await send(await newPush(userId));
    const EndpointArn = await endpointOf(userId, `${place} c`);
    await service.sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } }));
    await dropDeviceTokens(userId, ids.slice(0, 1));
    await register(userId, `${place} a`);
    service.inbox.clear();
    const push = await newPush(userId);
    const wasKilled = await kill(() => send(push));
    vi.setSystemTime(Date.now() + holdMs + 1);
    expect(await send(push)).toEqual(nothingFailed);
    const pushed = pushedTo(service);
    expect([...new Set(pushed)]).toEqual([`${place} a`, `${place} b`]);
    expect(pushed.length).toBeLessThanOrEqual(wasKilled ? 4 : 2);
    expect(service.inbox.entries().every(({ text }) => text?.includes(String(push.notificationId)))).toBe(true);
    expect(await tokensOf(userId)).toEqual([`${place} a`, `${place} b`]);
    expect(await endpointOf(userId, `${place} b`)).toBeDefined();
  });
  expect(calls).toBeGreaterThanOrEqual(10);
}, 60_000);

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
