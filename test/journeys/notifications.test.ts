import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localCredentials } from "../../infra/local/aws/local-credentials.ts";
import { messageTo, send } from "../support/http-client.ts";
import { makeDirectory, type StartedMachine, startLocalMachine } from "../support/local-machine.ts";
import { jobLine } from "../support/records.ts";

const directory = makeDirectory();
const reading = { timeout: 15_000, interval: 100 };
let machine: StartedMachine;
let bus: EventBridgeClient;

beforeAll(async () => {
  machine = await startLocalMachine(directory.path);
  const [, endpoint = ""] = /PutEvents to the bus \S+ at (\S+)/.exec(machine.output()) ?? [];
  bus = new EventBridgeClient({ endpoint, region: "eu-west-2", credentials: localCredentials });
}, 120_000);

afterAll(async () => {
  bus?.destroy();
  await machine?.interrupt();
  directory.remove();
});

function as(role: string, method: string, path: string, body?: object) {
  return send(machine.baseUrl, method, `/api/v1/users/notifications${path}`, { body, bearer: machine.tokenOf(role) });
}

async function put(type: string, detail: object): Promise<void> {
  const event = { EventBusName: "workforce-local", Source: "rota.example", DetailType: type };
  const Entries = [{ ...event, Detail: JSON.stringify(detail) }];
  expect((await bus.send(new PutEventsCommand({ Entries }))).FailedEntryCount).toBe(0);
}

/** How often the newest notifications are of a record. */
async function timesTold(role: string, type: string, id: number): Promise<number> {
  const { body } = await as(role, "GET", "?per_page=50");
  const told = body.notifications as { record_type: string; record_id: number }[];
  return told.filter(({ record_type, record_id }) => record_type === type && record_id === id).length;
}

test("a job of another system is told to its company's operators once, pushed to their devices, counted and marked read", async () => {
  const token = { notification: { token: "device-of-the-operator", platform: "android" } };
  expect((await as("operator", "POST", "/token", token)).status).toBe(200);
  const before = (await as("operator", "GET", "/unread_count")).body;

  const job = { ...jobLine(77_001, 1), event_id: "job-77001-3", version: 3 };
  for (const detail of [job, job, { ...job, version: 2, title: "An older title" }]) await put("Record", detail);
  await expect.poll(() => timesTold("operator", "Job", 77_001), reading).toBe(1);
  const pushed = await messageTo(machine.baseUrl, "device-of-the-operator");
  expect(pushed.channel).toBe("push");
  const after = (await as("operator", "GET", "/unread_count")).body;
  expect(after).toEqual({ ...before, notifications: before.notifications + 1, jobs: before.jobs + 1 });

  const [newest] = (await as("operator", "GET", "")).body.notifications;
  const marked = await as("operator", "PATCH", "/bulk_update", {
    notification: { notification_ids: [newest.id], read: true },
  });
  expect(marked).toMatchObject({ status: 200, body: { notifications: [{ id: newest.id, record_id: 77_001 }] } });
  expect((await as("operator", "GET", "/unread_count")).body).toEqual(before);
  const rest = await as("operator", "PATCH", "/bulk_update", { notification: { read: true } });
  expect(Number(rest.headers.get("total"))).toBe(before.notifications);
  expect((await as("operator", "GET", "/unread_count")).body.notifications).toBe(0);
});

test("a message of another system reaches the users it names, but not its sender", async () => {
  const [admin, operator] = [1, 2];
  const told = { recipients: [admin, operator], actor_id: operator, record_type: "Chat", record_id: 88 };
  await put("Notification", { event_id: "message-1", ...told, params: { type: "message", room: "Night shift" } });
  await expect.poll(() => timesTold("admin", "Chat", 88), reading).toBe(1);
  expect(await timesTold("operator", "Chat", 88)).toBe(0);
  expect((await as("admin", "GET", "/unread_count")).body.chats).toBeGreaterThan(0);
});
