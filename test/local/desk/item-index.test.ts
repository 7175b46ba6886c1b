import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { readDesk } from "../../../infra/local/desk/answers.ts";
import { indexOf, openItemIndex, titleOf } from "../../../infra/local/desk/item-index.ts";
import type { InboxView, PeopleView, RequestRow } from "../../../infra/local/desk/views.ts";
import { deviceKey, deviceOwnerKey } from "../../../shared/notifications/devices.ts";
import { loginKey } from "../../../shared/people/logins.ts";
import type { StreamRecord } from "../../../shared/table/entity.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { invoiceLine, jobLine, notificationLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { deskSources, requestOf } from "./happenings.ts";

const change = (key: Key, item: Item | undefined): StreamRecord => ({
  eventId: `${key.pk} ${key.sk}`,
  key,
  before: undefined,
  after: item && { ...key, ...item },
});

function user(id: number, about: object = {}): StreamRecord[] {
  const record = userLine(id, { role: "driver", first_name: "Zoë", last_name: `Hussain ${id}`, ...about });
  const { role, financial_company_id: company_id, email } = record as Record<string, unknown>;
  const own = change(recordKey("USER", id), { id, role, company_id, record });
  return [own, change(loginKey(String(email)), { user_id: id })];
}

function timesheet(id: number): StreamRecord {
  return change(recordKey("TIMESHEET", id), { id, company_id: 1, record: timesheetLine(id, 1) });
}

describe("the index of people", () => {
  test("takes a change once, however often it comes, and forgets what was removed", () => {
    const index = openItemIndex();
    for (const _ of [1, 2]) index.add([...user(1), ...user(2), timesheet(3)]);
    expect(index.countPeople()).toBe(2);
    for (const _ of [1, 2]) index.add([change(recordKey("USER", 1), undefined)]);
    expect(index.countPeople()).toBe(1);
    expect([1, 2, 3].map((id) => index.person(id)?.id)).toEqual([undefined, 2, undefined]);
  });

  test("takes all changes of a batch or none, and the next batch after a failed one", () => {
    const index = openItemIndex();
    const unreadable = change(recordKey("USER", 2), { id: 2 });
    expect(() => index.add([...user(1), unreadable])).toThrow(TypeError);
    expect(index.countPeople()).toBe(0);
    index.add(user(2));
    expect(index.countPeople()).toBe(1);
  });

  test("lists people by their ids as numbers", () => {
    const index = openItemIndex();
    index.add([10, 9, 100, 2].flatMap((id) => user(id)));
    expect(index.people("", 3).map(({ id }) => id)).toEqual([2, 9, 10]);
  });

  test.each([
    [{ first_name: "", last_name: "", email: "dana@harbour.example" }, "dana@harbour.example"],
    [{ first_name: "", last_name: "", email: null, phone_number: "+447700900007" }, "+447700900007"],
    [{ first_name: "", last_name: "", email: null }, "User 7"],
    [{ first_name: "", last_name: "Hussain" }, "Hussain"],
  ])("has a name for a user with %o: %s", (about, name) => {
    const index = openItemIndex();
    index.add(user(7, about));
    expect(index.person(7)?.name).toBe(name);
  });

  test.each([
    ["zoe 7", [7]],
    ["ZOË hussain 8", [8]],
    ["user#9", [9]],
    ["user8@", [8]],
    ["driver", [7, 8, 9]],
    ["operator", []],
    ["%", []],
  ])("finds people by every word of %j, in any case and without accents", (words, ids) => {
    const index = openItemIndex();
    index.add([7, 8, 9].flatMap((id) => user(id, { email: `user${id}@harbour.example` })));
    expect(index.people(words, 9).map(({ id }) => id)).toEqual(ids);
  });

  test("knows who signs in with a login, with the name that the company has now", () => {
    const index = openItemIndex();
    index.add(user(7, { email: "dana@harbour.example", financial_company_id: 1 }));
    const company = () => index.ownerOf(loginKey("dana@harbour.example"))?.company;
    expect(company()).toBe("company 1");
    for (const name of ["Harbour", "Northgate"]) {
      index.add([change(recordKey("COMPANY", 1), { id: 1, name })]);
      expect(company()).toBe(name);
    }
    expect(index.ownerOf(loginKey("nobody@harbour.example"))).toBeUndefined();
    expect(index.person(7)).toMatchObject({ role: "driver", logins: ["dana@harbour.example"] });
  });

  test("knows who has a device, and whose token it is", () => {
    const index = openItemIndex();
    index.add([
      ...user(7),
      ...user(17, { role: "admin", financial_company_id: null }),
      change(deviceKey(17, 1), { id: 1 }),
    ]);
    index.add([change(deviceOwnerKey("hash"), { user_id: 17, id: 1 })]);
    expect([7, 17, 1].map((id) => index.hasDevice(id))).toEqual([false, true, false]);
    expect(index.ownerOf(deviceOwnerKey("hash"))?.id).toBe(17);
    expect(index.ownerOf(recordKey("USER", 17))).toBeUndefined();
    expect(index.person(17)).toMatchObject({ companyId: null, company: null });
  });
});

