import { argon2Sync } from "node:crypto";
import { expect, test, vi } from "vitest";
import { byWasm, canDeriveNatively } from "../../shared/people/argon2id.ts";
import { hashPassword, isOutdated, verifyPassword } from "../../shared/people/passwords.ts";
import { hashPasscode, passcodeFits } from "../../shared/people/users.ts";
import { deriveInFull } from "../set-up/cheap-derivations.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

deriveInFull();

const key = hmacKeyOf("key");

test("D15: a password is kept as Argon2id with 19 MiB, 2 passes and a salt of its own", async () => {
  const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(other).not.toBe(one);
});

test("D15: only the password itself fits its hash, however its letters are composed", async () => {
  const hash = await hashPassword("café au lait");
  expect(await verifyPassword("café au lait", hash)).toBe(true);
  expect(await verifyPassword("cafe\u0301 au lait", hash)).toBe(true);
  expect(await verifyPassword("cafe au lait", hash)).toBe(false);
  expect(await verifyPassword("", hash)).toBe(false);
});

test.each([
  "",
  "$argon2id$v=19$m=19456,t=2,p=1$",
  "$2b$10$abc",
  `$scrypt$ln=17,r=8,p=1$${"A".repeat(22)}$${"A".repeat(43)}`,
  `$argon2id$v=19$m=99999999,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`,
  `$argon2id$v=19$m=19456,t=99,p=1$${"A".repeat(22)}$${"A".repeat(43)}`,
  `$argon2id$v=19$m=16,t=2,p=3$${"A".repeat(22)}$${"A".repeat(43)}`,
  "correct horse",
])("a stored text that is no hash of ours fits nothing: %j", async (stored) => {
  if (stored.endsWith("p=1$"))
    await expect(verifyPassword("correct horse", `${stored}AAAAAAAAAAA$`)).resolves.toBe(false);
  else expect(await verifyPassword("correct horse", stored)).toBe(false);
});

test("D15: WebAssembly derives what node:crypto does, and an OpenSSL that throws or errs is not relied on", async () => {
  const salt = Buffer.alloc(16, 7);
  const small = { memory: 256, passes: 3, parallelism: 1 };
  const expected = argon2Sync("argon2id", { message: "café au lait", nonce: salt, tagLength: 32, ...small });
  expect(await byWasm("café au lait", salt, 32, small)).toEqual(expected);
  expect(canDeriveNatively()).toBe(true);
  const unsupported = () => {
    throw Object.assign(new Error("Argon2 is not supported"), { code: "ERR_CRYPTO_ARGON2_NOT_SUPPORTED" });
  };
  expect(canDeriveNatively(unsupported)).toBe(false);
  expect(canDeriveNatively(() => Buffer.alloc(32))).toBe(false);
});

test("D15: where node:crypto cannot, passwords are hashed and verified all the same", async () => {
  const hash = await hashPassword("correct horse");
  vi.resetModules();
  vi.doMock("node:crypto", async (original) => {
    const crypto = await original<typeof import("node:crypto")>();
    const refuse = () => {
      throw new Error("ERR_CRYPTO_ARGON2_NOT_SUPPORTED");
    };
    return { ...crypto, argon2: refuse, argon2Sync: refuse };
  });
  const without = await import("../../shared/people/passwords.ts");
  vi.doUnmock("node:crypto");
  expect(await without.verifyPassword("correct horse", hash)).toBe(true);
  expect(await without.verifyPassword("wrong horse", hash)).toBe(false);
  expect(await verifyPassword("correct horse", await without.hashPassword("correct horse"))).toBe(true);
});

test.each([
  ["m=19456,t=2", false],
  ["m=19456,t=1", true],
  ["m=9728,t=2", true],
  ["m=32768,t=1", false],
  ["m=9728,t=3", false],
  ["m=19456,t=3", false],
  ["m=262144,t=16", false],
  ["m=262145,t=1", true],
  ["m=1024,t=17", true],
])("D15: a hash is renewed where a new one is stronger, and never made weaker: %s", (made, outdated) => {
  expect(isOutdated(`$argon2id$v=19$${made},p=1$${"A".repeat(22)}$${"A".repeat(43)}`)).toBe(outdated);
});

test("D19: a passcode's hash fits only its passcode, user and key, and does not hold the digits", () => {
  const hash = hashPasscode("4711", 7, key);
  expect(hash).not.toContain("4711");
  expect(passcodeFits("4711", 7, hash, key)).toBe(true);
  expect(passcodeFits("4712", 7, hash, key)).toBe(false);
  expect(passcodeFits("4711", 8, hash, key)).toBe(false);
  expect(passcodeFits("4711", 7, hash, hmacKeyOf("other"))).toBe(false);
  expect(passcodeFits("4711", 7, "", key)).toBe(false);
});
