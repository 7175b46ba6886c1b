import { DeleteMessageCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type QueueUrls, redeliver } from "../../infra/tools/webhooks/redeliver.ts";
import { manageWebhooks } from "../../infra/tools/webhooks.ts";
import { enableWebhook, findWebhook, keepFailure } from "../../shared/db/webhooks.ts";
import { settings } from "../../shared/settings.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { useService } from "../support/service/service.ts";
import { eventOut } from "../support/workers/events.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { onBus, receiver, testWebhook, useReceiver } from "../support/workers/receiver.ts";
import { expectMistake, runTool } from "./machine.ts";

vi.mock("../../shared/webhooks/post.ts", async (original) => {
  const { toReceiver } = await import("../support/workers/receiver.ts");
  return toReceiver(await original());
});

const progress = vi.hoisted(() => ({ show: vi.fn<(text: () => string) => void>(), end: vi.fn() }));
vi.mock("../../infra/tools/service/open-service.ts", () => ({
  withService: (_: unknown, work: (...given: unknown[]) => Promise<number>) => work({}, progress),
}));

useService();
useReceiver();
const run = (...parameters: string[]) => runTool(() => manageWebhooks(parameters, ""));

let client: SQSClient;
let urls: QueueUrls;
beforeAll(() => {
  client = new SQSClient({});
  const { WEBHOOK_QUEUE_URL = "", WEBHOOK_DEAD_LETTERS_URL = "" } = process.env;
  urls = { queueUrl: WEBHOOK_QUEUE_URL, deadLettersUrl: WEBHOOK_DEAD_LETTERS_URL };
});
afterAll(() => client.destroy());

const send = (QueueUrl: string, body: object) =>
  client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
const letter = (id: number) => onBus(eventOut(id));

const moment = "2026-06-01T08:00:00.000Z";

async function disable(more: object = { disabled_at: moment }): Promise<void> {
  const failing = { failing_since: moment, failed_at: moment, ...more };
  await keepFailure(testWebhook(), await findWebhook(testWebhook()), failing);
}

describe("D42: npm run webhooks", () => {
  beforeEach(() => enableWebhook("example"));

  test("lists each webhook with its state and what waits, and shows no secret", async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toBe(
      "example: https://receiver.workforce.example/events\n  delivers; signs with one secret\n  about 0 events wait, 0 were given up\n",
    );
    await disable({});
    expect((await run("list")).out).toContain(`  fails since ${moment};`);
    await disable();
    expect((await run("list")).out).toContain(`  disabled since ${moment}, fails since ${moment};`);
    expect((await run("enable", "example")).code).toBe(0);
    expect((await run("list")).out).toContain("example: https://receiver.workforce.example/events\n  delivers;");
  });

  test("sends a test event that the receiver verifies with the secret that it shows, and says what came back", async () => {
    const sent = await run("test", "example");
    expect([sent.code, sent.out]).toEqual([
      0,
      expect.stringMatching(/^The receiver answered 200; .*[0-9a-f]{32}\.\n$/),
    ]);
    const secret = (await run("secret", "example")).out.trim();
    const [{ headers, body } = { headers: {}, body: Buffer.of() }] = receiver.got;
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(event).toMatchObject({ type: "webhook.test", source: "urn:workforce:local", specversion: "1.0" });
    receiver.status = 503;
    expect(await run("test", "example")).toMatchObject({ code: 1, out: expect.stringContaining("answered 503") });
  });

  test("replaces the secret: both sign for as long as is said, then the new one alone", async () => {
    const hoursIn = (err: string) => (Date.parse(/until (20\S+)\. /.exec(err)?.[1] ?? "") - Date.now()) / 3_600_000;
    expect(hoursIn((await run("rotate", "example")).err)).toBeCloseTo(24, 1);
    await run("rotate", "example", "--keep-hours", "0");
    const before = (await run("secret", "example")).out.trim();
    const { out, err } = await run("rotate", "example", "--keep-hours", "336");
    const after = out.trim();
    expect(after).toMatch(/^whsec_/);
    expect(hoursIn(err)).toBeCloseTo(336, 1);
    expect((await run("list")).out).toContain("signs with two secrets");
    expect((await run("secret", "example")).out.trim()).toBe(after);
    const verifies = async () => {
      receiver.got.length = 0;
      await run("test", "example");
      const [{ headers, body } = { headers: {}, body: Buffer.of() }] = receiver.got;
      return [before, after].map((secret) => {
        try {
          return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
        } catch {
          return false;
        }
      });
    };
    expect(await verifies()).toEqual([true, true]);
    await run("rotate", "example", "--keep-hours", "0");
    expect((await run("list")).out).toContain("signs with one secret");
    expect(await verifies()).toEqual([false, false]);
  });

  test("delivers nothing again to a webhook that is disabled, and says what to do first", async () => {
    await disable();
    await expect(run("redeliver", "example", "--all")).rejects.toThrow("enable it first");
    await enableWebhook("example");
    expect((await run("redeliver", "example", "--id", "0".repeat(32))).code).toBe(1);
  });

  test("says how far a redelivery is", async () => {
    for (const _ of [1, 2]) await send(urls.deadLettersUrl, letter(1));
    progress.show.mockClear();
    const { code, out } = await run("redeliver", "example", "--all");
    expect([code, out]).toEqual([0, "1 of 2 dead letters are on their way again.\n"]);
    expect(progress.show.mock.calls.map(([text]) => text())).toEqual([
      "2 of about 2 dead letters visited, 1 on their way",
    ]);
    expect(progress.end).toHaveBeenCalled();
    expect(await takeMessages("WEBHOOK_DEAD_LETTERS_URL")).toHaveLength(1);
    expect(await takeMessages("WEBHOOK_QUEUE_URL")).toHaveLength(1);
    await send(urls.deadLettersUrl, letter(1));
    expect(await run("redeliver", "example", "--id", eventOut(1).id)).toMatchObject({ code: 0 });
    expect(await takeMessages("WEBHOOK_QUEUE_URL")).toHaveLength(1);
    expect(await run("redeliver", "example", "--all")).toMatchObject({ code: 0 });
  });

  test("of a stage without webhooks says so", async () => {
    const none = vi.spyOn(settings, "webhooks").mockReturnValue([]);
    expect(await run()).toMatchObject({ code: 0, out: "The stage has no webhooks.\n" });
    await expect(run("test", "example")).rejects.toThrow("The stage has no webhooks.");
    none.mockRestore();
  });

  test.each([
    [["tests", "example"], 'There is no command "tests". Did you mean test?'],
    [["test", "exemple"], 'There is no webhook "exemple". Did you mean example?'],
    [["test"], 'There is no webhook ""'],
    [["test", "example", "list"], "one thing at a time"],
    [["redeliver", "example"], "Say what is to be delivered again"],
    [["redeliver", "example", "--all", "--id", "1"], "Say what is to be delivered again"],
    [["test", "example", "--all"], "Say what is to be delivered again"],
    ...["337", "1.5"].map((hours): [string[], string] => [
      ["rotate", "example", "--keep-hours", hours],
      "whole number from 0 to 336",
    ]),
  ])("%j is a mistake that says so", async (parameters, said) => {
    await expectMistake(run(...parameters), said);
  });
});

