import { describe, expect, test } from "vitest";
import { acquireRun } from "../../shared/db/idempotency.ts";
import { reconcileTotals } from "../../shared/db/reconcile/reconcile-totals.ts";
import { writeRecord } from "../../shared/db/write-record.ts";
import { parseRecordLine } from "../../shared/domain/records/record-line.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { pushedTo } from "../support/workers/pushes.ts";
import { queueEvent } from "./events.ts";
import { useFrozenService } from "./frozen-service.ts";
import { busEvents, records, secretsOfUsers, users } from "./lines.ts";
import { idsIn } from "./records.ts";
import type { Actor, Answered, Sent } from "./release.ts";
import { fingerprinted, thisRelease } from "./this-release.ts";

const admin: Actor = { id: 1, role: "admin", company_id: null };
const operator: Actor = { id: 2, role: "operator", company_id: 1 };
const { password, passcode } = secretsOfUsers;

/**
 * Declares the tests that this code serves what a release left behind. A file for each release: clients and keys are kept as
 * long as a process lives.
 */
export function testReadsOf(release: string): void {
  describe(`D38: of release ${release}`, () => testReads(release));
}

function testReads(release: string): void {
  const service = useFrozenService(release);
  const { held, messages } = service.left;
  const { call, work } = thisRelease(service);
  const signIn = (login: string, secret: string) => call("sign-in", { body: { user: { login, password: secret } } });
  const pay = (sent: Sent) => call("bulk-update-timesheets", sent);
  const payment = (as: Actor, code?: string) => ({
    as,
    body: { timesheet: { timesheet_ids: [1], state: "paid", passcode: code } },
  });

  describe("imports", () => {
    test("of the same lines change nothing, passwords and passcodes included", async () => {
      const same = [...users, ...records].filter((line) => !("version" in line) && !hasChanged(line));
      expect(new Set(await outcomesOf(same))).toEqual(new Set(["unchanged"]));
    });

    test("of a version that is stored, or removed, are stale", async () => {
      const late = [...users, ...records].filter((line) => "version" in line);
      expect(new Set(await outcomesOf(late))).toEqual(new Set(["stale"]));
    });

    test("events that come again change nothing", async () => {
      const before = idsIn(await call("list-jobs", { as: operator }));
      await work("intake", queueEvent(messages.intake));
      expect(messages.intake).toEqual(JSON.parse(JSON.stringify(busEvents)));
      expect(idsIn(await call("list-jobs", { as: operator }))).toEqual(before);
    });
  });

  describe("lists", () => {
    test.each(held.cursors)("$operation $query: the cursor leads on", async ({ operation, as, query, cursor, ids }) => {
      const answer = await call(operation, { ...(as && { as }), query: { ...query, cursor } });
      expect(answer.status).toBe(200);
      expect(idsIn(answer)).toEqual(ids);
    });

    test("show every record, with the exact total", async () => {
      const invoices = await call("list-invoices", { as: admin });
      expect([idsIn(invoices), invoices.headers.total]).toEqual([[3, 2, 1], "3"]);
      const timesheets = await call("list-timesheets", { as: operator, query: { from_date: "2026-05-01" } });
      expect([idsIn(timesheets), timesheets.headers.total]).toEqual([[3, 2, 1], "3"]);
      expect(idsIn(await call("list-jobs", { as: admin }))).toEqual([2, 1]);
    });

    test("agree with what was counted", async () => {
      const { records: counted, drifts, uncounted } = await reconcileTotals();
      expect({ counted, drifts, uncounted }).toEqual({ counted: 8, drifts: [], uncounted: [] });
    });
  });

  describe("sessions and passcodes", () => {
    test("a refresh token becomes the next one, and a spent one ends its session", async () => {
      expect((await refresh(held.refreshToken)).status).toBe(200);
      expectProblem(await refresh(held.spentRefreshToken), 401, "refresh_token_invalid");
      function refresh(refresh_token: string): Promise<Answered> {
        return call("refresh-token", { body: { token: { refresh_token } } });
      }
    });

    test("a password signs in, by e-mail and with the company", async () => {
      const { status, body } = await signIn("operator@example.com", password);
      expect([status, body.user.id, body.user.company]).toEqual([200, 2, { id: 1, name: "Harbour Logistics" }]);
    });

    test("tries of a passcode count on: the fifth wrong one locks", async () => {
      for (let tries = 0; tries < 4; tries += 1) expect((await pay(payment(operator, "1234"))).status).toBe(403);
      expectProblem(await pay(payment(operator, passcode)), 429, "passcode_locked");
    });
  });

  describe("requests with an Idempotency-Key", () => {
    test("are answered as they were", async () => {
      const { sent, answer, operation } = held.repeated;
      const { status, headers, body } = await call(operation, sent);
      expect([status, headers["idempotency-replayed"], body]).toEqual([200, "true", answer]);
    });

    test("are answered from several pieces", async () => {
      expect(await acquireRun(fingerprinted(held.inPieces.request), new Date())).toEqual({
        answer: held.inPieces.answer,
      });
    });

    test("that broke off are under way until their lease ends, then go on with their token and moment", async () => {
      const { request, token } = held.abandonedRun;
      service.at(59);
      await expect(acquireRun(fingerprinted(request), new Date())).rejects.toMatchObject({
        code: "request_in_progress",
      });
      service.at(61);
      const requestedAt = new Date(held.moment);
      expect(await acquireRun(fingerprinted(request), new Date())).toMatchObject({ run: { token, requestedAt } });
    });
  });

  describe("messages", () => {
    test("notices of a changed password are sent", async () => {
      service.inbox.clear();
      await work("notify-password-changed", queueEvent(messages.notices));
      expect(service.inbox.entries().map(({ to }) => to)).toEqual(["client@example.com"]);
    });

    test("notifications that were delivered are not delivered again; pages of a company go on", async () => {
      const total = async () => (await call("list-notifications", { as: operator })).headers.total;
      const before = await total();
      await work("deliver-notifications", queueEvent(messages.notifications));
      await work("deliver-notifications", queueEvent(await thisRelease(service).takeMessages("notifications")));
      expect(await total()).toBe(before);
    });

    test("a push goes to the devices, also where the endpoint is gone", async () => {
      service.inbox.clear();
      await work("send-pushes", queueEvent(messages.pushes));
      expect(pushedTo(service)).toEqual(["a".repeat(64), "b".repeat(64)]);
    });

    test("a push that was held is free after 90 seconds, and one that was served goes to nobody again", async () => {
      const pushes = service.left.items.filter(({ sk }) => sk?.S?.startsWith("PUSH#"));
      const asked = pushes.map(({ sk }) => ({ userId: 2, notificationId: Number(sk?.S?.slice("PUSH#".length)) }));
      service.at(60);
      await expect(work("send-pushes", queueEvent(asked))).rejects.toThrow("gave messages back");
      service.at(91);
      service.inbox.clear();
      await work("send-pushes", queueEvent(asked));
      expect(pushedTo(service)).toEqual(["a".repeat(64), "b".repeat(64)]);
    });

    test("quarantined changes say which consumer could not take which change", () => {
      for (const change of messages.quarantine) {
        expect(change).toEqual(
          expect.objectContaining({ pk: "JOB#8", sk: "JOB", eventId: "event-JOB#8-JOB", operation: "test" }),
        );
      }
    });
  });

  describe("notifications and devices", () => {
    test("are counted, marked as read and shown", async () => {
      const counts = await call("get-unread-counts", { as: operator });
      expect(counts.body.notifications).toBeGreaterThan(0);
      const marking = { as: operator, body: { notification: { read: true } } };
      expect((await call("mark-notifications", marking)).headers.total).toBe(String(counts.body.notifications));
      const none = { notifications: 0, timesheets: 0, jobs: 0, chats: 0 };
      expect((await call("get-unread-counts", { as: operator })).body).toEqual(none);
    });

    test("a device that registers again keeps its id", async () => {
      const [stored] = service.left.items.filter(({ device_id }) => device_id);
      const notification = { token: stored?.token?.S, platform: stored?.platform?.S, device_id: stored?.device_id?.S };
      const { body } = await call("register-device-token", { as: operator, body: { notification } });
      expect(body.notification.id).toBe(Number(stored?.id?.N));
    });
  });

  // A new password leaves behind the devices of before: they are pushed to first.
  describe("pins", () => {
    test.each(held.pins)("$login is confirmed by its pin, and its reset token sets a password", async ({
      login,
      pin,
    }) => {
      const confirmed = await call("confirm-login", { query: { login, pin } });
      expect(confirmed.status).toBe(200);
      expect((await setPassword(confirmed.body.user.reset_password_token)).status).toBe(200);
      expect((await signIn(login, "nine quiet harbours")).status).toBe(200);
    });

    test("a reset token sets a password once", async () => {
      expect((await setPassword(held.resetToken)).status).toBe(200);
      expectProblem(await setPassword(held.resetToken, "ten quiet harbours"), 422, "reset_token_invalid");
    });

    test("a login whose pin was just asked for may ask again", async () => {
      service.at(30);
      const asked = await call("request-password-reset", { body: { user: { login: "second@example.com" } } });
      expect(asked.status).toBe(200);
    });

    test("new users get ids after the last", async () => {
      await work("deliver-pin", queueEvent(messages.pins));
      const login = "sam@example.com";
      const pin = thisRelease(service).newestPin(login);
      expect((await call("confirm-login", { query: { login, pin } })).body.user.id).toBe(1_000_000_002);
    });

    function setPassword(reset_password_token: string, chosen = "nine quiet harbours"): Promise<Answered> {
      const user = { reset_password_token, password: chosen, password_confirmation: chosen };
      return call("set-password", { body: { user } });
    }
  });

  describe("schedules", () => {
    test("published keys stay until the next one signs", async () => {
      const keys = async () => (await call("get-key-set", {})).body.keys.length;
      const before = await keys();
      service.at(31 * 86_400);
      await work("rotate-signing-key");
      expect(await keys()).toBe(before + 1);
      service.at(31 * 86_400 + 1_900);
      expect(await keys()).toBe(before);
    });

    test("invoices whose due date has passed fall overdue", async () => {
      service.at(60 * 86_400);
      await work("mark-overdue");
      const overdue = await call("list-invoices", { as: admin, query: { by_state: "overdue" } });
      expect(idsIn(overdue)).toEqual([3, 1]);
    });
  });

  test("a removed user takes all that is theirs", async () => {
    expect(await outcomesOf([{ type: "user", id: 2, deleted: true }])).toEqual(["removed"]);
    const left = await thisRelease(service).readItems();
    const texts = left.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
    expect(texts.filter((text) => /^(USER#2|LOGIN#operator@example.com LOGIN|DEVICE#)\b/.test(text))).toEqual([]);
  });
}

/** A timesheet was paid and an invoice fell overdue after they were imported. */
function hasChanged({ type, id }: { type: string; id: number }): boolean {
  return (type === "timesheet" && id === 1) || (type === "invoice" && id === 3);
}

async function outcomesOf(lines: readonly object[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const line of lines) outcomes.push(await writeRecord(parseRecordLine(line, "GB"), { now: new Date(), hmacKey }));
  return outcomes;
}
