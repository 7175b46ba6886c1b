import { CreatePlatformEndpointCommand, SetEndpointAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { beforeEach, expect, test } from "vitest";
import { emptyHistory } from "../../../functions/workers/write-history.ts";
import { type ErasedList, openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { forgetPerson, planToForget, readmit, replayErasures } from "../../../infra/tools/forget/forget-person.ts";
import { findDevices, keepEndpoint, saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { notificationKey, notifications } from "../../../shared/notifications/notifications.ts";
import { pinKey, pins } from "../../../shared/people/pins.ts";
import { historyItems, historyPartition } from "../../../shared/records/history.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { testContext } from "../../support/records/contexts.ts";
import { putHistory } from "../../support/records/history.ts";
import { allItems, putItems } from "../../support/records/items.ts";
import { notificationLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { readRecord } from "../../support/records/store.ts";
import { write } from "../../support/records/writes.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { useService } from "../../support/service/service.ts";
import { applications } from "../../support/workers/pushes.ts";
import { emptyTable } from "../export/run-export.ts";
import { xenia as driver } from "../xenia.ts";

const service = useService();
let list: ErasedList;
beforeEach(() => {
  list = openErasedList({ stage: undefined, directory: newFolder() });
});

const now = new Date();
const id = 31;
const { profile_id: profile } = driver;
const other = { ...driver, first_name: "Ada", last_name: "Holt", profile_id: 701, referral_code: "ADA7" };
const names = /Xenia|Quill|XENIA7|xenia@|Born/;

async function fill(version?: number): Promise<void> {
  await emptyTable();
  const person = {
    email: "xenia@example.com",
    first_name: "Xenia",
    last_name: "Quill",
    profile_id: profile,
    role: "driver",
  };
  await write(
    userLine(id, { ...person, ...(version !== undefined && { version }), password: "Correct horse battery" }),
  );
  await write(userLine(32, { profile_id: 701 }));
  await write(timesheetLine(1, 1, { driver, job_title: "Cover for Xenia Quill" }));
  await write(timesheetLine(2, 1, { driver: other, job_title: "Cover for Xenia Quill?" }));
  // Their own goes with them, and is no trace in what others have.
  const paid = { type: "paid", date: "2026-05-04" };
  await write(notificationLine(1, id, { record_type: "Timesheet", record_id: 1, params: paid }));
  await write(
    notificationLine(2, 32, { record_type: "Timesheet", record_id: 1, params: { type: "t", text: "Xenia Quill" } }),
  );
  await putHistory([
    { id: 1, after: { driver: { cut: '{"financial_comp', sha256: "x" } } },
    { id: 9, after: { driver, total: "1.00" } },
    { type: "user", id, after: { email: "xenia@example.com", role: "driver" } },
  ]);
  await putItems([
    { ...pinKey("hash of xenia's login", "PIN"), user_id: id },
    { ...pinKey("hash of xenia's login", "REGISTRATION"), user_id: id },
    { ...pinKey("hash of another login", "PIN"), user_id: 32 },
  ]);
}

/** The keys of the items that name the person; what timesheet 2 says is somebody else's. */
async function traces(): Promise<string[]> {
  const items = await allItems();
  const found = items.filter((item) => item.pk !== "TIMESHEET#2" && names.test(JSON.stringify(item)));
  return found.map(({ pk, sk }) => `${pk} ${sk}`);
}

test.each([
  undefined,
  0,
  7,
  Number.MAX_SAFE_INTEGER,
])("a person of version %s goes, from what others have as well; facts and others stay", async (version) => {
  await fill(version);
  const before = await allItems();
  const pages: boolean[] = [];
  const plan = await planToForget(id, list, (_, isFirst) => void pages.push(isFirst));
  expect(pages.filter(Boolean)).toHaveLength(2);
  expect(plan).toEqual({
    traces: { timesheet: 1, history: 2, notification: 1 },
    wasUser: true,
    endpointsLeft: [],
  });
  expect(await allItems()).toEqual(before);
  expect((await traces()).length).toBeGreaterThan(3);

  expect(await forgetPerson(id, list, testContext(now))).toEqual(plan);
  expect(await traces()).toEqual([]);
  for (const kind of ["PIN", "REGISTRATION"] as const)
    expect(await pins.find(pinKey("hash of xenia's login", kind))).toBeUndefined();
  expect(await pins.find(pinKey("hash of another login", "PIN"))).toMatchObject({ user_id: 32 });
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({
    total: "120.00",
    driver: { first_name: "Erased", profile_id: profile },
  });
  expect(await readRecord("TIMESHEET", 2)).toMatchObject({
    driver: { first_name: "Ada" },
    job_title: "Cover for Xenia Quill?",
  });
  expect((await allItems()).filter(({ pk }) => pk === `USER#${id}` || pk === `PASSWORD#${id}`)).toMatchObject([
    { sk: "USER", removed_at: expect.any(String), version: Number.MAX_SAFE_INTEGER },
  ]);
  // No line brings them back; the second run knows from the list who it was.
  expect(await write(userLine(id, { version: 9 }))).toBe("stale");
  await write(timesheetLine(3, 1, { driver }));
  expect(await forgetPerson(id, list, testContext(now))).toMatchObject({ traces: { timesheet: 1 }, wasUser: false });
  expect(await traces()).toEqual([]);
});

test("an erased person stays out of every import until they are readmitted; the next person is imported", async () => {
  await fill();
  await forgetPerson(id, list, testContext(now));
  const yearOn = new Date(now.getTime() + 365 * 86_400_000);
  for (const each of [{}, { version: null }, { version: 9 }, { version: Number.MAX_SAFE_INTEGER }]) {
    expect([each, await write(userLine(id, each)), await write(userLine(id, each), testContext(yearOn))]).toEqual([
      each,
      "stale",
      "stale",
    ]);
  }
  // A removal does not open the way either, nor does a second erasure.
  expect(await write({ type: "user", id, deleted: true, version: null })).toBe("unchanged");
  await forgetPerson(id, list, testContext(now));
  expect(await write(userLine(id))).toBe("stale");
  expect((await allItems()).find(({ pk }) => pk === `USER#${id}`)).not.toHaveProperty("expires_at");
  expect(await write(userLine(32, { profile_id: 701, first_name: "Ada" }))).toBe("updated");
  expect(await write(userLine(35))).toBe("created");
  await readmit(id, list);
  expect(await write(userLine(id))).toBe("created");
});

test("an operator's notification of their timesheet keeps what happened, and neither the day nor their name", async () => {
  await fill();
  const submitted = { record_type: "Timesheet", params: { type: "submitted", date: "2026-05-04" } };
  await write(notificationLine(3, 32, { ...submitted, record_id: 1 }));
  await write(notificationLine(4, 32, { ...submitted, record_id: 2 }));
  await write(notificationLine(5, 32, { ...submitted, record_id: 1, record_type: "Job" }));
  await forgetPerson(id, list, testContext(now));
  const paramsOf = async (each: number) => (await notifications.find(notificationKey(32, each)))?.record.params;
  expect(await Promise.all([3, 4, 5].map(paramsOf))).toEqual([
    { type: "submitted" },
    submitted.params,
    submitted.params,
  ]);
});

test("nobody is erased who cannot be put on the list, nor readmitted who cannot be taken off it", async () => {
  await fill();
  const fail = () => Promise.reject(new Error("no rights"));
  const before = await traces();
  await expect(forgetPerson(id, { ...list, add: fail }, testContext(now))).rejects.toThrow("no rights");
  expect(await traces()).toEqual(before);
  await forgetPerson(id, list, testContext(now));
  await expect(readmit(id, { ...list, remove: fail })).rejects.toThrow("no rights");
  expect(await write(userLine(id))).toBe("stale");
});

test("where others keep writing the name the user goes all the same, with all that is theirs, and the rest is reported", async () => {
  await fill();
  let passes = 0;
  const writeAgain = async (command: string) => {
    if (command !== "ScanCommand") return;
    passes += 1;
    await write(timesheetLine(100 + passes, 1, { driver }));
  };
  const forgotten = await beforeCalls(writeAgain, () => forgetPerson(id, list, testContext(now)));
  expect([passes, forgotten?.kept]).toEqual([20, { timesheet: 1, history: 0, notification: 0 }]);
  expect(await traces()).toEqual([]);
  expect(await write(userLine(id))).toBe("stale");
  const again = await beforeCalls(writeAgain, () => replayErasures(list, testContext(now)));
  expect(again).toEqual({ forgotten: [], absent: [id], endpointsLeft: [], unfinished: [id] });
  await write(timesheetLine(99, 1, { driver }));
  expect(await forgetPerson(id, list, testContext(now))).toMatchObject({ traces: { timesheet: 1 }, kept: undefined });
  expect(await traces()).toEqual([]);
});

test("a name that is written while the user is removed goes as well", async () => {
  await fill();
  let isWritten = false;
  const meanwhile = async (command: string) => {
    if (isWritten || !command.startsWith("Transact")) return;
    isWritten = true;
    await write(timesheetLine(7, 1, { driver }));
  };
  await beforeCalls(meanwhile, () => forgetPerson(id, list, testContext(now)));
  expect([isWritten, await traces()]).toEqual([true, []]);
});

test("a run that is killed anywhere is finished by the next one", async () => {
  for (let calls = 3; ; calls += usualFreshOrFull(17, 5, 1)) {
    await fill();
    let left = calls;
    const kill = () => {
      left -= 1;
      if (left < 0) throw new Error("killed");
    };
    const isDone = await beforeCalls(kill, () => forgetPerson(id, list, testContext(now))).then(
      () => true,
      () => false,
    );
    if (isDone) break;
    expect(await forgetPerson(id, list, testContext(now))).toBeDefined();
    expect(await traces()).toEqual([]);
    await list.remove(id);
  }
}, 600_000);

test("after a restore a replay erases who is there, keeps out who is not, and leaves who was readmitted", async () => {
  await fill();
  await forgetPerson(id, list, testContext(now));
  await list.add({ id: 33, profile_ids: [], erased_at: now.toISOString() });
  await list.add({ id: 34, profile_ids: [], erased_at: now.toISOString() });
  expect(await readmit(34, list)).toBe(true);
  // The table of before.
  await fill(7);
  await write(userLine(34));
  await write({ type: "user", id: 36, deleted: true, version: 7 });
  // They were not on it, so nothing of theirs changes.
  for (const other of [34, 36]) expect(await readmit(other, list)).toBe(false);
  expect(await write(userLine(36, { version: 6 }))).toBe("stale");
  expect(await replayErasures(list, testContext(now))).toEqual({
    forgotten: [id],
    absent: [33],
    endpointsLeft: [],
    unfinished: [],
  });
  expect(await traces()).toEqual([]);
  expect(await write(userLine(33, { version: 1 }))).toBe("stale");
  expect(await readRecord("USER", 34)).toMatchObject({ first_name: "Ines" });
  expect(await replayErasures(list, testContext(now))).toEqual({
    forgotten: [],
    absent: [id, 33],
    endpointsLeft: [],
    unfinished: [],
  });
  expect(await readmit(33, list)).toBe(true);
  expect(await write(userLine(33, { version: 1 }))).toBe("created");
});

test("who was removed by a line before is found by the number of the profile, with the name that timesheets have", async () => {
  await fill();
  await putHistory([{ type: "user", id, after: { first_name: "Xenia", last_name: "Quill", profile_id: profile } }]);
  await write({ type: "user", id, deleted: true });
  await emptyHistory(historyPartition("user", id));
  const plan = await planToForget(id, list);
  expect(plan).toEqual({
    traces: { timesheet: 1, history: 2, notification: 1 },
    wasUser: false,
    endpointsLeft: [],
  });
  await forgetPerson(id, list, testContext(now));
  expect(await traces()).toEqual([]);
});

test("in the history of a timesheet that is gone a driver who was cut is found by the name; others stay", async () => {
  await fill();
  const texts = [
    '{"first_name":"Xenia","last_name":"Qui',
    '{"id":7,"last_name":"Quill","first_name":"Xe',
    '{"first_name":"Xenia","last_name":"Holt"',
    '{"financial_comp',
  ];
  await putHistory(texts.map((cut) => ({ id: 90, after: { driver: { cut, sha256: "x" }, total: "1.00" } })));
  await forgetPerson(id, list, testContext(now));
  const kept = (await allItems()).filter(({ pk }) => pk === historyPartition("timesheet", 90));
  const drivers = kept.map((item) => JSON.parse(historyItems.decode(item).record.after ?? "").driver);
  expect(drivers.map(({ cut }) => cut)).toEqual(["", "", texts[2], texts[3]]);
});

test("two who are forgotten side by side both go from a change of one driver to the other", async () => {
  await fill();
  const pk = historyPartition("timesheet", 91);
  await putHistory([{ id: 91, before: { driver: other }, after: { driver } }]);
  let isOvertaken = false;
  const overtake = async (command: string, input: object) => {
    if (isOvertaken || !command.startsWith("Update") || !JSON.stringify(input).includes(pk)) return;
    isOvertaken = true;
    await forgetPerson(32, list, testContext(now));
  };
  await beforeCalls(overtake, () => forgetPerson(id, list, testContext(now)));
  const kept = JSON.stringify((await allItems()).filter((item) => item.pk === pk));
  expect([isOvertaken, kept.match(/Xenia|Ada|Erased/g)]).toEqual([true, ["Erased", "Erased"]]);
});

test("the endpoints of their devices at SNS go; one that SNS keeps is named", async () => {
  await fill();
  const sns = new SNSClient({});
  const endpoints: string[] = [];
  for (const Token of ["first", "second"]) {
    const made = await sns.send(new CreatePlatformEndpointCommand({ PlatformApplicationArn: applications.fcm, Token }));
    const deviceId = endpoints.push(made.EndpointArn ?? "");
    await saveDeviceToken(id, { token: Token, platform: "fcm", pushService: "fcm" }, deviceId);
    const device = (await findDevices(id)).find(({ token }) => token === Token);
    if (device) await keepEndpoint(id, device, made.EndpointArn ?? "");
  }
  service.endpoints.failNext("DeleteEndpoint", "AuthorizationError", 1);
  const { endpointsLeft = [] } = (await forgetPerson(id, list, testContext(now))) ?? {};
  expect(endpointsLeft).toHaveLength(1);
  expect(endpoints).toContain(endpointsLeft[0]);
  const found = endpoints.map(async (EndpointArn) => {
    const change = new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "true" } });
    return sns.send(change).then(
      () => [EndpointArn],
      () => [],
    );
  });
  expect((await Promise.all(found)).flat()).toEqual(endpointsLeft);
  sns.destroy();
});

test("forgotten with another profile than the last time, both are on the list", async () => {
  await fill();
  await forgetPerson(id, list, testContext(now));
  // A restored table has another profile.
  await emptyTable();
  await write(userLine(id, { profile_id: 705 }));
  await forgetPerson(id, list, testContext());
  expect(await list.entries()).toEqual([{ id, profile_ids: [profile, 705], erased_at: now.toISOString() }]);
});

test("a profile that is another user's today: only the person's own names are theirs", async () => {
  await fill();
  await write(userLine(id, { profile_id: null, first_name: "Xenia", last_name: "Quill" }));
  await list.add({ id, profile_ids: [profile], erased_at: now.toISOString() });
  await write(userLine(40, { profile_id: profile, first_name: "Bo", last_name: "Quill" }));
  await write(timesheetLine(5, 1, { driver: { ...driver, first_name: "Bo", last_name: "Quill" } }));
  await write(timesheetLine(6, 1, { driver: { ...driver, first_name: "Xenia", last_name: "Ray" } }));
  await forgetPerson(id, list, testContext(now));
  expect(await readRecord("TIMESHEET", 5)).toMatchObject({ driver: { first_name: "Bo" } });
  expect(await readRecord("TIMESHEET", 6)).toMatchObject({ driver: { last_name: "Ray" } });
  expect(await readRecord("TIMESHEET", 1)).toMatchObject({ driver: { first_name: "Erased" } });
  expect(await readRecord("USER", 40)).toMatchObject({ profile_id: profile });
});

test("who somebody was before is known from their own history", async () => {
  await fill();
  await putHistory([
    { type: "user", id, after: { profile_id: 702, last_name: "Born" } },
    { type: "user", id, after: { first_name: "", last_name: "Moor" } },
    { type: "user", id: 41, after: { profile_id: 703 } },
  ]);
  const born = { ...driver, profile_id: 702, last_name: "Born" };
  await write(timesheetLine(6, 1, { driver: born, job_title: "Instead of Xenia Born at Kirk Moor" }));
  await forgetPerson(id, list, testContext(now));
  expect(await traces()).toEqual([]);
  expect(await readRecord("TIMESHEET", 6)).toMatchObject({ job_title: "Instead of Erased Person at Kirk Moor" });
  expect(await planToForget(41, list)).toMatchObject({ wasUser: false });
});

test("of somebody who is neither in the table nor on the list nothing is known", async () => {
  expect(await planToForget(987, list)).toBeUndefined();
  expect(await forgetPerson(987, list, testContext(now))).toBeUndefined();
});
