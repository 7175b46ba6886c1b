import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { saveDeviceToken } from "../../../shared/notifications/devices.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { useSigningKey } from "../../support/records/own-user.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, requestPin } from "../../support/requests/accounts.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { changePin, forgetPinsOf } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { signInAs } from "../../support/requests/sessions.ts";
import { useService } from "../../support/service/service.ts";
import { takeMessages } from "../../support/workers/queues.ts";

const service = useService();
const proxy = useNetwork();
useSigningKey();
const [login, nobody, phone] = ["ines@example.com", "nobody@example.com", "+447400123456"];

beforeAll(() =>
  store([companyLine(1), userLine(10, { email: login }), userLine(11, { email: null, phone_number: phone })]),
);
beforeEach(async () => {
  service.inbox.clear();
  await forgetLimits(service);
  await queued();
});
afterEach(() => {
  vi.useRealTimers();
  process.env.RECOVERY_DISCLOSURE = "masked";
});

async function queued() {
  return (await takeMessages("PIN_QUEUE_URL")) as { login: string; isKnown: boolean; client: string }[];
}

const sentTo = (to: string) => service.inbox.entries().filter((entry) => entry.to === to);

describe("200", () => {
  test("D8: an e-mail login gets its pin by e-mail, in text and HTML, with service and validity and no link", async () => {
    expect((await requestPin(" Ines@Example.com ")).status).toBe(200);
    const [message, ...others] = service.inbox.entries();
    expect(others).toEqual([]);
    expect(message).toMatchObject({ channel: "email", to: login, subject: "Your Workforce pin" });
    for (const body of [message?.text, message?.html]) {
      expect(body).toMatch(/\b[0-9]{6}\b/);
      expect(body).toContain("Workforce");
      expect(body).toContain("12 minutes");
      expect(body).not.toMatch(/https?:|href|www\./i);
    }
  });

  test("D8: a phone login gets its pin by SMS, in one part", async () => {
    expect((await requestPin("07400 123456")).status).toBe(200);
    const text = expect.stringMatching(/^[0-9]{6} is your Workforce pin, valid for 12 minutes\.$/);
    expect(service.inbox.entries()).toMatchObject([{ channel: "sms", to: phone, text }]);
  });

  test.each([
    ["ｏperator–１@example.com", "operator-1@example.com"],
    ["\u202aoperator-1@exam\u200bple.com\u202c", "operator-1@example.com"],
    ["\u202a０７４００\u00a0१२३४५६\u202c", phone],
  ])("D7: typed as %j, a login gets its message at the stored address alone", async (typed, stored) => {
    await store([userLine(12, { email: "operator-1@example.com" }), userLine(13, { email: "operator1@example.com" })]);
    const { status, body } = await requestPin(typed);
    expect([status, body.user.email ?? body.user.phone_number]).toEqual([200, stored]);
    expect(service.inbox.entries().map(({ to }) => to)).toEqual([stored]);
  });

  test("D7, D12: typed in any form, known and unknown logins are answered alike, and as their normal form is", async () => {
    for (const each of [login, nobody]) {
      const forms = [each, `\u200b${each}\u00ad`, each.replace("@", "＠"), each.replace("e", "ｅ")];
      const answers = await Promise.all(forms.map((form) => askPin(form)));
      for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]?.body]);
    }
    expect(new Set((await queued()).map((message) => message.login))).toEqual(new Set([login, nobody]));
  });

  test("D12: known and unknown logins are answered and queued alike, with nothing but what was sent", async () => {
    const answers = [await askPin("Ines@example.com"), await askPin(nobody)];
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      expect(body.user).toEqual({
        id: expect.any(Number),
        company: null,
        contact_phone_number: null,
        email: [login, nobody][index],
        financial_company_id: null,
        first_name: "",
        job_position: null,
        last_name: "",
        phone_number: null,
        pin_valid_to: expect.any(String),
        profile_id: null,
        role: "operator",
      });
      expect(body.user.id).toBeGreaterThanOrEqual(2 ** 52);
      expect(body.user.id).toBeLessThan(2 ** 53);
    }
    const messages = await queued();
    expect(messages.map((message) => message.login).sort()).toEqual([login, nobody]);
    expect(Object.keys(messages[0] ?? {})).toEqual(Object.keys(messages[1] ?? {}));
  });

  test("D12: with full disclosure a known login is shown its stored user", async () => {
    process.env.RECOVERY_DISCLOSURE = "full";
    const { status, body } = await askPin(login);
    expect(status).toBe(200);
    const shown = { id: 10, first_name: "Ines", last_name: "Marsh", company: { id: 1, name: "Harbour Logistics" } };
    expect(body.user).toMatchObject({ ...shown, pin_valid_to: expect.any(String) });
  });

  test("D11, D12: with full disclosure a fault in showing the user costs nobody the pin", async () => {
    proxy.reset();
    await askPin(login);
    const reads = proxy.calls.get("GetItem") ?? 0;
    await queued();
    await forgetLimits(service);
    process.env.RECOVERY_DISCLOSURE = "full";
    const body = { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" };
    proxy.fail("GetItem", { status: 400, body }, 1, reads);
    expect((await askPin(login)).status).toBe(500);
    expect(await queued()).toMatchObject([{ login }]);
  });

  test("D7: a pin for a number of unknown kind is queued, as it may be a stored user's", async () => {
    expect((await askPin("+353990000000")).status).toBe(200);
    expect(await queued()).toHaveLength(1);
  });
});

