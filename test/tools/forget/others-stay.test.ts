import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { deliveredKey } from "../../../functions/workers/notification-delivery.ts";
import { openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { forgetPerson } from "../../../infra/tools/forget/forget-person.ts";
import { entities, entityOf } from "../../../shared/entities.ts";
import { saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { apiKeysKey } from "../../../shared/people/api-keys.ts";
import { pinKey } from "../../../shared/people/pins.ts";
import { sessionKey } from "../../../shared/people/sessions.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf } from "../../../shared/table/table.ts";
import { testContext } from "../../support/records/contexts.ts";
import { putHistory } from "../../support/records/history.ts";
import { putItems, scanItems } from "../../support/records/items.ts";
import * as lines from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { useService } from "../../support/service/service.ts";

useService();

interface Someone {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
}

/** Their ids begin alike, they share a name, and each has something in the records that name the other's profile. */
const person: Someone = { id: 31, first_name: "Xenia", last_name: "Quill" };
const others: readonly Someone[] = [
  { id: 3, first_name: "Ada", last_name: "Quill" },
  { id: 310, first_name: "Xenia", last_name: "Holt" },
];

/** A text that names the person stays in records that are about others. */
const text = `Cover for ${person.first_name} ${person.last_name}`;

async function storeAllOf({ id, first_name, last_name }: Someone): Promise<void> {
  const driver = { id, financial_company_id: id, profile_id: id, referral_code: "R", first_name, last_name };
  const names = { first_name, last_name, profile_id: id };
  await store([
    lines.companyLine(id),
    lines.userLine(id, { ...names, financial_company_id: id, password: "Correct horse battery", passcode: "4711" }),
    lines.timesheetLine(id, id, { driver, job_title: text }),
    lines.invoiceLine(id, id),
    lines.jobLine(id, id),
    lines.notificationLine(id, id, { record_type: "Timesheet", record_id: id, params: { type: "t", text } }),
  ]);
  await saveDeviceToken(id, { token: `token ${id}`, platform: "fcm", pushService: "fcm" }, id);
  await putHistory([
    { type: "user", id, before: { ...names, email: "old@example.com" }, after: names },
    { type: "timesheet", id, before: { driver }, after: { driver, total: "1.00" } },
  ]);
  await putItems([
    { ...pinKey(`hash of ${id}`, "PIN"), user_id: id },
    { ...pinKey(`hash of ${id}`, "REGISTRATION"), user_id: id },
    { ...sessionKey(id, "family"), n: 1 },
    { ...deliveredKey(id, "event") },
    { ...apiKeysKey(id), user_id: id, keys: {} },
    { pk: `USER#${id}`, sk: "NOTICE#password_changed#2026-05-01T09:00:00.000Z" },
    { pk: `RESET#${id}`, sk: "RESET", user_id: id },
    { pk: `LIMIT#${id}`, sk: "LIMIT", n: 1 },
    { pk: `CHANGE#${id}`, sk: "CHANGE", user_id: id },
    { pk: "KEYS", sk: String(id) },
    { pk: `SEQUENCE#${id}`, sk: "SEQUENCE", given: 1 },
    { pk: `TOTALS#${id}`, sk: "ALL", read_at: 0 },
  ]);
}

const kindOf = (item: Item) => entityOf(keyOf(item))?.name ?? "";
const kindsOf = (items: Iterable<Item>) => [...new Set([...items].map(kindOf))].toSorted();

test("forgetting a person changes nothing of others, whatever kind of item they have", async () => {
  for (const other of others) await storeAllOf(other);
  const before = await scanItems();
  const unstored = entities.filter(({ name }) => !kindsOf(before.values()).includes(name));
  expect(unstored.map(({ name }) => `store an item of "${name}" in storeAllOf of this file`)).toEqual([]);
  expect(kindsOf(before.values())).toEqual(entities.map(({ name }) => name).toSorted());

  await storeAllOf(person);
  const directory = newFolder();
  await forgetPerson(person.id, openErasedList({ stage: undefined, directory }), testContext());

  const after = await scanItems();
  const changed = [...before].filter(([key, item]) => !isDeepStrictEqual(after.get(key), item));
  expect(changed.map(([key, item]) => `${kindOf(item)}: ${key}`)).toEqual([]);
  // The user is a tombstone, and the names are gone from the rest.
  const left = [...after].filter(([key]) => !before.has(key)).map(([, item]) => item);
  expect(
    kindsOf(left),
    "the kinds of which a forgotten person leaves an item: add a new one, or have it forgotten",
  ).toEqual(
    [
      ...["user", "timesheet", "history"],
      ...["company", "invoice", "job", "list counter", "number entry"],
      ...["change", "limit count", "public key", "reset token", "sequence", "snapshot"],
    ].toSorted(),
  );
  expect(left.filter((item) => JSON.stringify(item).includes(person.last_name))).toEqual([]);
});
