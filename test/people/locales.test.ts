import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as profileHandler } from "../../functions/accounts/get-profile.ts";
import { getProfile } from "../../shared/contract/accounts.ts";
import { userKey } from "../../shared/people/users.ts";
import { updateIf } from "../../shared/table/writes.ts";
import { companyLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { faultsOf, readItem, write } from "../support/records/writes.ts";
import { askPin, resetTokenOf, setNewPassword } from "../support/requests/accounts.ts";
import { call } from "../support/requests/call.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
let id = 100;

beforeAll(() => store([companyLine(1)]));
beforeEach(() => {
  id += 1;
});

const loginOf = (userId: number) => `user-${userId}@example.com`;

async function shownLocale(): Promise<unknown> {
  return (await call(profileHandler, getProfile, { as: { id, role: "operator", company_id: 1 } })).body.user.locale;
}

test("D45: a line gives a user a language, changes it and takes it away; one without it leaves it", async () => {
  await write(userLine(id, { locale: "de" }));
  expect(await shownLocale()).toBe("de");
  expect(await write(userLine(id))).toBe("unchanged");
  expect(await write(userLine(id, { first_name: "Ada" }))).toBe("updated");
  expect(await shownLocale()).toBe("de");
  await write({ type: "user", id, locale: "en" });
  expect(await shownLocale()).toBe("en");
  await write({ type: "user", id, locale: null });
  expect(await shownLocale()).toBeNull();
});

test.each(["fr", "de-DE", "DE", "", 7, ["de"]])("D45: no line gives a user the language %j", async (locale) => {
  expect(await faultsOf(() => write(userLine(id, { locale })))).toEqual([expect.stringMatching(/^\/locale /)]);
  expect(await readItem(userKey(id))).toBeUndefined();
});

test("D45: the new password brings a language, and so does its repetition; without one, the user's stays", async () => {
  await store([userLine(id)]);
  for (const fields of [{ locale: "de" }, {}]) {
    const token = await resetTokenOf(service, loginOf(id));
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await setNewPassword(token, "eleven loud lanterns", fields);
      expect(status).toBe(200);
      expect(body.user).not.toHaveProperty("locale");
    }
    expect(await shownLocale()).toBe("de");
  }
});

test("D38: a language of a later release is shown as it is, and outlasts lines that do not name it", async () => {
  await store([userLine(id)]);
  await updateIf(userKey(id), { set: { "record.locale": "fr" } });
  expect(await shownLocale()).toBe("fr");
  expect(await write(userLine(id, { first_name: "Ada" }))).toBe("updated");
  expect(await shownLocale()).toBe("fr");
});

test("D12: the answer to a request for a pin shows no stored language", async () => {
  await store([userLine(id, { locale: "de" })]);
  for (const login of [loginOf(id), "nobody@example.com"]) {
    expect((await askPin(login)).body.user).not.toHaveProperty("locale");
  }
});
