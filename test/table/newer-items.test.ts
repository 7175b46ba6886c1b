import { expect, test } from "vitest";
import { recount } from "../../infra/tools/recount/recount-lists.ts";
import { saveDeviceToken } from "../../shared/notifications/devices.ts";
import { askForPin } from "../../shared/people/ask-for-pin.ts";
import { pinKey } from "../../shared/people/pins.ts";
import { counterKey, importParts } from "../../shared/table/counters.ts";
import { defineEntity } from "../../shared/table/entity.ts";
import type { Item } from "../../shared/table/table.ts";
import { getItem, keyOf } from "../../shared/table/table.ts";
import { putIf } from "../../shared/table/writes.ts";
import { scanItems, updateRaw } from "../support/records/items.ts";
import { invoiceLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { useService } from "../support/service/service.ts";

useService();

const beside = { schema_version: 2, extra: { kept: true } };

test("a counter of a newer version is right with what it has beside figures, and a repair keeps that", async () => {
  await store([invoiceLine(50, 5)]);
  const of = { list: "INVOICES", companyId: 5 } as const;
  const key = counterKey({ ...of, month: "ALL" }, importParts[0] ?? 0);
  await putIf({ Item: { ...(await getItem(key)), ...beside } });
  expect(await recount(of)).toEqual({ records: 1, differences: [] });
  const wrong = { ":wrong": 9 };
  await updateRaw({ Key: key, UpdateExpression: "SET pending = :wrong", ExpressionAttributeValues: wrong });
  const { differences } = await recount(of, { repairs: true, apartMs: 0, lagMs: 0 });
  expect(differences).toMatchObject([{ month: "ALL", figures: new Map([["pending", -8]]) }]);
  expect(await recount(of)).toMatchObject({ differences: [] });
  expect(await getItem(key)).toMatchObject({ ...beside, pending: 9 });
});

test("a login and a profile that a user holds already keep their version, their moment and what is unknown", async () => {
  const login = { pk: "LOGIN#e@example.com", sk: "LOGIN", user_id: 77, confirmed_at: "2026-01-01T00:00:00.000Z" };
  const profile = { pk: "PROFILE#770", sk: "PROFILE", user_id: 77 };
  for (const item of [login, profile]) await putIf({ Item: { ...item, ...beside } });
  await store([userLine(77, { email: "e@example.com", profile_id: 770 })]);
  for (const item of [login, profile]) expect(await getItem(keyOf(item))).toEqual({ ...item, ...beside });
});

test("the owner of a device's token keeps its version and what is unknown while it is the same user's", async () => {
  const device = { token: "t".repeat(64), platform: "ios", pushService: "apns" } as const;
  const id = await saveDeviceToken(81, device, 1);
  const owner = [...(await scanItems()).values()].find(({ pk }) => String(pk).startsWith("DEVICE#")) ?? {};
  await putIf({ Item: { ...owner, ...beside } });
  expect(await saveDeviceToken(81, { ...device, platform: "ipados" }, 2)).toBe(id);
  expect(await getItem(keyOf(owner))).toEqual({ ...owner, ...beside });
  await saveDeviceToken(82, device, 3);
  expect(await getItem(keyOf(owner))).toEqual({ ...owner, user_id: 82, id: 3 });
});

test("a pin in place of one of a newer version has the version of the code that stores it", async () => {
  const key = pinKey("hash of a login", "PIN");
  await putIf({ Item: { ...key, ...beside } });
  expect((await askForPin(key, "request", new Date())).isNew).toBe(true);
  expect(await getItem(key)).toMatchObject({ schema_version: 1, request_id: "request" });
});

test("an older item is upgraded to the newest version when it is read, keeps what is unknown, and is stored in that version", () => {
  const upgrade = ({ hours, ...item }: Item) => ({ unit: "hour", minutes: Number(hours) * 60, ...item });
  const things = defineEntity<object>("thing", () => false, { version: 3, upgrade });
  const key = { pk: "THING#1", sk: "THING" };
  const newest = { ...key, schema_version: 3, unit: "hour", minutes: 120, unknown: true };
  expect(things.decode({ ...key, schema_version: 1, hours: 2, unknown: true })).toEqual(newest);
  expect(things.decode({ ...key, schema_version: 2, unit: "hour", hours: 2, unknown: true })).toEqual(newest);
  expect(things.decode(newest)).toBe(newest);
  const newer = { ...newest, schema_version: 4, beside: 1 };
  expect(things.decode(newer)).toBe(newer);
  expect([things.encode({ ...key }), things.encode(newer)]).toEqual([{ ...key, schema_version: 3 }, newer]);
});
