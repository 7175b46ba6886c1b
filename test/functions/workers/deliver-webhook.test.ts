import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { handler } from "../../../functions/workers/deliver-webhook.ts";
import { enableWebhook, findWebhook, keepFailure } from "../../../shared/db/webhooks.ts";
import { noteFailure } from "../../../shared/webhooks/failures.ts";
import { readWebhookKeys, shownSecret } from "../../../shared/webhooks/webhook-secrets.ts";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { eventOut } from "../../support/workers/events.ts";
import { takeMessages } from "../../support/workers/queues.ts";
import { onBus, receiver, testWebhook, useReceiver, webhookBatch } from "../../support/workers/receiver.ts";
import { nothingFailed } from "../../support/workers/workers.ts";

vi.mock("../../../shared/webhooks/post.ts", async (original) => {
  const { toReceiver } = await import("../../support/workers/receiver.ts");
  return toReceiver(await original());
});

useService();
useReceiver();

const start = new Date("2026-06-01T08:00:00.000Z");
const minutes = (count: number) => new Date(start.getTime() + count * 60_000);
const comesAgain = { batchItemFailures: [{ itemIdentifier: "message-0" }] };
const event = eventOut(17);
const pauses: number[] = [];
const commands: string[] = [];

watchCalls(({ command, input }, send) => {
  commands.push(command);
  if (command !== "ChangeMessageVisibilityCommand") return send();
  pauses.push((input as { VisibilityTimeout: number }).VisibilityTimeout);
  // What a test hands over was never received, and no queue knows it.
  return send().catch((error) => {
    expect(error.name).toBe("MessageNotInflight");
    return { output: {}, response: {} };
  });
});

