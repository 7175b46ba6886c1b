import { expect, test } from "vitest";
import { hashPasscode, passcodeFits } from "../../shared/domain/accounts/passcode.ts";
import { hashPassword, verifyPassword } from "../../shared/domain/accounts/password.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

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
  "correct horse",
])("a stored text that is no hash of ours fits nothing: %j", async (stored) => {
  if (stored.startsWith("$argon2id"))
    await expect(verifyPassword("correct horse", `${stored}AAAAAAAAAAA$`)).resolves.toBe(false);
  else expect(await verifyPassword("correct horse", stored)).toBe(false);
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
