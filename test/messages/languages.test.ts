import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as registerHandler } from "../../functions/accounts/register-user.ts";
import { handler as deliverPin } from "../../functions/workers/deliver-pin.ts";
import { handler as notifyPasswordChanged } from "../../functions/workers/notify-password-changed.ts";
import { handler as sendPushes } from "../../functions/workers/send-pushes.ts";
import { registerUser } from "../../shared/contract/accounts.ts";
import { userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { deliverPins, forgetPinsOf, pinMessage } from "../support/requests/pins.ts";
import { newPush, register, usePushService } from "../support/workers/pushes.ts";
import { nothingFailed, queueEvent } from "../support/workers/workers.ts";

const service = usePushService();
const changedAt = "2026-05-01T09:00:00.000Z";

/** A user for each language, and their phone. */
const users = [
  { id: 10, locale: "en", phone_number: "+447400123410" },
  { id: 11, locale: "de", phone_number: "+447400123411" },
  { id: 12, locale: null, phone_number: "+447400123412" },
] as const;

beforeAll(async () => {
  for (const { id } of users) await register(id, `device-${id}`);
  await store(users.map(({ id, ...fields }) => userLine(id, fields)));
});
beforeEach(() => {
  process.env.LOCALE = "en";
});

/** The language that the newest messages to addresses are in, by what they say. */
function languagesTo(...addresses: readonly string[]): (string | undefined)[] {
  return addresses.map((to) => {
    const { text = "", subject, html } = service.inbox.entries().find((entry) => entry.to === to) ?? {};
    const said = `${subject ?? ""} ${text} ${html?.replace(/style="[^"]*"/g, "") ?? ""}`;
    const isGerman = /\b(?:Ihre?|Stelle)\b/.test(said);
    const isEnglish = /\b(?:[Yy]our|was)\b/.test(said);
    return isGerman && isEnglish ? "both" : isGerman ? "de" : isEnglish ? "en" : undefined;
  });
}

const emails = users.map(({ id }) => `user-${id}@example.com`);
const phones = users.map(({ phone_number }) => phone_number);

test.each(["en", "de"])("D45: pins are in the language of the login's user, else in the stage's %s", async (stage) => {
  process.env.LOCALE = stage;
  const logins = [...emails, ...phones];
  await Promise.all(logins.map(forgetPinsOf));
  const requests = logins.map((login) => pinMessage(login));
  expect(await deliverPin(queueEvent(...requests))).toEqual(nothingFailed);
  expect(languagesTo(...emails)).toEqual(["en", "de", stage]);
  expect(languagesTo(...phones)).toEqual(["en", "de", stage]);
});

test.each(["en", "de"])("D45: notices of a new password are in their user's language, else in %s", async (stage) => {
  process.env.LOCALE = stage;
  const moment = stage === "en" ? changedAt : "2026-05-02T09:00:00.000Z";
  const messages = users.map(({ id }) => ({ userId: id, changedAt: moment }));
  expect(await notifyPasswordChanged(queueEvent(...messages))).toEqual(nothingFailed);
  expect(languagesTo(...emails)).toEqual(["en", "de", stage]);
  expect(languagesTo(...phones)).toEqual(["en", "de", stage]);
});

test.each(["en", "de"])("D45: pushes are in their user's language, else in the stage's %s", async (stage) => {
  process.env.LOCALE = stage;
  for (const { id } of users) expect(await sendPushes(queueEvent(await newPush(id)))).toEqual(nothingFailed);
  expect(languagesTo(...users.map(({ id }) => `device-${id}`))).toEqual(["en", "de", stage]);
});

test("D16, D45: a registration's pin is in the stage's language, and says nothing that its sender has written", async () => {
  process.env.LOCALE = "de";
  const names = { first_name: "Visit spam.example", last_name: "<b>now</b>" };
  const user = { login: "new@example.com", password: "eleven loud lanterns", ...names };
  expect((await call(registerHandler, registerUser, { body: { user } })).status).toBe(200);
  await deliverPins();
  expect(languagesTo("new@example.com")).toEqual(["de"]);
  expect(JSON.stringify(service.inbox.entries())).not.toMatch(/spam|now/);
});
