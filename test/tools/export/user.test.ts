import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { acquireLease, releaseLease } from "../../../functions/workers/notify-password-changed.ts";
import { exportUser } from "../../../infra/tools/export/user-lines.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { apiKeysKey } from "../../../shared/people/api-keys.ts";
import type { SecretKind } from "../../../shared/people/users.ts";
import { secretKey, userKey } from "../../../shared/people/users.ts";
import { queryItems } from "../../../shared/table/table.ts";
import { putHistory } from "../../support/records/history.ts";
import { allItems } from "../../support/records/items.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { notificationLine, shownUser, timesheetLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { keyOf } from "../../support/requests/api-keys.ts";
import { call } from "../../support/requests/call.ts";
import { bearerOf, familyOf, signInAs } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { xenia } from "../xenia.ts";
import { rowsOf } from "./random-lines.ts";
import { useFolder } from "./run-export.ts";

useService();
useSigningKey();

const file = useFolder();
const password = "seven quiet harbours";
const phoneOf = (id: number) => `+4474001${String(id).padStart(5, "0")}`;
const moment = "2026-05-01T09:00:00.000Z";
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password, passcode: "4711", phone_number: phoneOf(id), profile_id: id, first_name: "Xenia" };
});
beforeAll(() => () => void vi.useRealTimers());

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function linesOf(id: number): Promise<Line[]> {
  const out = file("user.jsonl");
  let progress = "";
  const onProgress = (text: () => string) => {
    progress = text();
  };
  const count = await exportUser({ userId: id, out, signal: undefined, onProgress });
  expect(progress).toBe(`${(await allItems()).length} items read`);
  const text = readFileSync(out, "utf8");
  expect((statSync(out).mode & 0o777).toString(8)).toBe("600");
  rmSync(out);
  const lines = rowsOf(text).map((line) => JSON.parse(line));
  expect(count).toBe(lines.length);
  return lines;
}

/** A driver of timesheets whose profile is the user's, unless it is said to be another's. */
const driver = (profile_id = userId, first_name = "Xenia") => ({ ...xenia, first_name, profile_id });

test("everything that is held about a user, with nothing of a credential", async () => {
  at("2026-05-01T09:00:00.000");
  const tokens = await signInAs(login, password);
  const notification = { token: "device-token-1", device_id: "phone-1" };
  await call(registerDeviceHandler, registerDeviceToken, { ...bearerOf(tokens), body: { notification } });
  await store([notificationLine(1, userId)]);
  const key = await keyOf(userId, "act", "Pay run");
  const lease = await acquireLease(userId, { kind: "password_changed", at: new Date(moment) }, new Date());
  await releaseLease(lease, ["sms counted", "email"]);
  const changed = {
    type: "user",
    id: userId,
    before: { job_position: null },
    after: { job_position: "Planner" },
  } as const;
  await putHistory([changed, { ...changed, id: userId + 1 }]);
  const { company: _, ...user } = shownUser(userId, {
    phone_number: phoneOf(userId),
    profile_id: userId,
    first_name: "Xenia",
    locale: null,
  });
  const { type: _type, user_id: _user, ...shown } = notificationLine(1, userId);
  const lines = await linesOf(userId);
  expect(lines).toEqual([
    { type: "login", login, confirmed_at: expect.any(String) },
    { type: "login", login: phoneOf(userId), confirmed_at: expect.any(String) },
    {
      type: "api_keys",
      keys: [{ id: key.id, name: "Pay run", access: "act", created_at: moment, valid_to: "2026-05-02T09:00:00.000Z" }],
    },
    expect.objectContaining({ type: "device", platform: "fcm", device_id: "phone-1" }),
    { type: "notice", about: "password_changed", at: moment, channels: ["email"] },
    { type: "notification", ...shown },
    expect.objectContaining({ type: "session", id: familyOf(tokens), opened_at: moment }),
    { type: "user", ...user, password_changed_at: null },
    // Without who made it.
    {
      type: "change",
      of: "user",
      id: userId,
      did: "updated",
      at: moment,
      operation: "bulk-update-timesheets",
      before: changed.before,
      after: changed.after,
    },
  ]);
  const text = JSON.stringify(lines);
  for (const secret of [
    notification.token,
    key.secret,
    key.secret.slice(-43),
    tokens.access_token,
    tokens.refresh_token,
    ...(await storedSecrets()),
  ]) {
    expect(secret.length).toBeGreaterThan(4);
    expect(text).not.toContain(secret);
  }
});

