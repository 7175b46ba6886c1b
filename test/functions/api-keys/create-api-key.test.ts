import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { apiKeysKey } from "../../../shared/people/api-keys.ts";
import { findCount, limitSubjectOf } from "../../../shared/people/limits.ts";
import { knownPasswordRule } from "../../../shared/people/passwords.ts";
import { endSessionFamily, sessionKey, sessionProofName } from "../../../shared/people/sessions.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { hashToken } from "../../../shared/tokens/secrets.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { testChange } from "../../support/records/contexts.ts";
import { at } from "../../support/records/own-user.ts";
import { callerLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { askForKey, bearer, deleteKey, keyOf, keyPassword, listKeys } from "../../support/requests/api-keys.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { type TestUser, testSession } from "../../support/tokens/tokens.ts";
import { besideHandlers } from "../../system/rights/recorded-calls.ts";

useService();
let user: TestUser = { id: 100, role: "operator", company_id: 1 };
const day = 86_400_000;

beforeEach(async () => {
  user = { ...user, id: user.id + 1 };
  await store([callerLine(user, { password: keyPassword })]);
});

const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();
const errorOf = ({ body }: { body: { errors?: { pointer: string; code: string; detail: string }[] } }) =>
  body.errors?.[0];

describe("200", () => {
  test("D46: a key with its secret, this once: read access and 90 days unless asked", async () => {
    at("2031-10-01T08:30:00.123");
    onTestFinished(() => void vi.useRealTimers());
    await store([callerLine(user, { password: keyPassword })]);
    const { status, body } = await askForKey(user);
    expect(status).toBe(200);
    expect(body).toEqual({
      key: {
        id: expect.any(Number),
        name: "Nightly export",
        access: "read",
        created_at: "2031-10-01T08:30:00.123Z",
        expires_at: "2031-12-30T08:30:00.123Z",
        secret: expect.stringMatching(/^wfk_[0-9a-f]{8}_\d+_\d+_[\w-]{43}$/),
      },
    });
    const { secret: _, ...shown } = body.key;
    expect((await listKeys(user)).body.keys).toEqual([shown]);
  });

  test("D46: as asked: to act, until 400 days ahead, a name without the blanks at its ends", async () => {
    const expires_at = inDays(399.9);
    const { body } = await askForKey(user, { name: "  Pay  run ", access: "act", expires_at });
    expect(body.key).toMatchObject({ name: "Pay  run", access: "act", expires_at });
  });

  test("D46: of the secret only the SHA-256 is stored, and two secrets differ", async () => {
    const secrets = [await askForKey(user), await askForKey(user, { name: "Another" })].map(
      ({ body }) => body.key.secret,
    );
    expect(new Set(secrets).size).toBe(2);
    const item = JSON.stringify(await readItem(apiKeysKey(user.id)));
    for (const secret of secrets) {
      expect(item).toContain(hashToken(secret));
      expect(item).not.toContain(secret.slice(-43));
    }
  });

  test("D46: a name is free again once its key was deleted, and other users' names are theirs", async () => {
    const { body } = await askForKey(user);
    await deleteKey(user, body.key.id);
    expect((await askForKey(user)).status).toBe(200);
    const other = { ...user, id: user.id + 50_000 };
    await store([callerLine(other, { password: keyPassword })]);
    expect((await askForKey(other)).status).toBe(200);
  });

  test("D15: a right password takes its count back", async () => {
    for (let round = 0; round < 12; round += 1) {
      const { body } = await askForKey(user, { name: `Key ${round}` });
      expect(body.key.name).toBe(`Key ${round}`);
    }
    const subject = await limitSubjectOf(knownPasswordRule, sessionProofName(user.id, testSession));
    expect(await findCount(subject, new Date(), { consistent: true })).toBe(0);
  });
});

describe("401", () => {
  test("D4: of a session that was ended, whose user is gone or has another role", async () => {
    await endSessionFamily(user.id, testSession, testChange());
    expectProblem(await askForKey(user), 401, "token_invalid");
    expectProblem(await askForKey({ ...user, id: 9_999 }), 401, "token_invalid");
  });

  test("D46: of a session that ends while the password is compared: no key is made", async () => {
    const end = async (command: string) => {
      if (command !== "TransactWriteItemsCommand" && command !== "TransactWriteCommand") return;
      const set = { valid_to: new Date(0).toISOString() };
      await besideHandlers(() => updateIf(sessionKey(user.id, testSession), { set }));
    };
    expectProblem(await beforeCalls(end, () => askForKey(user)), 401, "token_invalid");
    expect(await readItem(apiKeysKey(user.id))).toBeUndefined();
  });
});

test.each([
  ["another role", (user: TestUser) => callerLine({ ...user, role: "client" }), 401],
  ["another company", (user: TestUser) => callerLine({ ...user, company_id: 2 }), 401],
  ["another password", (user: TestUser) => callerLine(user, { password: "eleven loud lanterns" }), 403],
  ["another name", (user: TestUser) => callerLine(user, { last_name: "Other" }), 200],
])("503: D46: of a user who gets %s while the key is made: none is, and a repetition is judged anew", async (_, line, then) => {
  let isChanged = false;
  const change = async (command: string, input: object) => {
    if (isChanged || !command.startsWith("Transact") || !JSON.stringify(input).includes('"APIKEYS"')) return;
    isChanged = true;
    await besideHandlers(() => store([line(user)]));
  };
  const { status, body } = await beforeCalls(change, () => askForKey(user));
  expect([status, body.code]).toEqual([503, "busy"]);
  expect(await readItem(apiKeysKey(user.id))).toBeUndefined();
  expect((await askForKey(user)).status).toBe(then);
});

describe("403", () => {
  test("D46: a wrong password, of which ten of a session on a day are answered, then 429 for the right one too", async () => {
    for (let round = 0; round < 10; round += 1) {
      expectProblem(await askForKey(user, { password: "eleven loud lanterns" }), 403, "password_invalid");
    }
    expectProblem(await askForKey(user), 429, "too_many_requests");
    expect((await listKeys(user)).body.keys).toEqual([]);
  });

  test("D46: of a user who has no password", async () => {
    const other = { ...user, id: user.id + 60_000 };
    await store([callerLine(other)]);
    expectProblem(await askForKey(other), 403, "password_invalid");
  });

  test("D46: with an API key, whatever its access", async () => {
    for (const access of ["read", "act"] as const) {
      const { secret } = await keyOf(user.id, access);
      expectProblem(await askForKey(user, {}, bearer(secret)), 403, "key_not_allowed");
    }
  });
});

describe("422", () => {
  test.each([
    ["in the past", -1],
    ["now", 0],
    ["more than 400 days ahead", 400.1],
  ])("D46: an expiry %s, before the password is counted", async (_, days) => {
    const answer = await askForKey(user, { expires_at: inDays(days), password: "eleven loud lanterns" });
    expectProblem(answer, 422, "fields_invalid");
    expect(errorOf(answer)).toMatchObject({ pointer: "/key/expires_at", code: "out_of_range" });
  });

  test.each([
    ["name", "", "too_short"],
    ["name", "x".repeat(101), "too_long"],
    ["name", "two\nlines", "invalid"],
    ["name", "bell\u0007", "invalid"],
    ["access", "admin", "not_allowed"],
    ["expires_at", "tomorrow", "invalid"],
    ["password", "", "too_short"],
    ["password", undefined, "missing"],
  ])("D46: the field %s as %j", async (field, value, code) => {
    const answer = await askForKey(user, { [field]: value });
    expectProblem(answer, 422, "fields_invalid");
    expect(errorOf(answer)).toMatchObject({ pointer: `/key/${field}`, code });
    expect(JSON.stringify(answer.body)).not.toContain(keyPassword);
  });

  test("D32: a name that a key has: a repetition after a lost answer names the key to delete", async () => {
    const { body } = await askForKey(user);
    const again = await askForKey(user);
    expectProblem(again, 422, "fields_invalid");
    expect(errorOf(again)).toMatchObject({ pointer: "/key/name", code: "taken" });
    expect(errorOf(again)?.detail).toContain(String(body.key.id));
  });

  test("D46: a key above 20 at once; those that have expired do not count", async () => {
    for (let made = 0; made < 20; made += 1) await keyOf(user.id);
    const answer = await askForKey(user);
    expectProblem(answer, 422, "fields_invalid");
    expect(errorOf(answer)).toMatchObject({ pointer: "/key", code: "not_allowed" });
    vi.useFakeTimers({ now: Date.now() + 2 * day, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await askForKey(user)).status).toBe(200);
    expect((await listKeys(user)).body.keys).toHaveLength(1);
  });
});

describe("429", () => {
  test("D46: 20 made on a day, deleted or not; a refused one does not count", async () => {
    at("2031-10-02T08:30:00.000");
    onTestFinished(() => void vi.useRealTimers());
    await store([callerLine(user, { password: keyPassword })]);
    for (let made = 0; made < 20; made += 1) {
      const { body } = await askForKey(user, { name: `Key ${made}` });
      expectProblem(await askForKey(user, { name: `Key ${made}` }), made === 19 ? 429 : 422, [
        "fields_invalid",
        "too_many_requests",
      ]);
      expect((await deleteKey(user, body.key.id)).status).toBe(200);
    }
    expectProblem(await askForKey(user, { name: "One more" }), 429, "too_many_requests");
    at("2031-10-03T00:00:00.000");
    expect((await askForKey(user, { name: "One more" })).status).toBe(200);
  });
});

test("D46: of makings at the same moment no two have one name, and no more than 20 are left", async () => {
  const same = await Promise.all(Array.from({ length: 4 }, () => askForKey(user)));
  expect(same.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
  for (let made = 1; made < 18; made += 1) await keyOf(user.id);
  const last = await Promise.all(Array.from({ length: 4 }, (_, at) => askForKey(user, { name: `Last ${at}` })));
  expect(last.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422]);
  expect((await listKeys(user)).body.keys).toHaveLength(20);
});
