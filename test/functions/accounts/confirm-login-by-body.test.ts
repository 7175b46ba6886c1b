import { describe, expect, test, vi } from "vitest";
import { handler as confirmByQuery } from "../../../functions/accounts/confirm-login.ts";
import { handler } from "../../../functions/accounts/confirm-login-by-body.ts";
import { confirmLogin, confirmLoginByBody } from "../../../shared/contract/accounts.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { askForPin, otherPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return {};
});

function freshPin(to = login): Promise<string> {
  return askForPin(service, to);
}

function confirm(pin: unknown, as = login, from?: string) {
  return call(handler, confirmLoginByBody, { body: { user: { login: as, pin } }, ...(from && { from }) });
}

describe("200", () => {
  test("D13: the right pin answers the stored user with a reset token, uncached and without a referrer", async () => {
    const { status, body, headers } = await confirm(await freshPin());
    expect(status).toBe(200);
    expect(body).toEqual({
      user: shownUser(userId, { reset_password_token: expect.stringMatching(/^[\w-]{43}$/) }),
    });
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  });

  test("D7: the login may be typed in any form", async () => {
    await store([userLine(userId, { phone_number: "+447400123456" })]);
    expect((await confirm(await freshPin(), ` ${login.toUpperCase()} `)).status).toBe(200);
    expect((await confirm(await freshPin("+447400123456"), "07400 123456")).body.user).toMatchObject({ id: userId });
  });
});

describe("422", () => {
  test("D13: a pin is spent once, by whichever of the two ways", async () => {
    const byBody = await freshPin();
    await confirm(byBody);
    const query = { login, pin: byBody };
    expectProblem(await call(confirmByQuery, confirmLogin, { query }), 422, "pin_invalid");
    const byQuery = await freshPin();
    await call(confirmByQuery, confirmLogin, { query: { login, pin: byQuery } });
    expectProblem(await confirm(byQuery), 422, "pin_invalid");
  });

  test("D13: of 20 who spend one pin at once at most one is answered", async () => {
    const pin = await freshPin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(pin)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
  });

  test("D10: tries count the same by both ways: the 21st is refused even when it is right", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 10; tries += 1) {
      await confirm(otherPin(pin));
      await call(confirmByQuery, confirmLogin, { query: { login, pin: otherPin(pin) } });
    }
    expectProblem(await confirm(pin), 422, "pin_invalid");
  });

  test("D9: a pin counts until 11:59.999 after its request, and not at 12:00.000", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    const pin = await freshPin();
    await store([userLine(userId + 500_000)]);
    const later = await freshPin(`user-${userId + 500_000}@example.com`);
    vi.setSystemTime(new Date("2026-05-01T09:11:59.999Z"));
    expect((await confirm(pin)).status).toBe(200);
    vi.setSystemTime(new Date("2026-05-01T09:12:00.000Z"));
    expectProblem(await confirm(later, `user-${userId + 500_000}@example.com`), 422, "pin_invalid");
  });

  test("D13: an unknown login is answered like a wrong pin", async () => {
    const pin = await freshPin();
    const [wrong, unknown] = [await confirm(otherPin(pin)), await confirm(pin, "nobody@example.com")];
    expect({ ...unknown.body, request_id: "" }).toEqual({ ...wrong.body, request_id: "" });
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers));
  });

  test.each([
    [undefined, "missing"],
    ["12345", "invalid"],
    ["1234567", "invalid"],
    ["123456-7890", "invalid"],
    ["1234 5678 901", "invalid"],
    ["１２３４５６", "invalid"],
    [123456, "wrong_type"],
  ])("D9: the pin %j is named, and is no try", async (typed, code) => {
    const pin = await freshPin();
    for (let tries = 0; tries < 6; tries += 1) {
      const answer = await confirm(typed);
      expectProblem(answer, 422, "fields_invalid");
      expect(answer.body.errors).toMatchObject([{ pointer: "/user/pin", code }]);
    }
    expect((await confirm(pin)).status).toBe(200);
  });

  test.each(["", "nobody", "\u0000@example.com"])("D7: the login %j is named", async (typed) => {
    const answer = await confirm("123456", typed);
    expectProblem(answer, 422, "fields_invalid");
    expect(answer.body.errors).toMatchObject([{ pointer: "/user/login" }]);
  });
});

test("D13: no pin, reset token or login is logged", async () => {
  loggedLines.length = 0;
  const pin = await freshPin();
  await confirm(otherPin(pin));
  const { reset_password_token: token } = (await confirm(pin)).body.user;
  const logged = loggedLines.join("");
  expect(logged).toContain("pin_invalid");
  for (const secret of [login, token, `"${pin}"`]) expect(logged).not.toContain(secret);
});