/** The hashes and tokens of the user in the table, which nobody may see. */
async function storedSecrets(): Promise<string[]> {
  const kept = await Promise.all(
    ["password", "passcode"].map((kind) => readItem(secretKey(kind as SecretKind, userId))),
  );
  const own = await queryItems({
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": userKey(userId).pk },
  });
  const keyHashes = Object.values(
    own.find(({ sk }) => sk === apiKeysKey(userId).sk)?.keys as Record<string, { hash: string }>,
  );
  const secrets = [
    ...[...own, ...kept].flatMap((item) => [item?.hash, item?.seed]),
    ...keyHashes.map(({ hash }) => hash),
  ];
  const found = secrets.filter((each) => typeof each === "string");
  expect(found).toHaveLength(5);
  return found;
}

test("the timesheets of a user's profile, their history, and what else of it names the user as the driver", async () => {
  const [own, former, other] = [1, 2, 3].map((at) => userId * 10 + at) as [number, number, number];
  const stranger = driver(userId + 500_000, "Sasha");
  await store([
    timesheetLine(own, 1, { driver: driver() }),
    timesheetLine(former, 1, { driver: stranger }),
    timesheetLine(other, 1, { driver: stranger }),
  ]);
  await putHistory([
    { id: own, before: { state: "pending" }, after: { state: "paid" } },
    { id: former, before: { driver: driver() }, after: { driver: stranger } },
    { id: former, before: { state: "pending" }, after: { state: "paid" } },
    { id: other, before: { state: "pending" }, after: { state: "paid" } },
  ]);
  const lines = await linesOf(userId);
  expect(lines.filter(({ type }) => type === "timesheet")).toMatchObject([{ id: own, driver: driver() }]);
  const changes = lines.flatMap(({ type, of, id, before, after }) =>
    type === "change" && of === "timesheet" ? [{ id, before, after }] : [],
  );
  expect(changes).toEqual([
    { id: own, before: { state: "pending" }, after: { state: "paid" } },
    // Who took over is somebody else's data.
    { id: former, before: { driver: driver() }, after: { driver: null } },
  ]);
  expect(JSON.stringify(lines)).not.toContain("Sasha");
});

test("timesheets of a profile that another user has today are whose name they have", async () => {
  const [mine, theirs] = [userId * 10 + 4, userId * 10 + 5];
  const heir = userId + 600_000;
  await putHistory([{ type: "user", id: userId, before: { profile_id: heir }, after: { profile_id: userId } }]);
  await store([
    userLine(heir, { profile_id: heir, first_name: "Sasha", last_name: "Quill" }),
    timesheetLine(mine, 1, { driver: { ...driver(heir), last_name: await lastName() } }),
    timesheetLine(theirs, 1, { driver: driver(heir, "Sasha") }),
  ]);
  const timesheets = (await linesOf(userId)).filter(({ type }) => type === "timesheet");
  expect(timesheets.map(({ id }) => id)).toEqual([mine]);
});

async function lastName(): Promise<string> {
  const { last_name } = (await readItem(userKey(userId)))?.record as { last_name: string };
  return last_name;
}

test("of a user who was removed, the history that is left; of one that nobody knows, no file", async () => {
  const removed = userId + 700_000;
  await putHistory([{ type: "user", id: removed, did: "removed", before: { role: "driver" }, after: undefined }]);
  expect(await linesOf(removed)).toMatchObject([{ type: "change", of: "user", id: removed, did: "removed" }]);
  await expect(linesOf(userId + 800_000)).rejects.toThrow(`Nothing is known of user ${userId + 800_000}`);
  expect([existsSync(file("user.jsonl")), existsSync(file("user.jsonl.draft"))]).toEqual([false, false]);
});

test("one that is stopped leaves no file", async () => {
  const out = file("stopped.jsonl");
  const stop = new AbortController();
  await store([timesheetLine(userId * 10, userId, { driver: driver() })]);
  const onProgress = () => stop.abort();
  const stopped = exportUser({ userId, out, signal: stop.signal, onProgress });
  await expect(stopped).rejects.toThrow("Stopped. There is no file.");
  expect([existsSync(out), existsSync(`${out}.draft`)]).toEqual([false, false]);
  writeFileSync(out, "kept");
  const reading = () => expect.fail("it reads the table");
  const refused = exportUser({ userId, out, signal: undefined, onProgress: reading });
  await expect(refused).rejects.toThrow(`${out} is there`);
});
