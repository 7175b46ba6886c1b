import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changePassword, findResetToken } from "../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { handler as rotateSigningKey } from "../../functions/workers/rotate-signing-key.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { spendPin } from "../../shared/people/confirm.ts";
import { authorizePayment } from "../../shared/people/passcodes.ts";
import { registeredUser } from "../../shared/people/shown-user.ts";
import { findAccountWith, replaceHash, userKey } from "../../shared/people/users.ts";
import { keyOf } from "../../shared/table/table.ts";
import { deleteItemAt, updateIf } from "../../shared/table/writes.ts";
import { cancelled, useNetwork } from "../support/faults/network.ts";
import { testContext } from "../support/records/contexts.ts";
import { costOf } from "../support/records/costs.ts";
import { scanItems } from "../support/records/items.ts";
import { userLine } from "../support/records/records.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { readItem, write } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { storeMadePin } from "../support/requests/pins.ts";
import { useService } from "../support/service/service.ts";
import { testSession } from "../support/tokens/tokens.ts";

useService();
const proxy = useNetwork();
const secrets = { password: "seven quiet harbours", passcode: "4711" };
const next = { password: "eleven loud lanterns", passcode: "8150" };
const now = new Date();
let id = 0;

beforeAll(() => rotateSigningKey());
beforeEach(async () => {
  proxy.reset();
  for (const item of (await scanItems()).values()) if (item.pk !== "KEYS") await deleteItemAt(keyOf(item));
  id += 1;
});

const loginOf = (userId: number) => `user-${userId}@example.com`;

function signInWith(password: string, login = loginOf(id)) {
  return call(signInHandler, signIn, { body: { user: { login, password } } });
}

function authorize(passcode: string | undefined) {
  return authorizePayment({ userId: id, role: "operator", companyId: 1, sessionId: testSession }, passcode, now);
}

async function payWith(passcode: string | undefined) {
  await openTestSession(id);
  return authorize(passcode);
}

async function hashOf(kind: "password" | "passcode", userId = id): Promise<string | undefined> {
  return (await findAccountWith(kind, userId))?.hash;
}