beforeEach(async () => {
  pauses.length = 0;
  await enableWebhook(testWebhook().name);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

function at(now: Date): void {
  vi.useFakeTimers({ now, toFake: ["Date"] });
}

/** One attempt at a moment, of a message that came first at the start unless another moment is given. */
function attempt(now: Date, coming: Parameters<typeof webhookBatch>[1] = {}) {
  at(now);
  return handler(webhookBatch(onBus(event), { queuedAt: start, ...coming }));
}

const health = async () => (await findWebhook(testWebhook())).health;
const deadLetters = () => takeMessages("WEBHOOK_DEAD_LETTERS_URL");

describe("D42: an event is delivered", () => {
  test("as it is on the bus, signed so that the public library takes it, also at an attempt 20 minutes later", async () => {
    loggedLines.length = 0;
    receiver.status = 500;
    expect(await attempt(start)).toEqual(comesAgain);
    receiver.status = 299;
    expect(await attempt(minutes(20), { received: 2 })).toEqual(nothingFailed);
    const logged = loggedLines.map((line) => JSON.parse(line)).filter(({ message }) => message === "processed");
    expect(logged.map((line) => line.attempt)).toEqual([undefined, 2]);
    const library = new Webhook(shownSecret(await readWebhookKeys(), testWebhook().name));
    const moments = [start, minutes(20)];
    for (const [index, { headers, body }] of receiver.got.entries()) {
      vi.setSystemTime(moments[index] ?? 0);
      expect(library.verify(body, headers as Record<string, string>)).toEqual(event);
      expect(headers["webhook-id"]).toBe(event.id);
      expect(headers["content-type"]).toBe("application/cloudevents+json");
    }
    const [first, again] = receiver.got;
    expect(again?.body).toEqual(first?.body);
    expect(again?.headers["webhook-timestamp"]).toBe(String(minutes(20).getTime() / 1000));
    expect(again?.headers["webhook-signature"]).not.toBe(first?.headers["webhook-signature"]);
  });

  test("declared as JSON, the same and signed in the same way, where the webhook says so", async () => {
    await attempt(start);
    vi.stubEnv("WEBHOOKS", process.env.WEBHOOKS?.replace('"url"', '"contentType":"json","url"'));
    expect(testWebhook().contentType).toBe("json");
    expect(await attempt(start)).toEqual(nothingFailed);
    const [usual, plain] = receiver.got.map(({ headers, body }) => ({ ...headers, body: String(body) }));
    expect(plain).toEqual({ ...usual, "content-type": "application/json" });
  });

  test("with fields that this release does not know", async () => {
    at(start);
    const newer = { ...event, since: "0.3", data: { ...event.data, note: "new" } };
    expect(await handler(webhookBatch(onBus(newer)))).toEqual(nothingFailed);
    expect(JSON.parse(String(receiver.got[0]?.body))).toEqual(newer);
  });

  test("and writes nothing while all is well; the log has ids and the status, nothing of the event or the address", async () => {
    loggedLines.length = commands.length = 0;
    expect(await attempt(start)).toEqual(nothingFailed);
    expect(commands.filter((command) => /^(Put|Update|Delete)Item/.test(command))).toEqual([]);
    expect(await health()).toBeUndefined();
    const text = loggedLines.join("");
    expect(text).toContain(event.id);
    expect(text).toContain('"status":200');
    for (const kept of ["receiver.workforce.example", "120.00", "whsec_"]) expect(text).not.toContain(kept);
  });
});

describe("D42: what fails", () => {
  test.each([
    300, 404, 500,
  ])("comes again after a pause when it is answered %i, and is no fault of the service", async (status) => {
    receiver.status = status;
    receiver.headers = { location: "/elsewhere" };
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    onTestFinished(() => random.mockRestore());
    loggedLines.length = 0;
    expect(await attempt(start)).toEqual(comesAgain);
    expect(countedMetrics().filter((each) => "Faults" in each)).toEqual([]);
    expect(receiver.got).toHaveLength(1);
    expect(pauses).toEqual([9]);
    expect(await deadLetters()).toEqual([]);
  });

  test("comes after what the receiver asks for, up to half an hour", async () => {
    receiver.status = 503;
    receiver.headers = { "retry-after": "120" };
    await attempt(start);
    receiver.headers = { "retry-after": "86400" };
    await attempt(minutes(2), { received: 2 });
    expect(pauses).toEqual([120, 1_800]);
  });

  test("goes to the dead letters as it came, once the next attempt would be after 24 hours", async () => {
    receiver.status = 500;
    expect(await attempt(minutes(23 * 60), { received: 50 })).toEqual(comesAgain);
    expect(await deadLetters()).toEqual([]);
    expect(await attempt(minutes(24 * 60 - 1), { received: 52 })).toEqual(nothingFailed);
    const [letter, ...others] = await deadLetters();
    expect(letter).toMatchObject({ "detail-type": event.type, detail: event });
    expect(others).toEqual([]);
  });

  test("is kept, until the next success", async () => {
    receiver.status = 500;
    await attempt(start);
    await attempt(minutes(2), { received: 3 });
    expect(await health()).toMatchObject({
      failing_since: start.toISOString(),
      failed_at: minutes(2).toISOString(),
    });
    receiver.status = 200;
    await attempt(minutes(3));
    expect(await health()).toBeUndefined();
  });
});

describe("D42: a webhook is disabled", () => {
  /** Stores the state that failures leave, of which the last one was half an hour ago. */
  async function failingSince(minutesAgo: number): Promise<void> {
    const failing = { failing_since: minutes(-minutesAgo).toISOString(), failed_at: minutes(-30).toISOString() };
    await keepFailure(testWebhook(), await findWebhook(testWebhook()), failing);
  }

  test("after 5 days of failures, and says so; then nothing is sent, and what comes goes to the dead letters", async () => {
    loggedLines.length = 0;
    receiver.status = 500;
    await failingSince(7_199);
    await attempt(start);
    expect((await health())?.disabled_at).toBeUndefined();
    await attempt(minutes(1));
    expect((await health())?.disabled_at).toBe(minutes(1).toISOString());
    expect(countedMetrics().filter((each) => "WebhooksDisabled" in each)).toHaveLength(1);
    expect(loggedLines.join("")).toContain('"message":"webhook is disabled"');
    expect(await deadLetters()).toHaveLength(1);
    receiver.status = 200;
    expect(await attempt(minutes(2))).toEqual(nothingFailed);
    expect(receiver.got).toHaveLength(2);
    expect(await deadLetters()).toMatchObject([{ detail: event }]);
    await enableWebhook(testWebhook().name);
    await attempt(minutes(3));
    expect(receiver.got).toHaveLength(3);
  });

  test("not where another attempt delivered, or noted something, since its state was read", async () => {
    await failingSince(7_200);
    const read = await findWebhook(testWebhook());
    await enableWebhook(testWebhook().name);
    expect(await noteFailure(testWebhook(), read, false, start)).toBe(false);
    expect(await health()).toBeUndefined();
  });

  test("by its address: at another one it begins as one that never failed, and what was known of the first is gone", async () => {
    receiver.status = 410;
    for (const minute of [0, 30, 60]) await attempt(minutes(minute), { queuedAt: minutes(minute) });
    expect((await health())?.disabled_at).toBeDefined();
    vi.stubEnv("WEBHOOKS", process.env.WEBHOOKS?.replace("receiver.workforce", "other.workforce"));
    expect(await health()).toBeUndefined();
    receiver.status = 500;
    await attempt(minutes(61));
    expect(await health()).toMatchObject({ failing_since: minutes(61).toISOString() });
    vi.unstubAllEnvs();
    expect(await health()).toBeUndefined();
    await deadLetters();
  });
});

describe("D42: nothing is signed that is not an event of the bus", () => {
  test.each([
    ["no event", { hello: "world" }],
    ["an event of another kind", onBus({ ...event, type: "timesheet.stolen" } as never)],
    ["an event from elsewhere", onBus({ ...event, source: "https://evil.example" })],
    ["an id that moves what is signed", onBus({ ...event, id: "a.1.b" })],
    ["the event without what is around it", event],
  ])("%s", async (_, message) => {
    at(start);
    expect(await handler(webhookBatch(message))).toEqual(comesAgain);
    expect(receiver.got).toEqual([]);
  });

  test("a message of a queue that is no webhook's", async () => {
    at(start);
    const { Records } = webhookBatch(onBus(event));
    const other = Records.map((record) => ({ ...record, eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:other" }));
    expect(await handler({ Records: other })).toEqual(comesAgain);
    expect(receiver.got).toEqual([]);
  });
});
