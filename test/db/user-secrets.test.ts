import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as signInHandler } from "../../functions/sessions/sign-in.ts";
import { handler as rotateSigningKey } from "../../functions/workers/rotate-signing-key.ts";
import { authorizePayment } from "../../shared/accounts/passcode.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { findAccountWith } from "../../shared/db/accounts/accounts.ts";
import { spendPin } from "../../shared/db/accounts/confirmations.ts";
import { loginKey } from "../../shared/db/accounts/logins.ts";
import { changePassword, findResetToken } from "../../shared/db/accounts/reset-tokens.ts";
import { secretKey } from "../../shared/db/accounts/user-secrets.ts";
import { replaceHash, userKey } from "../../shared/db/accounts/users.ts";
import { entities } from "../../shared/db/entities.ts";
import { migrateTable } from "../../shared/db/migrate/migrate-table.ts";
import { deleteItemAt, updateIf } from "../../shared/db/table/conditional-writes.ts";
import { keyOf } from "../../shared/db/table/keys.ts";
import { getItem } from "../../shared/db/table/table.ts";
import { registeredUser } from "../../shared/domain/accounts/users.ts";
import { crashEverywhere } from "../support/faults/crash.ts";
import { transactionConflict, useFaultProxy } from "../support/faults/fault-proxy.ts";
import { contentOf, scanItems } from "../support/records/items.ts";
import { updateRaw } from "../support/records/raw-writes.ts";
import { userLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { useService } from "../support/service/service.ts";

useService();
const proxy = useFaultProxy();
const secrets = { password: "seven quiet harbours", passcode: "4711" };
const next = { password: "eleven loud lanterns", passcode: "8150" };
const now = new Date();
const usual = { entities, required: [], writesPerSecond: 10_000 };
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

function payWith(passcode: string | undefined) {
  return authorizePayment({ userId: id, role: "operator", companyId: 1, sessionId: "s" }, passcode, now);
}

async function hashOf(kind: "password" | "passcode", userId = id): Promise<string | undefined> {
  return (await findAccountWith(kind, userId))?.hash;
}

/** The user's item with its hashes in it and no others, as release 0.1 stored it. */
async function storeAs01(): Promise<void> {
  await write(userLine(id, secrets));
  const set = { password_hash: await hashOf("password"), passcode_hash: await hashOf("passcode") };
  await updateIf(userKey(id), { set });
  await updateRaw({ Key: userKey(id), UpdateExpression: "REMOVE schema_version" });
  for (const kind of ["password", "passcode"] as const) await deleteItemAt(secretKey(kind, id));
}

/** A user without a secret. */
async function storeWithout(): Promise<void> {
  await write(userLine(id));
}

/** The items that hold a hash of a password or passcode and are no secret's own. */
async function hashesElsewhere(): Promise<string[]> {
  const own = [await hashOf("password"), await hashOf("passcode")];
  const isHash = ([name, value]: [string, unknown]) =>
    (/^pass(word|code)_hash$/.test(name) && value !== (name === "passcode_hash" && "moved")) ||
    (value !== undefined && own.includes(value as string));
  const others = [...(await scanItems()).values()].filter(({ pk }) => !/^PASS(WORD|CODE)#/.test(String(pk)));
  return others.filter((item) => Object.entries(item).some(isHash)).map(({ pk, sk }) => `${pk} ${sk}`);
}

/** Sets a password as a completed reset does. */
async function resetPassword(hash: string): Promise<boolean> {
  const reset = crypto.randomUUID();
  await updateIf(userKey(id), { set: { reset_hash: reset } });
  const token = { user_id: id, valid_to: new Date(now.getTime() + 60_000).toISOString() };
  await updateIf({ pk: `RESET#${reset}`, sk: "RESET" }, { set: token });
  expect((await findResetToken(reset, now))?.account.user.id).toBe(id);
  return changePassword(id, reset, { passwordHash: hash, names: {}, logins: [] }, now);
}

describe("D15, D19: the hash of a secret is in no item but its own", () => {
  test.each<[string, (() => Promise<unknown>) | undefined, typeof secrets]>([
    ["an import", undefined, secrets],
    ["an import of new secrets", () => write({ type: "user", id, ...next }), next],
    ["an import of other fields", () => write({ type: "user", id, job_position: "Planner" }), secrets],
  ])("after %s", async (_, change, left) => {
    await write(userLine(id, secrets));
    await change?.();
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
    const pin = { user: registeredUser(id, loginOf(id)), hash: { hmac: "h", salt: "s" }, askedAt: now.getTime() };
    const set = { ...pin.hash, user_id: id, requested_at: now.toISOString() };
    await updateIf({ pk: `LOGIN#${loginOf(id)}`, sk: "PIN" }, { set });
    const guesser = { isKnown: false, by: "b", on: "l", loginHash: "l", clientHash: "c", network: undefined };
    const reset = crypto.randomUUID();
    const pinTry = { ...pin, registers: true, isRepeated: false };
    expect(await spendPin(loginOf(id), pinTry, guesser, reset, now)).toBe(true);
    const account = await findAccountWith("password", id);
    expect([account?.user.id, account?.hash]).toEqual([id, undefined]);
    expect(await changePassword(id, reset, { passwordHash: "first", names: {}, logins: [] }, now)).toBe(true);
    expect(await hashOf("password")).toBe("first");
    expect(await hashesElsewhere()).toEqual([]);
  });
});

describe("D38: a user of release 0.1, whose item has the hashes", () => {
  test("signs in and pays, and no other secret does", async () => {
    await storeAs01();
    expect((await signInWith(next.password)).status).toBe(401);
    expect((await signInWith(secrets.password)).status).toBe(200);
    await expect(payWith(undefined)).rejects.toMatchObject({ code: "passcode_invalid" });
    await expect(payWith(next.passcode)).rejects.toMatchObject({ code: "passcode_invalid" });
    await payWith(secrets.passcode);
  });

  test("keeps the passcode through a new password, and the password through a renewed passcode", async () => {
    await storeAs01();
    const [password, passcode] = [await hashOf("password"), await hashOf("passcode")];
    expect(await resetPassword("reset")).toBe(true);
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(["reset", passcode]);
    expect(await getItem(userKey(id))).not.toHaveProperty("password_hash");
    await replaceHash(id, "passcode", "another", "late");
    await replaceHash(id, "passcode", String(passcode), "renewed");
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(["reset", "renewed"]);
    expect(await hashesElsewhere()).toEqual([]);
    await replaceHash(id, "password", String(password), "late");
    expect(await hashOf("password")).toBe("reset");
  });

  test("moves with a hash that is renewed, silently", async () => {
    await storeAs01();
    const [password, before] = [await hashOf("password"), await getItem(userKey(id))];
    await replaceHash(id, "password", String(password), "renewed");
    expect(await getItem(secretKey("password", id))).toMatchObject({ hash: "renewed", schema_version: 1 });
    const { password_hash: _, ...kept } = contentOf(before ?? {});
    expect(await getItem(userKey(id))).toMatchObject({ ...kept, silent: true, revision: Number(kept.revision) + 1 });
    expect(await getItem(userKey(id))).not.toHaveProperty("password_hash");
  });

  test("moves with an import that changes anything; one that changes nothing writes nothing", async () => {
    await storeAs01();
    const before = await getItem(userKey(id));
    expect(await write(userLine(id, secrets))).toBe("unchanged");
    expect(await getItem(userKey(id))).toEqual(before);
    const hashes = [await hashOf("password"), await hashOf("passcode")];
    expect(await write({ type: "user", id, job_position: "Planner" })).toBe("updated");
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(hashes);
    expect(await getItem(userKey(id))).not.toHaveProperty("password_changed_at");
    expect(await hashesElsewhere()).toEqual([]);
  });

  test("loses secrets that an import takes away, and gets those that it gives", async () => {
    await storeAs01();
    expect(await write({ type: "user", id, passcode: null, password: next.password })).toBe("updated");
    expect(await hashOf("passcode")).toBeUndefined();
    await payWith(undefined);
    expect((await signInWith(next.password)).status).toBe(200);
    expect(await hashesElsewhere()).toEqual([]);
  });

  test("that 0.1 removed where it ran again leaves no secret to the next user with the id", async () => {
    await write(userLine(id, secrets));
    await deleteItemAt(userKey(id));
    await deleteItemAt(loginKey(loginOf(id)));
    expect(await write(userLine(id, { passcode: next.passcode }))).toBe("created");
    expect(await hashOf("password")).toBeUndefined();
    expect((await signInWith(secrets.password)).status).toBe(401);
    await payWith(next.passcode);
  });

  test("is served by what 0.1 stored last where it ran again meanwhile", async () => {
    await write(userLine(id, secrets));
    await updateIf(userKey(id), { set: { password_hash: "of 0.1" } });
    expect(await hashOf("password")).toBe("of 0.1");
    expect((await migrateTable({ ...usual, restarts: true })).rewritten.get("user")).toBe(1);
    expect(await hashOf("password")).toBe("of 0.1");
    expect(await hashesElsewhere()).toEqual([]);
  });
});

describe("D19, D38: after going back to 0.1, which lets pay whose item has no passcode_hash", () => {
  test.each<[string, () => Promise<void>, () => Promise<unknown>, string]>([
    ["a passcode that was imported", async () => {}, () => write(userLine(id, secrets)), secrets.passcode],
    ["one that an import added", storeWithout, () => write({ type: "user", id, ...next }), next.passcode],
    [
      "one that moved with an import",
      storeAs01,
      () => write({ type: "user", id, job_position: "A" }),
      secrets.passcode,
    ],
    ["one that an import changed", storeAs01, () => write({ type: "user", id, ...next }), next.passcode],
    ["one that npm run migrate moved", storeAs01, () => migrateTable({ ...usual, restarts: true }), secrets.passcode],
  ])("%s is there and fits nothing", async (_, store, change, passcode) => {
    await store();
    await change();
    expect(await getItem(userKey(id))).toHaveProperty("passcode_hash", "moved");
    await write({ type: "user", id, job_position: "Planner" });
    await migrateTable({ ...usual, restarts: true });
    expect(await getItem(userKey(id))).toHaveProperty("passcode_hash", "moved");
    await expect(payWith(undefined)).rejects.toMatchObject({ code: "passcode_invalid" });
    await payWith(passcode);
  });

  test("a passcode that moved with its renewal is there and fits nothing", async () => {
    await storeAs01();
    await replaceHash(id, "passcode", String(await hashOf("passcode")), "renewed");
    expect(await getItem(userKey(id))).toMatchObject({ passcode_hash: "moved", silent: true });
    expect(await hashOf("passcode")).toBe("renewed");
  });

  test("a passcode that an import took away is gone", async () => {
    await write(userLine(id, secrets));
    await write({ type: "user", id, passcode: null });
    expect(await getItem(userKey(id))).not.toHaveProperty("passcode_hash");
    await payWith(undefined);
  });
});

describe("D38: npm run migrate", () => {
  test("moves both hashes, and a dry run counts the user and moves nothing", async () => {
    await storeAs01();
    const [before, hashes] = [await scanItems(), [await hashOf("password"), await hashOf("passcode")]];
    expect((await migrateTable({ ...usual, isDryRun: true })).rewritten.get("user")).toBe(1);
    expect(await scanItems()).toEqual(before);
    expect(await migrateTable(usual)).toMatchObject({ damaged: [], contended: [] });
    expect([await hashOf("password"), await hashOf("passcode")]).toEqual(hashes);
    expect(await hashesElsewhere()).toEqual([]);
    expect((await signInWith(secrets.password)).status).toBe(200);
    await payWith(secrets.passcode);
    expect((await migrateTable(usual)).rewritten.size).toBe(0);
  });

  test("loses no hash wherever it is killed, before or after any of its calls", async () => {
    let hashes: unknown[] | undefined;
    const crashes = await crashEverywhere(async (kill, place) => {
      await deleteItemAt({ pk: "MIGRATION", sk: "RUN" });
      await storeAs01();
      hashes = [await hashOf("password"), await hashOf("passcode")];
      await kill(() => migrateTable(usual));
      expect([await hashOf("password"), await hashOf("passcode")], place).toEqual(hashes);
      await migrateTable(usual);
      expect([await hashOf("password"), await hashOf("passcode")], place).toEqual(hashes);
    });
    expect(crashes).toBeGreaterThan(3);
    expect(await hashesElsewhere()).toEqual([]);
  }, 60_000);

  test("does not undo a hash that is renewed while it moves the user", async () => {
    await storeAs01();
    const release = proxy.hold("TransactWriteItems");
    const migrated = migrateTable(usual);
    await vi.waitUntil(() => proxy.holding("TransactWriteItems"));
    await replaceHash(id, "password", String(await hashOf("password")), "renewed");
    release();
    expect(await migrated).toMatchObject({ damaged: [], contended: [] });
    expect(await hashOf("password")).toBe("renewed");
    expect(await hashesElsewhere()).toEqual([]);
  });
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
    proxy.fail("TransactGetItems", transactionConflict(2), 2);
    expect((await signInWith(secrets.password)).status).toBe(200);
    expect(proxy.calls.get("TransactGetItems")).toBe(3);
  });

  test("cost an unknown login what they cost a known one, with and without a password: the same calls", async () => {
    await write(userLine(id, secrets));
    await write(userLine(id + 1_000));
    await signInWith(next.password, "warms-up@example.com");
    const costs = [];
    for (const login of [loginOf(id), loginOf(id + 1_000), "nobody@example.com"]) {
      proxy.reset();
      await signInWith(next.password, login);
      costs.push([...proxy.calls].sort());
    }
    const calls = [
      ["GetItem", 3],
      ["TransactGetItems", 1],
      ["TransactWriteItems", 1],
    ];
    expect(costs).toEqual([calls, calls, calls]);
  });
});
