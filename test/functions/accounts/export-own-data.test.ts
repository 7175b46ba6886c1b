import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/export-own-data.ts";
import { handler as registerDeviceHandler } from "../../../functions/devices/register-device-token.ts";
import { handler as refreshHandler } from "../../../functions/sessions/refresh-token.ts";
import { handler as signOutHandler } from "../../../functions/sessions/sign-out.ts";
import { handler as deliverNotifications } from "../../../functions/workers/deliver-notifications.ts";
import { handler as notify } from "../../../functions/workers/notify.ts";
import { handler as sendNotices } from "../../../functions/workers/notify-password-changed.ts";
import { exportOwnData } from "../../../shared/contract/accounts.ts";
import { registerDeviceToken } from "../../../shared/contract/devices.ts";
import { refreshToken, signOut } from "../../../shared/contract/sessions.ts";
import { cursorOf, ownExports, type StoredOwnExport } from "../../../shared/db/accounts/own-exports.ts";
import { secretKey } from "../../../shared/db/accounts/user-secrets.ts";
import { userKey } from "../../../shared/db/accounts/users.ts";
import { firstPlace } from "../../../shared/db/own-data-pages.ts";
import { updateIf } from "../../../shared/db/table/conditional-writes.ts";
import { type Item, queryItems } from "../../../shared/db/table/table.ts";
import type { SecretKind } from "../../../shared/domain/accounts/user-secrets.ts";
import { putNotifications } from "../../support/records/many-notifications.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { notificationLine, shownUser } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { bearerOf, familyOf, signInAs, type Tokens } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { drain, nothingFailed, storedNotifications, streamRecord } from "../../support/workers/workers.ts";

const service = useService();
const password = "seven quiet harbours";
const phoneOf = (id: number) => `+4474001${String(id).padStart(5, "0")}`;
let userId: number;
let login: string;

useSigningKey();
useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return { password, passcode: "4711", phone_number: phoneOf(id), locale: "de" };
});
beforeAll(() => () => void vi.useRealTimers());

const signedIn = () => signInAs(login, password);
const ask = (tokens: Tokens, cursor?: string) =>
  call(handler, exportOwnData, { ...bearerOf(tokens), query: { cursor } });

/** What the user's partition has, of items whose sort key begins so. */
function ownItems(start: string): Promise<Item[]> {
  return queryItems({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :start)",
    ExpressionAttributeValues: { ":pk": userKey(userId).pk, ":start": start },
    ConsistentRead: true,
  });
}

async function exported(): Promise<StoredOwnExport[]> {
  return (await ownItems("EXPORT#")).map(ownExports.decode);
}

/** Begins an export; gives a cursor of it that leads to its first line again. */
async function begin(tokens: Tokens): Promise<string> {
  expect((await ask(tokens)).status).toBe(200);
  const newest = (await exported()).at(-1);
  if (!newest) throw new Error("No export was stored");
  return cursorOf(newest, firstPlace);
}

