import { describe, expect, test } from "vitest";
import {
  type ItemImages,
  notificationEventOf,
  readNotice,
  readPush,
} from "../../../../functions/workers/notification-events.ts";
import { notifyingRecordTypes } from "../../../../shared/notifications/kinds.ts";

type Image = ItemImages["after"];

const operators = { company: 3, role: "operator" };
const clients = { company: 3, role: "client" };

function change(sk: string, before: Image, after: Image): ItemImages {
  return { key: { sk }, before, after };
}

function timesheet(state: string, beside: object = {}): Image {
  return { id: 5, company_id: 3, record: { state, driver: { id: 7, profile_id: 70 } }, ...beside };
}

function invoice(state: string, beside: object = {}): Image {
  return { id: 6, company_id: 3, record: { state, number: "INV-1" }, ...beside };
}

function notified(each: ItemImages): string | undefined {
  const event = notificationEventOf(each);
  return event && `${event.record_type}/${event.params.type} ${event.record_id}`;
}

describe("D25: what a change means", () => {
  const job = { id: 4, company_id: 3, record: { title: "Forklift driver" } };

  test("a new job is notified to its company's operators; a changed one to nobody", () => {
    expect(notificationEventOf(change("JOB", undefined, job))).toEqual({
      record_type: "Job",
      record_id: 4,
      params: { type: "published", title: "Forklift driver" },
      recipients: [operators],
      actorId: undefined,
    });
    expect(notificationEventOf(change("JOB", job, { ...job, timer: 60 }))).toBeUndefined();
  });

  test("a job is published when it enters the table, also where its published_at is to come", () => {
    for (const published_at of ["2026-05-01T08:30:00.000Z", "2999-03-20T08:00:00.000Z"]) {
      const entering = { ...job, record: { ...job.record, published_at } };
      expect(notified(change("JOB", undefined, entering))).toBe("Job/published 4");
    }
  });

  test.each<[string | undefined, string, string | undefined]>([
    [undefined, "pending", "Timesheet/submitted 5"],
    [undefined, "paid", "Timesheet/paid 5"],
    ["pending", "paid", "Timesheet/paid 5"],
    ["paid", "pending", "Timesheet/pending 5"],
    ["paid", "paid", undefined],
    ["pending", "pending", undefined],
  ])("a timesheet from %s to %s is notified as %s", (before, after, expected) => {
    expect(notified(change("TIMESHEET", before ? timesheet(before) : undefined, timesheet(after)))).toBe(expected);
  });

  test("a new timesheet goes to the first 50 of its company's operators, whatever becomes of it", () => {
    const { record, ...beside } = timesheet("pending") as { record: object };
    const named = { ...record, date: "2026-05-04", job_title: "Cover for Ada Holt" };
    expect(notificationEventOf(change("TIMESHEET", undefined, { ...beside, record: named }))).toEqual({
      record_type: "Timesheet",
      record_id: 5,
      params: { type: "submitted", date: "2026-05-04" },
      recipients: [{ ...operators, most: 50 }],
      actorId: undefined,
    });
  });

  test("an invoice is named by its number, and a record without its names is notified all the same", () => {
    expect(notificationEventOf(change("INVOICE", undefined, invoice("paid")))?.params).toEqual({
      type: "paid",
      number: "INV-1",
    });
    expect(notificationEventOf(change("JOB", undefined, { id: 4, company_id: 3 }))?.params).toEqual({
      type: "published",
    });
  });

  test("a timesheet's news goes to its driver, by profile", () => {
    const event = notificationEventOf(change("TIMESHEET", timesheet("pending"), timesheet("paid")));
    expect(event?.recipients).toEqual([{ profile: 70 }]);
  });

  test.each<[string | undefined, string, string | undefined]>([
    [undefined, "pending", "Invoice/issued 6"],
    [undefined, "overdue", "Invoice/overdue 6"],
    [undefined, "paid", "Invoice/paid 6"],
    ["pending", "overdue", "Invoice/overdue 6"],
    ["overdue", "paid", "Invoice/paid 6"],
    ["paid", "overdue", "Invoice/overdue 6"],
    ["overdue", "pending", undefined],
    ["paid", "pending", undefined],
    ["paid", "paid", undefined],
  ])("an invoice from %s to %s is notified as %s", (before, after, expected) => {
    expect(notified(change("INVOICE", before ? invoice(before) : undefined, invoice(after)))).toBe(expected);
  });

  test("an invoice's news goes to its company's operators and clients", () => {
    expect(notificationEventOf(change("INVOICE", undefined, invoice("pending")))?.recipients).toEqual([
      operators,
      clients,
    ]);
  });

  describe("a new password", () => {
    const at = "2026-05-01T09:00:00.000Z";
    const user = { id: 8, record: {}, password_changed_at: at };
    const later = { ...user, password_changed_at: "2026-05-01T09:00:00.001Z" };
    const { password_changed_at: _, ...older } = user;

    test("is notified to its user", () => {
      const event = notificationEventOf(change("USER", user, later));
      expect(event).toMatchObject({ record_type: "User", record_id: 8, params: { type: "password_changed" } });
      expect(event?.recipients).toEqual([{ users: [8] }]);
    });

    test("D14: is a notice on every channel, also where the one before has no date", () => {
      const changedAt = new Date("2026-05-01T09:00:00.001Z");
      expect(readNotice(change("USER", user, later))).toEqual({ userId: 8, changedAt, endedKeys: 0 });
      const kinds = Object.entries(notifyingRecordTypes).flatMap(([recordType, each]) =>
        Object.entries(each.kinds).map(([type, kind]) => [`${recordType}/${type}`, "sendsNotice" in kind] as const),
      );
      expect(kinds.filter(([, sendsNotice]) => sendsNotice)).toEqual([
        ["User/api_key_created", true],
        ["User/password_changed", true],
      ]);
      expect(readNotice(change("USER", older, later))).toEqual({ userId: 8, changedAt, endedKeys: 0 });
    });

    test.each([
      ["a user's first", undefined, user],
      ["a silent one", user, { ...later, silent: true }],
      ["the end of all sessions", user, { ...user, session_epoch: 2 }],
      ["one that comes late", later, user],
      ["a removal", user, undefined],
    ])("D14: %s is no notice", (_, before, after) => {
      expect(readNotice(change("USER", before, after))).toBeUndefined();
      expect(notificationEventOf(change("USER", before, after))).toBeUndefined();
    });

    test("D14: a stored hash that was renewed is no notice", () => {
      const renewed = change("PASSWORD", { hash: "a" }, { hash: "argon2id of the same" });
      expect([readNotice(renewed), notificationEventOf(renewed)]).toEqual([undefined, undefined]);
    });
  });

  describe("D46: a new API key", () => {
    const key = { name: "Export", access: "act", valid_to: "2026-08-01T09:00:00.000Z", hash: "h", role: "client" };
    const of = (keys: object, beside: object = {}): Image => ({ user_id: 8, keys, ...beside });
    const notice = { userId: 8, keyId: 12, validTo: new Date(key.valid_to), access: "act", isMinted: false };

    test("is notified to its user, and a notice on every channel, as the first key and beside others", () => {
      for (const before of [undefined, of({ 11: key }), of({})]) {
        const made = change("APIKEYS", before, of({ ...(before?.keys as object), 12: key }));
        expect(readNotice(made)).toEqual(notice);
        const event = notificationEventOf(made);
        expect(event).toMatchObject({ record_type: "User", record_id: 8, params: { type: "api_key_created" } });
        expect(event?.recipients).toEqual([{ users: [8] }]);
      }
    });

    test("that an engineer made for the user is a notice by mail alone, and no notification", () => {
      const minted = change("APIKEYS", undefined, of({ 12: { ...key, minted_by: "arn:aws:iam::1:user/ada" } }));
      expect(readNotice(minted)).toEqual({ ...notice, isMinted: true });
      expect(notificationEventOf(minted)).toBeUndefined();
    });

    test("is not what ends a key or removes all, or what was written silently", () => {
      const ended = change("APIKEYS", of({ 11: key, 12: key }), of({ 12: key }));
      const removed = change("APIKEYS", of({ 11: key }), undefined);
      const silent = change("APIKEYS", undefined, of({ 12: key }, { silent: true }));
      for (const each of [ended, removed, silent])
        expect([readNotice(each), notificationEventOf(each)]).toEqual([undefined, undefined]);
    });
  });

  test("D14: a new password says how many API keys it ended", () => {
    const changedAt = "2026-05-01T09:00:00.001Z";
    const after = { id: 8, record: {}, password_changed_at: changedAt, ended_keys: 3 };
    expect(readNotice(change("USER", { id: 8, record: {} }, after))).toMatchObject({ endedKeys: 3 });
  });

  test("who made the change is named as its author", () => {
    const after = timesheet("paid", { changed_by: 9 });
    expect(notificationEventOf(change("TIMESHEET", timesheet("pending"), after))?.actorId).toBe(9);
  });
});

