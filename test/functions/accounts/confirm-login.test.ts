import { beforeAll, expect, test } from "vitest";
import { handler } from "../../../functions/accounts/confirm-login.ts";
import { confirmLogin } from "../../../shared/contract/accounts.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPin } from "../../support/requests/accounts.ts";
import { call } from "../../support/requests/call.ts";
import { askForPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const phone = "+447400123456";
const own = useOwnUser();
beforeAll(() => store([userLine(11, { email: "ann+work@example.com", phone_number: phone })]));

const confirm = (pin: string, login = own.login) => call(handler, confirmLogin, { query: { login, pin } });

test.each([
  [phone, "07400 123456"],
  [phone, phone.replace("+", " ")],
  ["ann+work@example.com", "ann work@example.com"],
  ["ann+work@example.com", "\u200b ann work＠example.com\u200b "],
  [phone, `\u202a${phone.replace("+", " ")}\u202c`],
])("D7: the login %s may be sent as %j, with a plus sign that was not escaped", async (login, form) => {
  const pin = await askForPin(service, login);
  const { user } = (await confirm(`${pin.slice(0, 3)}\u2011${pin.slice(3)}\u200b`, form)).body;
  expect(user).toMatchObject({ id: 11, phone_number: phone });
});

test("D13: a pin is spent once, by whichever of the two ways", async () => {
  const byBody = await askForPin(service, own.login);
  await tryPin(own.login, byBody);
  expectProblem(await confirm(byBody), 422, "pin_invalid");
  const byQuery = await askForPin(service, own.login);
  await confirm(byQuery);
  expectProblem(await tryPin(own.login, byQuery), 422, "pin_invalid");
});
