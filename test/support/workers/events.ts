import { beforeAll } from "vitest";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as sendEvents } from "../../../functions/workers/send-events.ts";
import { streamFilters } from "../../../infra/functions/stream-filters.ts";
import type { DeliveredEvent } from "../../../infra/runtime/aws/event-buses.ts";
import { matchesAny, type Pattern } from "../../../infra/runtime/filter-patterns.ts";
import { dataSchemaOf, type OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { readItem } from "../records/writes.ts";
import { type Service, useEventQueue } from "../service/service.ts";
import { drain, nothingFailed, streamRecord } from "./workers.ts";

/** An event about a timesheet that was paid, as it is queued. */
export function eventOut(timesheetId: number): OutboundEvent<"timesheet.paid"> {
  const data = { id: timesheetId, currency: "GBP", date: "2026-05-04", state: "paid", total: "120.00" } as const;
  return {
    specversion: "1.0",
    id: timesheetId.toString(16).padStart(32, "0"),
    source: "urn:workforce:test",
    type: "timesheet.paid",
    time: "2026-05-04T16:00:00.000Z",
    subject: `timesheet/${timesheetId}`,
    datacontenttype: "application/json",
    dataschema: dataSchemaOf("timesheet.paid"),
    sequence: "0001777910400000",
    companyid: "1",
    data: { ...data, company_id: 1, profile_id: 70 },
  };
}

/** The events that a rule for everything gets from the outbound bus of a test file's service, which sends events. */
export function useOutboundBus(service: Service): DeliveredEvent[] {
  const received: DeliveredEvent[] = [];
  useEventQueue();
  beforeAll(() => {
    const rule = { busName: "outbound", pattern: { source: [{ prefix: "" }] }, queueNames: ["all"] };
    service.buses.open(["outbound"], [rule], async (_, body) => received.push(JSON.parse(body)));
  });
  return received;
}

/** A change as the stream delivers it, made at a moment. */
export function changeAt(
  at: Date,
  key: Key,
  images: { before?: Item | undefined; after?: Item | undefined },
  id?: string,
) {
  const record = streamRecord(key, images, id);
  return { ...record, dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) } };
}

/** Carries out what changes an item, and gives the change as the stream has it. */
export async function changeBy(key: Key, work: () => Promise<unknown>, at = new Date()) {
  const before = await readItem(key);
  await work();
  return changeAt(at, key, { before, after: await readItem(key) });
}

/** Gives changes to the consumer that its filters let through, and what it queues to the sender. */
export async function sendOut(...changes: ReturnType<typeof changeAt>[]): Promise<void> {
  const Records = changes.filter((change) => matchesAny(change, streamFilters.notify as unknown as Pattern[]));
  if (Records.length === 0) return;
  const { batchItemFailures } = await notify({ Records });
  if (batchItemFailures.length > 0) throw new Error(`The consumer failed: ${JSON.stringify(nothingFailed)}`);
  await drain("EVENT_QUEUE_URL", sendEvents);
}
