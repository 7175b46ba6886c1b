import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as confirmHandler } from "../../functions/accounts/confirm-login-by-body.ts";
import { handler as profileHandler } from "../../functions/accounts/get-profile.ts";
import { handler as requestHandler } from "../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../functions/accounts/set-password.ts";
import { confirmLoginByBody, getProfile, requestPasswordReset, setPassword } from "../../shared/contract/accounts.ts";
import { userKey } from "../../shared/db/accounts/users.ts";
import { updateIf } from "../../shared/db/table/conditional-writes.ts";
import { companyLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { faultsOf, readItem, write } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { askForPin } from "../support/requests/pins.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const password = "eleven loud lanterns";
let id = 100;

beforeAll(() => store([companyLine(1)]));
beforeEach(() => {
  id += 1;
});

const loginOf = (userId: number) => `user-${userId}@example.com`;

async function shownLocale(): Promise<unknown> {
  return (await call(profileHandler, getProfile, { as: { id, role: "operator", company_id: 1 } })).body.user.locale;
}

/** Sets the user's password with a token of their own; `fields` are sent beside. Gives the answers of a request and of its repetition. */
async function setTwice(fields: object) {
  const user = { login: loginOf(id), pin: await askForPin(service, loginOf(id)) };
  const { body } = await call(confirmHandler, confirmLoginByBody, { body: { user } });
  const { reset_password_token } = body.user;
  const sent = { user: { reset_password_token, password, password_confirmation: password, ...fields } };
  return [
    await call(setPasswordHandler, setPassword, { body: sent }),
    await call(setPasswordHandler, setPassword, { body: sent }),
  ];
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
  for (const { status, body } of await setTwice({ locale: "de" })) {
    expect(status).toBe(200);
    expect(body.user.locale).toBe("de");
  }
  expect(await shownLocale()).toBe("de");
  for (const { body } of await setTwice({})) expect(body.user.locale).toBe("de");
});

test("D45: a new password with a language that there is not spends no token and sets nothing", async () => {
  await store([userLine(id, { locale: "de" })]);
  const stored = await readItem(userKey(id));
  for (const answer of await setTwice({ locale: "fr" })) expectProblem(answer, 422, "fields_invalid");
  expect((await readItem(userKey(id)))?.record).toEqual(stored?.record);
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
    const { body } = await call(requestHandler, requestPasswordReset, { body: { user: { login } } });
    expect(body.user.locale).toBeNull();
  }
});
