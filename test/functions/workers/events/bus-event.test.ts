import { expect, test } from "vitest";
import { parseBusEvent } from "../../../../functions/workers/bus-event.ts";
import { invoiceLine, jobLine, notificationLine, userLine } from "../../../support/records/records.ts";
import { faultsOf } from "../../../support/records/writes.ts";

const record = { ...jobLine(7, 1), event_id: "job-7-1", version: 1 };
const detail = {
  event_id: "message-1",
  recipients: [1, 2, 3],
  record_type: "Chat",
  record_id: 88,
  params: { type: "message" },
};

function parse(detail: unknown, type: unknown = "Record", source: unknown = "rota.example") {
  return parseBusEvent({ version: "0", id: "e", "detail-type": type, source, detail }, "GB");
}

function parseNotification(changes: object, source?: string) {
  const event = parse({ ...detail, ...changes }, "Notification", source);
  return "asked" in event ? event.asked : undefined;
}

test.each([
  jobLine(7, 1),
  invoiceLine(7, 1),
  notificationLine(7, 9),
  { type: "job", id: 7, deleted: true },
  { type: "notification", id: 7, user_id: 9, deleted: true },
])("D35: a record event is an import line with an event_id and a version: %j", (line) => {
  expect(parse({ ...line, event_id: "e", version: 3 })).toEqual({
    line: { ...line, version: 3 },
    source: "rota.example",
    eventId: "e",
  });
});

test.each<[string, object | undefined, string[]]>([
  ["the sign of a lost letter", { title: "M\ufffdller" }, ["/title invalid"]],
  ["no event_id", { event_id: undefined }, ["/event_id missing"]],
  ["an empty event_id", { event_id: "" }, ["/event_id invalid"]],
  ["an event_id of 201 characters", { event_id: "x".repeat(201) }, ["/event_id invalid"]],
  ["an event_id with a space", { event_id: "a b" }, ["/event_id invalid"]],
  ["an event_id that is a number", { event_id: 5 }, ["/event_id wrong_type"]],
  ["no version", { version: undefined }, ["/version missing"]],
  ["a version of 2^53", { version: 2 ** 53 }, ["/version wrong_type"]],
  ["a version below 0", { version: -1 }, ["/version out_of_range"]],
  ["a version with a fraction", { version: 1.5 }, ["/version wrong_type"]],
  ["a version of null", { version: null }, ["/version wrong_type"]],
  ["a version as text", { version: "5" }, ["/version wrong_type"]],
  ["a user", userLine(7), ["/type not_allowed"]],
  ["an unknown type", { type: "ship" }, ["/type not_allowed"]],
  ["an unknown field", { titel: "x" }, ["/titel unknown_field"]],
  ["a wrong field", { title: 5 }, ["/title wrong_type"]],
])("D35: a record event with %s is refused", async (_, changes, faults) => {
  const detail: unknown = JSON.parse(JSON.stringify({ ...record, ...changes }));
  expect(await faultsOf(() => parse(detail))).toEqual(faults);
});

test.each<[string, unknown, string[]]>([
  ["null", null, [" wrong_type"]],
  ["a list", [], ["/detail-type missing", "/source missing", "/detail missing"]],
  ["text", "Record", [" wrong_type"]],
  ["nothing known", {}, ["/detail-type missing", "/source missing", "/detail missing"]],
  ["an unknown kind", { "detail-type": "record", source: "s", detail: record }, ["/detail-type not_allowed"]],
  ["no source", { "detail-type": "Record", source: "", detail: record }, ["/source too_short"]],
  ["a null detail", { "detail-type": "Record", source: "s", detail: null }, ["/detail wrong_type"]],
])("D35: an envelope that is %s is refused", async (_, envelope, faults) => {
  expect(await faultsOf(() => parseBusEvent(envelope, "GB"))).toEqual(faults);
});

test("D25: recipients are notified once each, and the actor never", () => {
  expect(parseNotification({ recipients: [3, 1, 3, 2, 1], actor_id: 2 })).toEqual({
    eventId: expect.any(String),
    recipients: [3, 1],
    record_type: "Chat",
    record_id: 88,
    params: { type: "message" },
  });
  expect(parseNotification({ recipients: [2], actor_id: 2 })?.recipients).toEqual([]);
  expect(parseNotification({ actor_id: null })?.recipients).toEqual([1, 2, 3]);
});

test.each<[object, string[]]>([
  [{ recipients: [] }, ["/recipients too_short"]],
  [{ recipients: Array.from({ length: 1_001 }, (_, at) => at + 1) }, ["/recipients too_long"]],
  [{ recipients: [1, "2"] }, ["/recipients/1 wrong_type"]],
  [{ recipients: 1 }, ["/recipients wrong_type"]],
  [{ params: {} }, ["/params/type missing"]],
  [{ params: { type: "m", text: "x".repeat(16_384) } }, ["/params invalid"]],
  [{ record_id: 0 }, ["/record_id out_of_range"]],
  [{ record_type: "" }, ["/record_type too_short"]],
  [{ actor_id: "2" }, ["/actor_id wrong_type"]],
  [{ version: 1 }, ["/version unknown_field"]],
  [{ event_id: "\n" }, ["/event_id invalid"]],
])("D25: a notification event with %j is refused", async (changes, faults) => {
  expect(await faultsOf(() => parseNotification(changes))).toEqual(faults);
});

test("D25: an event's id is the same each time, its source's own, of bounded length, and unlike a stream's", () => {
  const id = parseNotification({})?.eventId;
  expect(parseNotification({ recipients: [9] })?.eventId).toBe(id);
  expect(id).toMatch(/^bus-[\w-]{43}$/);
  const others = [
    parseNotification({ event_id: "message-2" }),
    parseNotification({}, "other.example"),
    parseNotification({ event_id: `","${detail.event_id}` }, "rota.example"),
    parseNotification({ event_id: "x".repeat(200) }, "y".repeat(256)),
  ].map((asked) => asked?.eventId);
  expect(new Set([id, ...others]).size).toBe(5);
  for (const other of others) expect(other).toHaveLength(47);
});
