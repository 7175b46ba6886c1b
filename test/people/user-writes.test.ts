import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { saveDeviceToken } from "../../shared/notifications/devices.ts";
import { loginKey, profileKey } from "../../shared/people/logins.ts";
import { findUserOfLogin } from "../../shared/people/shown-user.ts";
import { findUser, secretKey } from "../../shared/people/users.ts";
import { recordKey, tableClient } from "../../shared/table/table.ts";
import { companyLine, notificationLine, userLine } from "../support/records/records.ts";
import { faultsOf, readItem, readPlace, write, writtenAt } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const service = useService();

/** A user's line with logins of its own, named after its id. */
function driverLine(id: number, changes: object = {}) {
  const phone_number = `+4420794602${String(id).padStart(2, "0")}`;
  return userLine(id, { role: "driver", phone_number, profile_id: 5000 + id, ...changes });
}

async function itemsOf(pk: string): Promise<unknown[]> {
  const query = {
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ConsistentRead: true,
  };
  const found = await tableClient().send(new QueryCommand({ TableName: service.tableName, ...query }));
  return (found.Items ?? []).map(({ sk }) => sk);
}

test("D35: a user is found by every login, with its company, and by its profile", async () => {
  await write(companyLine(1));
  expect(await write(driverLine(10))).toBe("created");
  const { type: _, ...line } = driverLine(10);
  const user = { ...line, locale: null };
  for (const login of ["user-10@example.com", "+442079460210"]) {
    expect(await findUserOfLogin(login)).toEqual({ ...user, company: { id: 1, name: "Harbour Logistics" } });
    expect(await readItem(loginKey(login))).toMatchObject({ user_id: 10, confirmed_at: writtenAt.toISOString() });
  }
  expect(await readItem(profileKey(5010))).toMatchObject({ user_id: 10 });
});

test("D35: nullable fields of a new user may be left out; company may name the tenant", async () => {
  const company = { id: 1, name: "Harbour Logistics" };
  await write({ type: "user", id: 11, role: "client", first_name: "Ada", last_name: "Holt", company });
  expect(await findUser(11)).toEqual({
    id: 11,
    role: "client",
    first_name: "Ada",
    last_name: "Holt",
    locale: null,
    financial_company_id: 1,
    email: null,
    phone_number: null,
    contact_phone_number: null,
    job_position: null,
    profile_id: null,
  });
});

test("a login that a user gives up is free for another", async () => {
  await write(driverLine(20));
  await write({ type: "user", id: 20, email: "new-20@example.com", phone_number: null, profile_id: null });
  expect(await readItem(loginKey("user-20@example.com"))).toBeUndefined();
  expect(
    await write(driverLine(21, { email: "user-20@example.com", phone_number: "+442079460220", profile_id: 5020 })),
  ).toBe("created");
  expect(await findUserOfLogin("user-20@example.com")).toMatchObject({ id: 21 });
});

test("D35: what another user holds is refused by field, and nothing is written", async () => {
  await write(driverLine(30));
  const rival = driverLine(31, { email: "user-30@example.com", phone_number: "+442079460230", profile_id: 5030 });
  expect(await faultsOf(() => write(rival))).toEqual(["/email taken", "/phone_number taken", "/profile_id taken"]);
  expect(await findUser(31)).toBeUndefined();
});

test("of many users that get one login at once exactly one keeps it", async () => {
  const lines = Array.from({ length: 12 }, (_, at) => userLine(40 + at, { email: "wanted@example.com" }));
  const faults = await Promise.all(lines.map((line) => faultsOf(() => write(line))));
  expect(faults.filter((fault) => fault.length === 0)).toHaveLength(1);
  expect(new Set(faults.flat())).toEqual(new Set(["/email taken"]));
  const winner = 40 + faults.findIndex((fault) => fault.length === 0);
  expect(await readItem(loginKey("wanted@example.com"))).toMatchObject({ user_id: winner });
  for (const { id } of lines)
    expect((await findUser(id))?.email).toBe(id === winner ? "wanted@example.com" : undefined);
});

async function hashOf(kind: "password" | "passcode", id: number): Promise<unknown> {
  return (await readItem(secretKey(kind, id)))?.hash;
}

/** It says when and by which change the user was removed, and for how long it stays; nothing of the user. */
function expectTombstone(item: object | undefined): void {
  const attributes = ["change", "expires_at", "pk", "removed_at", "revision", "schema_version", "silent", "sk"];
  expect(
    Object.keys(item ?? {})
      .filter((name) => name !== "write_id")
      .toSorted(),
  ).toEqual(attributes);
}

test("D35: a removed user leaves nothing behind but a tombstone: secrets, logins, profile, sessions, devices, notifications, counts", async () => {
  await write(driverLine(70, { password: "correct horse", passcode: "4711" }));
  for (let id = 1; id <= 60; id += 1) await write(notificationLine(id, 70));
  const device = { token: "token-70", platform: "ios", pushService: "apns" } as const;
  await saveDeviceToken(70, device, 700);
  await saveDeviceToken(70, { ...device, token: "moved" }, 701);
  await saveDeviceToken(71, { ...device, token: "moved" }, 702);
  const session = { pk: "USER#70", sk: "SESSION#family" };
  await service.database.send(new PutCommand({ TableName: service.tableName, Item: session }));

  expect(await write({ type: "user", id: 70, deleted: true })).toBe("removed");
  expect(await itemsOf("USER#70")).toEqual(["USER"]);
  expectTombstone(await readPlace(recordKey("USER", 70)));
  for (const login of ["user-70@example.com", "+442079460270"]) expect(await readItem(loginKey(login))).toBeUndefined();
  expect(await readItem(profileKey(5070))).toBeUndefined();
  expect([await hashOf("password", 70), await hashOf("passcode", 70)]).toEqual([undefined, undefined]);
  expect(await itemsOf("USER#71")).toHaveLength(2);
  expect(await write({ type: "user", id: 70, deleted: true })).toBe("unchanged");
  expect(await write(driverLine(70))).toBe("created");
});

test("a removal that was cut short is finished by repeating it", async () => {
  await write(notificationLine(1, 80));
  expect(await write({ type: "user", id: 80, deleted: true })).toBe("removed");
  expect(await itemsOf("USER#80")).toEqual(["USER"]);
  expectTombstone(await readPlace(recordKey("USER", 80)));
});

test("D35: a stale removal leaves the user and all it has", async () => {
  await write(driverLine(90, { version: 4 }));
  await write(notificationLine(1, 90));
  expect(await write({ type: "user", id: 90, version: 4, deleted: true })).toBe("stale");
  expect(await itemsOf("USER#90")).toHaveLength(3);
});
