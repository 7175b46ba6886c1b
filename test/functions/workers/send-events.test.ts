import { beforeEach, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/send-events.ts";
import {
  type OutboundEventType,
  outboundEventKinds,
  outboundEventOf,
  outboundEventTypes,
} from "../../../shared/contract/outbound-events.ts";
import { mostEvents } from "../../../shared/messages/event-queue.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";
import { eventOut, useOutboundBus } from "../../support/workers/events.ts";
import { nothingFailed, queueEvent } from "../../support/workers/workers.ts";

const service = useService();
const received = useOutboundBus(service);
const failed = { batchItemFailures: [{ itemIdentifier: "message-0" }] };
const idsOut = () => received.map(({ detail }) => (detail as { id: string }).id);
const [first, second, third] = [eventOut(1), eventOut(2), eventOut(3)];

/** The ids of the events in each call. The bus refuses the given events, in answers that are successes, so many times. */
function refusing(times: number, ...refused: { readonly id: string }[]): string[][] {
  const calls: string[][] = [];
  const { perform } = service.buses;
  const isRefused = ({ Detail }: { Detail: string }) => refused.some(({ id }) => Detail.includes(id));
  vi.spyOn(service.buses, "perform").mockImplementation(async (action, input) => {
    const { Entries } = input as { Entries: { Detail: string }[] };
    calls.push(Entries.map(({ Detail }) => JSON.parse(Detail).id));
    if (calls.length > times) return perform(action, input);
    const taken = Entries.filter((entry) => !isRefused(entry));
    if (taken.length > 0) await perform(action, { Entries: taken });
    const outcome = (entry: { Detail: string }) =>
      isRefused(entry) ? { ErrorCode: "ThrottlingException", ErrorMessage: "later" } : { EventId: "taken" };
    return { FailedEntryCount: Entries.length - taken.length, Entries: Entries.map(outcome) };
  });
  return calls;
}

beforeEach(() => {
  vi.restoreAllMocks();
  vi.spyOn(process.stdout, "write").mockImplementation((line) => loggedLines.push(String(line)) > 0);
  received.length = loggedLines.length = 0;
});

describe("D42: the events of a message", () => {
  test("are put by one call, each with its own time, and as they were queued", async () => {
    const calls = refusing(0);
    const events = [first, second, { ...third, added: "by a later release" }];
    expect(await handler(queueEvent({ events }))).toEqual(nothingFailed);
    expect(calls).toHaveLength(1);
    expect(received.map(({ detail }) => detail)).toEqual(events);
    expect(received[0]).toMatchObject({
      source: first.source,
      "detail-type": first.type,
      time: "2026-05-04T16:00:00Z",
    });
    expect(JSON.parse(loggedLines[0] ?? "")).toMatchObject({ message: "processed", events: 3 });
  });

  test("that are refused inside a success are put again, and only those", async () => {
    const calls = refusing(2, first, third);
    expect(await handler(queueEvent({ events: [first, second, third] }))).toEqual(nothingFailed);
    expect(calls).toEqual([
      [first.id, second.id, third.id],
      [first.id, third.id],
      [first.id, third.id],
    ]);
    expect(idsOut()).toEqual([second.id, first.id, third.id]);
  });

  test("that are refused again and again go back to the queue, and block no other message", async () => {
    refusing(Number.POSITIVE_INFINITY, first);
    expect(await handler(queueEvent({ events: [first] }, { events: [second] }))).toEqual(failed);
    expect(idsOut()).toEqual([second.id]);
    expect(loggedLines.filter((line) => line.includes('"message":"fault"'))).toHaveLength(1);
  });

  test.each([
    [{ events: [] }],
    [{ events: Array.from({ length: mostEvents + 1 }, (_, at) => eventOut(at + 1)) }],
    [{ events: [{ ...first, source: "aws.ec2" }] }],
    ["no JSON"],
  ])("are not put where the message is not one of the service: %j", async (message) => {
    expect(await handler(queueEvent(message))).toEqual(failed);
    expect(received).toEqual([]);
  });
});

test("D42: ten events of any kind at their longest fit one call, and a message of the queue", () => {
  // The longest text in JSON is made of what is escaped.
  const longest: Readonly<Record<string, unknown>> = {
    title: "\u0001".repeat(200),
    number: "\u0001".repeat(64),
    type: "\u0001".repeat(100),
    record_type: "\u0001".repeat(100),
    job_type: "\u0001".repeat(100),
    change_id: "\u0001".repeat(100),
  };
  const sizeOf = (type: OutboundEventType) => {
    const fields = Object.keys(outboundEventKinds[type].data.entries);
    const data = Object.fromEntries(fields.map((field) => [field, longest[field] ?? "9".repeat(40)]));
    return Buffer.byteLength(JSON.stringify({ ...eventOut(1), dataschema: "x".repeat(100), data }));
  };
  expect(outboundEventTypes.every((type) => outboundEventOf(type).entries.data)).toBe(true);
  for (const type of outboundEventTypes) expect(mostEvents * sizeOf(type), type).toBeLessThan(100_000);
});