describe("200", () => {
  test("D44: everything that is held about the caller, with nothing of a credential", async () => {
    at("2026-05-01T09:00:00.000");
    const tokens = await signedIn();
    const notification = { token: "device-token-1", device_id: "phone-1" };
    await call(registerDeviceHandler, registerDeviceToken, { ...bearerOf(tokens), body: { notification } });
    await store([notificationLine(1, userId)]);
    const { status, body } = await ask(tokens);
    expect(status).toBe(200);
    expect(body.cursor).toBeNull();
    const { company: _, ...user } = shownUser(userId, { locale: "de", phone_number: phoneOf(userId) });
    const { type: _type, user_id: _user, ...shown } = notificationLine(1, userId);
    expect(body.lines).toEqual([
      { type: "login", login, confirmed_at: expect.any(String) },
      { type: "login", login: phoneOf(userId), confirmed_at: expect.any(String) },
      expect.objectContaining({ type: "device", platform: "fcm", device_id: "phone-1", pushed_on: null }),
      { type: "export", begun_at: "2026-05-01T09:00:00.000Z", pages: 1 },
      { type: "notification", ...shown },
      expect.objectContaining({ type: "session", id: familyOf(tokens), opened_at: "2026-05-01T09:00:00.000Z" }),
      { type: "user", ...user, password_changed_at: null },
    ]);
    const text = JSON.stringify(body);
    for (const secret of [notification.token, tokens.access_token, tokens.refresh_token, ...(await storedSecrets())]) {
      expect(secret.length).toBeGreaterThan(4);
      expect(text).not.toContain(secret);
    }
  });

  /** What the table has of the user that nobody may see: hashes, keys, tokens. */
  async function storedSecrets(): Promise<string[]> {
    const kept = await Promise.all(
      ["password", "passcode"].map((kind) => readItem(secretKey(kind as SecretKind, userId))),
    );
    const own = [...(await ownItems("S")), ...(await ownItems("D")), ...(await ownItems("E")), ...kept];
    const found = own.flatMap((item) => [item?.hash, item?.refresh_hash, item?.cursor_key]);
    const secrets = found.filter((each) => typeof each === "string");
    expect(secrets).toHaveLength(5);
    return secrets;
  }

  test("D44: page follows page without a gap or a double, in another session as well, each within 4 MB", async () => {
    const count = 330;
    const tokens = await signedIn();
    await putNotifications(userId, count, { text: "x".repeat(15_000) });
    const other = await signedIn();
    const ids: number[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await ask(pages === 0 ? tokens : other, cursor);
      expect(answer.status).toBe(200);
      expect(JSON.stringify(JSON.stringify(answer.body)).length).toBeLessThan(4_010_000);
      ids.push(...answer.body.lines.flatMap((line: Item) => (line.type === "notification" ? [line.id] : [])));
      cursor = answer.body.cursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(2);
    expect(new Set(ids).size).toBe(count);
    expect(ids).toHaveLength(count);
  });

  test("D44: the user is notified once by every channel that there is, not of the pages", async () => {
    const tokens = await signedIn();
    expect((await ask(tokens)).status).toBe(200);
    service.inbox.clear();
    const [begun] = await exported();
    if (!begun) throw new Error("No export was stored");
    const { pk, sk } = begun;
    const change = streamRecord({ pk, sk }, { after: { ...begun } });
    const page = streamRecord({ pk, sk }, { before: { ...begun }, after: { ...begun, pages: 2 } });
    expect(await notify({ Records: [change, page] })).toEqual(nothingFailed);
    await drain("NOTICE_QUEUE_URL", sendNotices);
    await drain("NOTIFICATION_QUEUE_URL", deliverNotifications);
    expect(await notify({ Records: [change] })).toEqual(nothingFailed);
    await drain("NOTICE_QUEUE_URL", sendNotices);
    await drain("NOTIFICATION_QUEUE_URL", deliverNotifications);
    const sent = service.inbox.entries();
    expect(sent.map(({ channel, to }) => `${channel} ${to}`).toSorted()).toEqual([
      `email ${login}`,
      `sms ${phoneOf(userId)}`,
    ]);
    for (const { text } of sent) expect(text).toMatch(/Daten|Export/);
    const own = (await storedNotifications(userId)).map(({ record }) => record);
    expect(own).toMatchObject([{ record_type: "User", record_id: userId, params: { type: "data_exported" } }]);
  });
});

describe("403", () => {
  test("D44: an export needs a sign-in of the last 10 minutes; a renewed token is none", async () => {
    at("2026-05-02T09:00:00.000");
    const tokens = await signedIn();
    at("2026-05-02T09:10:00.000");
    expect((await ask(tokens)).status).toBe(200);
    at("2026-05-02T09:10:00.001");
    const body = { token: { refresh_token: tokens.refresh_token } };
    const renewed: Tokens = (await call(refreshHandler, refreshToken, { body })).body.token;
    for (const each of [tokens, renewed]) expectProblem(await ask(each), 403, "sign_in_required");
    expect(await exported()).toHaveLength(1);
  });
});

describe("401", () => {
  test("D44: a session that has ended begins no export and goes on with none", async () => {
    const tokens = await signedIn();
    const other = await signedIn();
    expect((await ask(other)).status).toBe(200);
    await call(signOutHandler, signOut, bearerOf(tokens));
    expectProblem(await ask(tokens), 401, "token_invalid");
    expectProblem(await ask(tokens, "2026-05-01-1.abc"), 401, "token_invalid");
  });
});

describe("422", () => {
  test("D44: no cursor is another user's, of another export, made up, or older than a day", async () => {
    at("2026-05-03T09:00:00.000");
    const tokens = await signedIn();
    const cursor = await begin(tokens);
    const [name = "", encrypted = ""] = cursor.split(".");
    const second = await begin(tokens);
    const [otherName = ""] = second.split(".");
    expect(otherName).not.toBe(name);
    const forged = [
      `${otherName}.${encrypted}`,
      `${name}.`,
      `${name}.${"A".repeat(60)}`,
      `${name}`,
      "2026-05-03-9.abc",
    ];
    forged.push(`${name}.${encrypted.slice(0, -2)}AA`, "x".repeat(300));
    for (const each of forged) expectProblem(await ask(tokens, each), 422, "cursor_invalid");
    expect((await ask(tokens, cursor)).status).toBe(200);
    at("2026-05-04T09:00:00.000");
    expectProblem(await ask(await signedIn(), cursor), 422, "cursor_invalid");
  });

  test("D44: a cursor is no other user's", async () => {
    const cursor = await begin(await signedIn());
    const mine = login;
    const stranger = { login: `stranger-${userId}@example.com`, id: userId + 500_000 };
    await store([
      {
        type: "user",
        id: stranger.id,
        role: "admin",
        first_name: "A",
        last_name: "B",
        email: stranger.login,
        password,
      },
    ]);
    const tokens = await signInAs(stranger.login, password);
    expect((await ask(tokens)).body.lines.map(({ login: own }: Item) => own)).not.toContain(mine);
    expectProblem(await ask(tokens, cursor), 422, "cursor_invalid");
  });
});

describe("429", () => {
  test("D44: of many that begin at once three are answered on a day, and the next day again", async () => {
    at("2026-05-05T23:50:00.000");
    const tokens = await signedIn();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(tokens)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, ...Array(7).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers["retry-after"]).toBe("600");
    expect(await exported()).toHaveLength(3);
    at("2026-05-06T00:00:00.000");
    expect((await ask(tokens)).status).toBe(200);
  });

  test("D44: an export has 200 pages, however many ask for them with one cursor", async () => {
    const tokens = await signedIn();
    const cursor = await begin(tokens);
    const [begun] = await exported();
    if (!begun) throw new Error("No export was stored");
    const { pk, sk } = begun;
    await updateIf({ pk, sk }, { set: { pages: 197 } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(tokens, cursor)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 429, "too_many_requests");
    }
  });
});