test("the first 100 people are listed, the number of all is said, and all names are there", async () => {
  const index = openItemIndex();
  const ids = Array.from({ length: 150 }, (_, at) => at + 1);
  index.add(ids.flatMap((id) => user(id, { email: `user${id}@harbour.example` })));
  const sources = deskSources({ buses: { past: () => [] } }, index);
  sources.history.addRequest(requestOf("one"));
  sources.inbox.add({ channel: "email", to: "user150@harbour.example", subject: "S", text: "T", html: null });
  const read = <T>(what: string, words = "") => readDesk(what, new URLSearchParams({ words }), sources) as Promise<T>;
  const view = await read<PeopleView>("people");
  expect([view.people.length, view.total]).toEqual([100, 150]);
  expect((await read<PeopleView>("people", "hussain 150")).people[0]?.id).toBe(150);
  expect((await read<RequestRow[]>("requests"))[0]?.user?.name).toBe("Zoë Hussain 7");
  expect((await read<InboxView[]>("inbox"))[0]?.person?.name).toBe("Zoë Hussain 150");
});

test("a stream without an index is read from its beginning, one with an index from where the desk was", async () => {
  const path = newFolder();
  const position = join(path, "desk.json");
  const isKept = () => existsSync(position);
  writeFileSync(position, "{}");
  const index = indexOf("stream/1", path);
  expect(isKept()).toBe(false);
  index.add(user(1));
  writeFileSync(position, "{}");
  expect(indexOf("stream/1", path).countPeople()).toBe(1);
  expect(isKept()).toBe(true);
  expect(indexOf("stream/2", path).countPeople()).toBe(0);
  expect(isKept()).toBe(false);
});

test.each([
  ["no database", () => "half of a page"],
  ["a database with a damaged page", (text: string) => text.slice(0, 4096) + "x".repeat(text.length - 4096)],
])("an index that is %s is made again from the stream's beginning", (_, damage) => {
  const path = newFolder();
  indexOf("stream/1", path).add(user(1));
  const [name = ""] = readdirSync(path).filter((each) => each.endsWith(".sqlite"));
  // The write-ahead log of the open index goes into its file.
  const file = new DatabaseSync(join(path, name));
  file.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  file.close();
  writeFileSync(join(path, name), damage(readFileSync(join(path, name), "latin1")), "latin1");
  writeFileSync(join(path, "desk.json"), "{}");
  const index = indexOf("stream/1", path);
  expect(existsSync(join(path, "desk.json"))).toBe(false);
  index.add(user(2));
  expect(index.countPeople()).toBe(1);
  // It has names and logins.
  expect(statSync(join(path, name)).mode & 0o077).toBe(0);
});

test.each([
  ["a user without names", { role: "driver", record: { first_name: "", last_name: "" } }, "driver"],
  ["a company", { id: 1, name: "Harbour Logistics Ltd" }, "Harbour Logistics Ltd"],
  [
    "an invoice",
    {
      record: invoiceLine(7, 1, { number: "INV-7", company_name: "Harbour", issued_date: "2026-05-01", state: "paid" }),
    },
    "INV-7 · Harbour · 2026-05-01 · paid",
  ],
  [
    "a timesheet, by its driver",
    {
      record: timesheetLine(7, 1, {
        company_name: "Harbour",
        date: "2026-05-01",
        job_title: "Loader",
        state: "pending",
        driver: { first_name: "Dana", last_name: "Whitfield" },
      }),
    },
    "Dana Whitfield · Loader · Harbour · 2026-05-01 · pending",
  ],
  [
    "a job",
    { record: jobLine(7, 1, { title: "Loader", number: 1007, published_at: "2026-05-01T08:30:00.000Z" }) },
    "Loader · 1007 · 2026-05-01",
  ],
  [
    "a notification",
    { record: notificationLine(7, 1, { record_type: "Job", created_at: "2026-05-01T08:30:00.000Z" }) },
    "Job · 2026-05-01",
  ],
  ["a session", { opened_at: "2026-05-01T08:30:00.000Z", seed: "x" }, "2026-05-01"],
  ["an entry of the history", { record: { did: "updated", at: "2026-05-01T08:30:00.000Z" } }, "2026-05-01 · updated"],
  ["totals", { paid: 7 }, ""],
  ["a record, by what it says itself,", { state: "pending", record: { state: "paid" } }, "paid"],
])("%s is listed by its name, number, date and state", (_, item, title) => {
  expect(titleOf(item)).toBe(title);
});