describe("D42: what is delivered again", () => {
  const many = usualOrFull(120, 20_000);
  const ids = Array.from({ length: many }, (_, at) => at + 1);
  test(`of ${many} dead letters the one that is named, and the others are there as before`, async () => {
    for (const id of ids) await send(urls.deadLettersUrl, letter(id));
    await send(urls.deadLettersUrl, { no: "event" });
    const { visited, moved } = await redeliver(client, urls, { eventId: eventOut(1).id, waitSeconds: 0 });
    expect(visited, "it ends where the event is found").toBeLessThan(many);
    expect(moved).toBe(1);
    expect(await redeliver(client, urls, { eventId: "f".repeat(32), waitSeconds: 0 })).toEqual({
      visited: many,
      moved: 0,
    });
    const left = await takeMessages("WEBHOOK_DEAD_LETTERS_URL");
    expect(left).toHaveLength(many);
  }, 600_000);

  test(`all of ${many}, each once, although the receiver is gone and each comes back at once`, async () => {
    for (const id of ids) await send(urls.deadLettersUrl, letter(id));
    const moved: string[] = [];
    const pass = client.send.bind(client);
    // As the function does with what a disabled webhook is sent.
    const isGone = vi.spyOn(client, "send").mockImplementation((async (command: { input: object }) => {
      const { QueueUrl, MessageBody } = command.input as { QueueUrl: string; MessageBody?: string };
      if (QueueUrl !== urls.queueUrl || MessageBody === undefined) return pass(command as never);
      moved.push(JSON.parse(MessageBody).detail.id);
      return send(urls.deadLettersUrl, JSON.parse(MessageBody));
    }) as never);
    const outcome = await redeliver(client, urls, { waitSeconds: 0 });
    isGone.mockRestore();
    expect(outcome.moved).toBe(many);
    expect(moved.toSorted()).toEqual(ids.map((id) => eventOut(id).id).toSorted());
    expect(await takeMessages("WEBHOOK_DEAD_LETTERS_URL")).toHaveLength(many);
  }, 600_000);

  test.each([
    ["queued", SendMessageCommand],
    ["deleted", DeleteMessageCommand],
  ])("a letter that cannot be %s ends the run with the fault", async (_, refused) => {
    await send(urls.deadLettersUrl, letter(1));
    const pass = client.send.bind(client);
    const failing = vi.spyOn(client, "send").mockImplementation((async (command: object) => {
      if (command instanceof refused) throw new Error("refused");
      return pass(command as never);
    }) as never);
    await expect(redeliver(client, urls, { waitSeconds: 0 })).rejects.toThrow("refused");
    const isDeleted = failing.mock.calls.some(([command]) => (command as object) instanceof DeleteMessageCommand);
    expect(isDeleted).toBe(refused === DeleteMessageCommand);
    failing.mockRestore();
  });
});