describe("nothing is sent", () => {
  test.each([
    ["D12: to an unknown login", nobody, 200],
    ["D12: with full disclosure, to an unknown login", nobody, 404, "login_not_found"],
    ["D11: to a country off the allow-list", "+33612345678", 422, "country_not_served"],
    ["D7: to a landline", "+442079460958", 422, "country_not_served"],
  ])("%s", async (_, to, status, code = "") => {
    if (status === 404) process.env.RECOVERY_DISCLOSURE = "full";
    const answer = await requestPin(to);
    expect(answer.status).toBe(status);
    if (code) expectProblem(answer, status, code);
    expect(service.inbox.entries()).toEqual([]);
  });
});

test("D7, D12: whether a number's country or its kind gets no SMS is said, alike for a stored user's and a stranger's", async () => {
  await store([userLine(12, { email: null, phone_number: "+442079460958" })]);
  for (const [numbers, detail] of [
    [["+442079460958", "+442079460959"], "No SMS is sent to landlines"],
    [["+33612345678", "+33123456789"], "No SMS is sent to phone numbers of this country"],
  ] as const) {
    const answers = await Promise.all(numbers.map((number) => requestPin(number)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 422, body: { detail } });
  }
});

describe("D9, D11: a request while a pin is live", () => {
  test.each([
    login,
    nobody,
  ])("for %s has its end, and its digits sent three times at most, a minute apart", async (to) => {
    const start = Date.parse("2026-09-01T09:00:00.000Z");
    const messages = [];
    for (const seconds of [0, 1, 59, 60, 61, 119, 120, 180, 719]) {
      vi.useFakeTimers({ now: start + seconds * 1_000, toFake: ["Date"] });
      const answer = await requestPin(to);
      expect([answer.status, answer.body.user.pin_valid_to]).toEqual([200, "2026-09-01T09:12:00.000Z"]);
      messages.push(sentTo(to).length);
    }
    const isKnown = to === login;
    expect(messages).toEqual(isKnown ? [1, 1, 1, 2, 2, 2, 3, 3, 3] : messages.map(() => 0));
    expect(new Set(sentTo(to).map(({ text }) => text)).size).toBe(isKnown ? 1 : 0);
    vi.setSystemTime(start + 720_000);
    expect((await askPin(to)).body.user.pin_valid_to).toBe("2026-09-01T09:24:00.000Z");
  });

  test("by a client with a proof is queued as one of a known client, with a foreign or oversized one as any other", async () => {
    for (const id of [10, 11]) {
      await saveDeviceToken(id, { token: `device-${id}`, platform: "ios", pushService: "apns" }, id);
    }
    for (const [to, proof, isKnown] of [
      [login, "device-10", true],
      [phone, "device-11", true],
      [login, "device-11", false],
      [login, "x".repeat(9_000), false],
    ] as const) {
      await forgetPinsOf(to);
      expect((await askPin(to, { proof })).status).toBe(200);
      expect(await queued()).toMatchObject([{ isKnown }]);
    }
  });

  test("D12: is queued however many of its messages were sent, and writes nothing: of an unknown login none ever is", async () => {
    await askPin(login);
    await changePin(login, { sent: 3, messages: 40, sent_for: new Date().toISOString() });
    await queued();
    proxy.reset();
    await askPin(login);
    expect(await queued()).toMatchObject([{ login, pin: { sent: 3 } }]);
    expect(proxy.calls.get("UpdateItem")).toBeUndefined();
  });

  test("D11, D12: names its client by a hash, the same for all logins: an IPv4 address or a /48 of IPv6", async () => {
    const clientsOf = async (...addresses: string[]) => {
      for (const from of addresses) for (const to of [login, nobody]) await askPin(to, { from });
      return new Set((await queued()).map(({ client }) => client)).size;
    };
    expect(await clientsOf("192.0.2.1", "::ffff:192.0.2.1")).toBe(1);
    expect(await clientsOf("2001:db8:1::1", "2001:db8:1:ffff::2")).toBe(1);
    expect(await clientsOf("192.0.2.1", "192.0.2.2", "2001:db8:1::1", "2001:db8:2::1")).toBe(4);
  });

  test("D14: by a client whose session a new password ended is queued as any other", async () => {
    const savePassword = (password: string) => store([userLine(10, { email: login, password })]);
    await savePassword("seven quiet harbours");
    const { refresh_token: proof } = await signInAs(login, "seven quiet harbours");
    const ask = async () => {
      await forgetPinsOf(login);
      await askPin(login, { proof });
      return queued();
    };
    expect(await ask()).toMatchObject([{ isKnown: true }]);
    await savePassword("eight loud harbours");
    expect(await ask()).toMatchObject([{ isKnown: false }]);
  });
});
