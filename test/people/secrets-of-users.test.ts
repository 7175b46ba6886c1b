import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../shared/people/passwords.ts";
import { secretHashes } from "../../shared/people/users.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const key = hmacKeyOf("k".repeat(64));
const password = "seven quiet harbours";

test("D15: a password is hashed once however often it is asked for, and again where another hash is stored meanwhile", async () => {
  const hashesFor = secretHashes({ id: 7, password }, undefined);
  const first = await hashesFor(undefined);
  // A second hash would have another salt.
  expect(await hashesFor(undefined)).toEqual(first);
  expect(await verifyPassword(password, first.password_hash ?? "")).toBe(true);
  const other = { password_hash: await hashPassword("eleven loud lanterns") };
  expect(await hashesFor(other)).not.toEqual(first);
});

test("D15: a password that is stored already keeps its hash", async () => {
  const stored = { password_hash: await hashPassword(password) };
  expect(await secretHashes({ id: 7, password }, undefined)(stored)).toEqual(stored);
});

test("D19: null takes a secret away, and what is not sent is left alone", async () => {
  const stored = { password_hash: "password", passcode_hash: "passcode" };
  const hashes = await secretHashes({ id: 7, password: null, passcode: null }, undefined)(stored);
  expect(hashes).toEqual({ password_hash: undefined, passcode_hash: undefined });
  expect(await secretHashes({ id: 7 }, undefined)(stored)).toEqual({});
});

test("D19: the same passcode has the same hash, which nobody makes without the key", async () => {
  const hashesFor = secretHashes({ id: 7, passcode: "4711" }, key);
  expect(await hashesFor(undefined)).toEqual(await secretHashes({ id: 7, passcode: "4711" }, key)(undefined));
  expect(() => secretHashes({ id: 7, passcode: "4711" }, undefined)).toThrow("HMAC key");
});