/** The items that hold a hash of a password or passcode and are no secret's own. */
async function hashesElsewhere(): Promise<string[]> {
  const own = [await hashOf("password"), await hashOf("passcode")];
  const isHash = ([name, value]: [string, unknown]) =>
    /^pass(word|code)_hash$/.test(name) || (value !== undefined && own.includes(value as string));
  const others = [...(await scanItems()).values()].filter(({ pk }) => !/^PASS(WORD|CODE)#/.test(String(pk)));
  return others.filter((item) => Object.entries(item).some(isHash)).map(({ pk, sk }) => `${pk} ${sk}`);
}

async function spendResetToken(token: string, passwordHash: string): Promise<boolean | undefined> {
  const { account } = (await findResetToken(token, now)) ?? {};
  expect(account?.user.id).toBe(id);
  return account && changePassword(account, token, { passwordHash, endedKeys: 0, names: {} }, testContext(now));
}

/** Sets a password as a completed reset does. */
async function resetPassword(hash: string): Promise<boolean | undefined> {
  const reset = crypto.randomUUID();
  await updateIf(userKey(id), { set: { reset_hash: reset } });
  const token = { user_id: id, valid_to: new Date(now.getTime() + 60_000).toISOString() };
  await updateIf({ pk: `RESET#${reset}`, sk: "RESET" }, { set: token });
  return spendResetToken(reset, hash);
}

describe("D15, D19: a secret is in no item, and its hash in its own alone", () => {
  test.each<[string, (() => Promise<unknown>) | undefined, typeof secrets]>([
    ["an import", undefined, secrets],
    ["an import of new secrets", () => write({ type: "user", id, ...next }), next],
    ["an import of other fields", () => write({ type: "user", id, job_position: "Planner" }), secrets],
  ])("after %s", async (_, change, left) => {
    await write(userLine(id, secrets));
    await change?.();
    expect(JSON.stringify([...(await scanItems()).values()])).not.toMatch(/quiet|loud|(?<!\w)(4711|8150)(?!\w)/);
    expect(await hashesElsewhere()).toEqual([]);
    expect((await signInWith(left.password)).status).toBe(200);
    await payWith(left.passcode);
  });

  test("after a reset and after a renewed hash", async () => {
    await write(userLine(id, secrets));
    const [password, passcode] = [await hashOf("password"), await hashOf("passcode")];
    expect(await resetPassword("reset")).toBe(true);
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(["reset", passcode]);
    await replaceHash(id, "password", String(password), "late");
    await replaceHash(id, "password", "reset", "renewed");
    await replaceHash(id, "passcode", String(passcode), "renewed too");
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(["renewed", "renewed too"]);
    expect(await hashesElsewhere()).toEqual([]);
  });

  test("after a registration", async () => {
    const pin = await storeMadePin(loginOf(id), id, { hmac: "h", salt: "s" }, { registers: true, now });
    const confirmed = { pin, user: registeredUser(id, loginOf(id)), stored: undefined, isRepeated: false };
    const reset = crypto.randomUUID();
    const spending = { client: "c", resetHash: reset };
    expect(await spendPin(loginOf(id), confirmed, spending, testContext(now))).toBe(true);
    const account = await findAccountWith("password", id);
    expect([account?.user.id, account?.hash]).toEqual([id, undefined]);
    expect(await spendResetToken(reset, "first")).toBe(true);
    expect(await hashOf("password")).toBe("first");
    expect(await hashesElsewhere()).toEqual([]);
  });
});

test("D15, D19: an import takes secrets away, and a user without a passcode pays without one", async () => {
  await write(userLine(id, secrets));
  await expect(payWith(undefined)).rejects.toMatchObject({ code: "passcode_invalid" });
  expect(await write({ type: "user", id, passcode: null, password: next.password })).toBe("updated");
  expect(await hashOf("passcode")).toBeUndefined();
  await payWith(undefined);
  expect((await signInWith(next.password)).status).toBe(200);
  expect((await signInWith(secrets.password)).status).toBe(401);
  expect(await write({ type: "user", id, password: null })).toBe("updated");
  expect(await hashOf("password")).toBeUndefined();
});

test.each([
  ["a new password", { password: next.password }, undefined],
  ["another login", { email: "another@example.com" }, undefined],
  ["a new passcode", { passcode: next.passcode }, "open"],
])("D14: an import of %s voids the reset token or leaves it", async (_, changes, left) => {
  await write(userLine(id, secrets));
  await updateIf(userKey(id), { set: { reset_hash: "open" } });
  await write({ type: "user", id, ...changes });
  expect((await readItem(userKey(id)))?.reset_hash).toBe(left);
});

test("D15, D19: an import of the secrets that a user has writes nothing", async () => {
  await write(userLine(id, secrets));
  const before = await scanItems();
  expect(await write(userLine(id, secrets))).toBe("unchanged");
  expect(await scanItems()).toEqual(before);
});

test("D15, D19: a removed user's secrets are not the next one's with the id", async () => {
  await write(userLine(id, secrets));
  await write({ type: "user", id, deleted: true });
  expect(await write(userLine(id, { passcode: next.passcode }))).toBe("created");
  expect(await hashOf("password")).toBeUndefined();
  expect((await signInWith(secrets.password)).status).toBe(401);
  await payWith(next.passcode);
});

test("D19: paying reads five units; a passcode takes half a unit and three write units more", async () => {
  await write(userLine(id, secrets));
  await openTestSession(id);
  expect(await costOf(() => authorize(secrets.passcode))).toMatchObject({ readUnits: 5.5, writeUnits: 3 });
});

describe("D14, D15: an account and its hash", () => {
  test("are read in one call, as they are at one moment: no former password opens a session of the next epoch", async () => {
    await write(userLine(id, secrets));
    proxy.reset();
    await findAccountWith("password", id);
    expect([...proxy.calls]).toEqual([["TransactGetItems", 1]]);
  });

  test("are read again where a transaction has them", async () => {
    await write(userLine(id, secrets));
    proxy.fail("TransactGetItems", cancelled("TransactionConflict", 2), 2);
    expect((await signInWith(secrets.password)).status).toBe(200);
    expect(proxy.calls.get("TransactGetItems")).toBe(3);
  });
});
