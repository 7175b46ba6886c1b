import { expect, test } from "vitest";
import { jobLine } from "../../support/records/records.ts";
import { arriving, newId, useTarget } from "./target.ts";

const target = useTarget();

type Reader = "admin" | "operator";

function as(role: Reader, method: string, path: string, body?: object) {
  return target.request(method, `/api/v1/users/notifications${path}`, { as: role, ...(body && { body }) });
}

/** The number of the newest notifications that are of a record. */
async function timesNotified(role: Reader, type: string, id: number): Promise<number> {
  const { body } = await as(role, "GET", "?per_page=50");
  const list = body.notifications as { record_type: string; record_id: number }[];
  return list.filter(({ record_type, record_id }) => record_type === type && record_id === id).length;
}

/** Another system sends a new job of the company, twice, and late of an older version. */
async function publishJob(): Promise<number> {
  const id = newId();
  const job = { ...jobLine(id, target.companyId, { number: 4_007 }), event_id: `job-${id}-3`, version: 3 };
  target.removeAtEnd({ type: "job", id });
  const older = { ...job, event_id: `job-${id}-2`, version: 2, title: "An older title" };
  for (const detail of [job, job, older]) await target.putEvent("Record", detail);
  return id;
}

test("D39: a job of another system is notified to its company's operators once, counted, opened and marked read", async () => {
  const before = (await as("operator", "GET", "/unread_count")).body;
  const id = await publishJob();
  await expect.poll(() => timesNotified("operator", "Job", id), arriving).toBe(1);
  const after = (await as("operator", "GET", "/unread_count")).body;
  expect(after).toEqual({ ...before, notifications: before.notifications + 1, jobs: before.jobs + 1 });

  const [newest] = (await as("operator", "GET", "")).body.notifications;
  const opened = await target.request("GET", `/api/v1/jobs/${newest.record_id}`, { as: "operator" });
  expect(opened).toMatchObject({ status: 200, body: { job: { id } } });
  const marked = await as("operator", "PATCH", "/bulk_update", {
    notification: { notification_ids: [newest.id], read: true },
  });
  expect(marked).toMatchObject({ status: 200, body: { notifications: [{ id: newest.id, record_id: id }] } });
  expect((await as("operator", "GET", "/unread_count")).body).toEqual(before);
}, 60_000);

test("all that is unread is marked read at once", async () => {
  const id = await publishJob();
  await expect.poll(() => timesNotified("operator", "Job", id), arriving).toBe(1);
  const { notifications } = (await as("operator", "GET", "/unread_count")).body;
  const [newest] = (await as("operator", "GET", "")).body.notifications;
  const rest = await as("operator", "PATCH", "/bulk_update", { notification: { up_to_id: newest.id, read: true } });
  expect(Number(rest.headers.get("total"))).toBe(notifications);
  expect((await as("operator", "GET", "/unread_count")).body.notifications).toBe(0);
}, 60_000);

test("what is notified is pushed to the user's device, until the device is taken off", async ({ skip }) => {
  skip(!target.pushes, "this stage pushes nothing, or no inbox shows it (--inbox)");
  const device = `device-${newId()}`;
  const registered = await as("operator", "POST", "/token", { notification: { token: device, platform: "android" } });
  expect(registered.status).toBe(200);
  await publishJob();
  expect((await target.inboxes.messageTo(device)).channel).toBe("push");
  const { id } = registered.body.notification;
  expect((await as("operator", "DELETE", `/token/${id}`)).status).toBe(200);
}, 60_000);

test("a message of another system reaches the users it names, but not its sender", async () => {
  const { admin, operator } = target.people;
  const record_id = newId();
  const content = { recipients: [admin.id, operator.id], actor_id: operator.id, record_type: "Chat", record_id };
  const params = { type: "message", room: "Night shift" };
  await target.putEvent("Notification", { event_id: `message-${record_id}`, ...content, params });
  await expect.poll(() => timesNotified("admin", "Chat", record_id), arriving).toBe(1);
  expect(await timesNotified("operator", "Chat", record_id)).toBe(0);
  expect((await as("admin", "GET", "/unread_count")).body.chats).toBeGreaterThan(0);
}, 60_000);
