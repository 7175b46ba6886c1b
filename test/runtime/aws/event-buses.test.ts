import { EventBridgeClient, ListRulesCommand, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AwsEndpoints, startAwsEndpoints } from "../../../infra/runtime/aws/aws-endpoints.ts";
import { openEventBuses } from "../../../infra/runtime/aws/event-buses.ts";
import { openInbox } from "../../../infra/runtime/aws/inbox.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { openSecrets } from "../../../infra/runtime/aws/secrets-manager.ts";

const region = "eu-west-2";
const buses = openEventBuses(region);
let endpoints: AwsEndpoints;
let client: EventBridgeClient;
let sent: [queue: string, event: unknown][] = [];

beforeAll(async () => {
  const rules = [
    { busName: "intake", pattern: { source: [{ prefix: "" }] }, queueNames: ["every"] },
    { busName: "intake", pattern: { detail: { kind: ["job"] } }, queueNames: ["jobs"] },
    { busName: "other", pattern: { source: [{ prefix: "" }] }, queueNames: ["others"] },
  ];
  buses.open(["intake", "other"], rules, async (queue, body) => {
    // SQS takes only characters of XML; EventBridge escapes all others.
    expect(body).toMatch(/^[ -~]+$/);
    sent.push([queue, JSON.parse(body)]);
  });
  endpoints = await startAwsEndpoints({ inbox: openInbox(), secrets: openSecrets(), buses });
  client = new EventBridgeClient({
    endpoint: endpoints.endpoint,
    region,
    credentials: localCredentials,
    maxAttempts: 1,
  });
});

afterAll(async () => {
  client.destroy();
  await endpoints.close();
});

beforeEach(() => {
  sent = [];
});

const entry = (detail: object, changes: object = {}) => ({
  EventBusName: "intake",
  Source: "rota",
  DetailType: "Record",
  Detail: JSON.stringify(detail),
  ...changes,
});

it("keeps the newest 200 events of each bus, the latest first", async () => {
  const before = buses.past("intake").length;
  await buses.perform("PutEvents", { Entries: [entry({ n: 1 }), entry({ n: 2 }, { EventBusName: "other" })] });
  expect(buses.past("intake")).toHaveLength(before + 1);
  expect(buses.past("other")[0]?.detail).toEqual({ n: 2 });
  for (let n = 0; n < 210; n += 10) {
    await buses.perform("PutEvents", { Entries: Array.from({ length: 10 }, (_, at) => entry({ n: n + at })) });
  }
  expect(buses.past("intake").map(({ detail }) => detail)).toEqual(
    Array.from({ length: 200 }, (_, n) => ({ n: 209 - n })),
  );
  expect(buses.past("none")).toEqual([]);
});

it("puts an event into the queue of each rule that matches it, in EventBridge's envelope", async () => {
  const Time = new Date("2026-06-01T08:30:00Z");
  const detail = { kind: "job", text: "🚚 Größe “7” \u{10ffff} \ud800 \uffff" };
  const answer = await client.send(new PutEventsCommand({ Entries: [entry(detail, { Time })] }));
  expect(answer.FailedEntryCount).toBe(0);
  const event = {
    version: "0",
    id: answer.Entries?.[0]?.EventId,
    "detail-type": "Record",
    source: "rota",
    account: "000000000000",
    time: "2026-06-01T08:30:00Z",
    region,
    resources: [],
    detail,
  };
  expect(sent).toEqual([
    ["every", event],
    ["jobs", event],
  ]);
});

it("leads the events of a bus by its own rules only, the bus named by name or ARN", async () => {
  const EventBusName = `arn:aws:events:${region}:000000000000:event-bus/other`;
  await client.send(new PutEventsCommand({ Entries: [entry({ kind: "job" }, { EventBusName })] }));
  expect(sent.map(([queue]) => queue)).toEqual(["others"]);
});

it("names the entries at fault and takes the others", async () => {
  const bad = [entry({}, { Detail: "{" }), entry({}, { Detail: "[1]" }), entry({}, { Source: "" })];
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({ Entries: [...bad, entry({ id: 2 })] }),
  );
  expect(FailedEntryCount).toBe(3);
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    "MalformedDetail",
    "MalformedDetail",
    "InvalidArgument",
    undefined,
  ]);
  expect(sent).toMatchObject([["every", { detail: { id: 2 } }]]);
});

it("refuses a bus that is not there, too many entries, and entries that are too big", async () => {
  const put = (Entries: object[]) => client.send(new PutEventsCommand({ Entries }));
  await expect(put([entry({}, { EventBusName: "nowhere" })])).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  for (const count of [0, 11]) {
    const entries = Array.from({ length: count }, () => entry({}));
    await expect(put(entries)).rejects.toMatchObject({ name: "ValidationException" });
  }
  await expect(put([entry({ text: "x".repeat(300_000) })])).rejects.toMatchObject({ name: "ValidationException" });
  expect(sent).toEqual([]);
  const overhead = JSON.stringify(entry({ text: "" })).length;
  const putText = (length: number) => buses.perform("PutEvents", { Entries: [entry({ text: "x".repeat(length) })] });
  await putText(256 * 1024 - overhead);
  await expect(putText(256 * 1024 - overhead + 1)).rejects.toThrow("over the limit");
});

it("names an action it does not know", async () => {
  await expect(client.send(new ListRulesCommand({}))).rejects.toThrow("ListRules");
});
