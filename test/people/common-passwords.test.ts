import { createHash } from "node:crypto";
import { dictionary } from "@zxcvbn-ts/language-common";
import { expect, test } from "vitest";
import { requireUncommon } from "../../shared/people/passwords.ts";
import { faultsOf } from "../support/records/writes.ts";

const pointer = "/user/password";
const mostCommon = firstOnes(dictionary["passwords-common"], 4_000);

function firstOnes(passwords: readonly (string | number)[], count: number): string[] {
  const forms = passwords.map((password) => String(password).normalize("NFKC").toLowerCase());
  return [...new Set(forms.filter((form) => form.length >= 8))].slice(0, count);
}

test("D15: the data file holds the digests of the 4,000 most common passwords of 8 characters or more", async () => {
  const digests = mostCommon.map((password) => createHash("sha256").update(password).digest().subarray(0, 3));
  expect(mostCommon).toHaveLength(4_000);
  const file = `${JSON.stringify(Buffer.concat(digests).toString("base64"))}\n`;
  await expect(file).toMatchFileSnapshot("../../shared/people/common-passwords.json");
});

test("D15: each of them is refused as common, naming the field", async () => {
  for (const password of mostCommon) {
    expect(await faultsOf(() => requireUncommon(password, pointer))).toEqual([`${pointer} common`]);
  }
});

test.each([
  "password123",
  "PASSWORD123",
  "Password123",
  "ｐａｓｓｗｏｒｄ１２３",
])("D15: %s is refused as common, in whatever letters", async (password) => {
  expect(await faultsOf(() => requireUncommon(password, pointer))).toEqual([`${pointer} common`]);
});

test.each([
  "workforce demo",
  "seven quiet harbours",
  "correct horse battery staple",
])("D15: %s is let through", (password) => {
  expect(() => requireUncommon(password, pointer)).not.toThrow();
});