test("D35: what was written silently means nothing, nor does a removal", () => {
  expect(notificationEventOf(change("INVOICE", undefined, invoice("paid", { silent: true })))).toBeUndefined();
  expect(notificationEventOf(change("INVOICE", invoice("paid"), undefined))).toBeUndefined();
});

test("D25: a loud change of what was written silently before is notified", () => {
  const before = invoice("pending", { silent: true });
  expect(notified(change("INVOICE", before, invoice("paid")))).toBe("Invoice/paid 6");
});

test.each([
  "COUNTS",
  "ALL#00",
  "EVENT#e1",
  "COMPANY",
  "constructor",
])("an item of another kind means nothing: %s", (sk) => {
  expect(notificationEventOf(change(sk, undefined, { id: 1 }))).toBeUndefined();
});

test.each<[string, Image]>([
  ["JOB", { id: 4 }],
  ["JOB", { id: "4", company_id: 3 }],
  ["TIMESHEET", { id: 5, record: { state: "lost", driver: { profile_id: 70 } } }],
  ["TIMESHEET", { id: 5, record: { state: "paid" } }],
  ["INVOICE", { id: 6, company_id: 3 }],
  ["USER", {}],
])("a malformed item is refused without being quoted: %s %j", (sk, after) => {
  expect(() => notificationEventOf(change(sk, undefined, after))).toThrow(new Error("The changed item is malformed"));
});

describe("D29: a push", () => {
  const image = { id: 12, user_id: 8, push: true, record: { read_at: null } };

  test("is asked for by a notification that is new", () => {
    expect(readPush(change("NOTIFICATION#12", undefined, image))).toEqual({ userId: 8, notificationId: 12 });
  });

  test.each<[string, ItemImages]>([
    ["one that changed", change("NOTIFICATION#12", image, image)],
    ["a silent one", change("NOTIFICATION#12", undefined, { ...image, push: undefined })],
    ["a removal", change("NOTIFICATION#12", image, undefined)],
    ["another item", change("JOB", undefined, { ...image, company_id: 3 })],
  ])("is not asked for by %s", (_, each) => {
    expect(readPush(each)).toBeUndefined();
  });
});
