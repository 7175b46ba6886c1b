import { createHash } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/accounts/confirm-login.ts";
import { handler as requestHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as setPasswordHandler } from "../../../functions/accounts/set-password.ts";
import { confirmLogin, requestPasswordReset, setPassword } from "../../../shared/contract/accounts.ts";
import { allLogins } from "../../../shared/db/accounts/pins.ts";
import { findCount } from "../../../shared/db/accounts/windows.ts";
import { useLossyNetwork } from "../../support/faults/lossy-network.ts";
import { useOwnUser } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import {
  askForPin,
  changePin,
  deliverPins,
  newestPin,
  otherPin,
  storedPin,
  useUpShortPins,
} from "../../support/requests/pins.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const network = useLossyNetwork();
const phone = "+447400123456";
let userId: number;
let login: string;

useOwnUser((id, own) => {
  [userId, login] = [id, own];
  return {};
});
beforeAll(() => store([userLine(11, { email: null, phone_number: phone })]));

function freshPin(to = login): Promise<string> {
  return askForPin(service, to);
}

function confirm(pin: string, as = login, from?: string) {
  return call(handler, confirmLogin, { query: { login: as, pin }, ...(from && { from }) });
}

async function read(pk: string, sk: string) {
  const key = { pk, sk };
  return (await service.database.send(new GetCommand({ TableName: service.tableName, Key: key }))).Item;
}

describe("200", () => {
  test("D13: the right pin answers the stored user with a reset token, uncached and without a referrer", async () => {
    const answer = await confirm(await freshPin());
    expect(answer.status).toBe(200);
    expect(answer.body.user).toEqual(shownUser(userId, { reset_password_token: expect.stringMatching(/^[\w-]{43}$/) }));
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
  });

  test("D14: the reset token is kept as its SHA-256, for 15 minutes, and replaces the user's earlier one", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    const token = (await confirm(await freshPin())).body.user.reset_password_token;
    const hash = createHash("sha256").update(token).digest("base64url");
    expect(await read(`RESET#${hash}`, "RESET")).toMatchObject({
      user_id: userId,
      valid_to: "2026-05-01T09:15:00.000Z",
    });
    expect((await read(`USER#${userId}`, "USER"))?.reset_hash).toBe(hash);
  });

  test("D13: the login is marked confirmed", async () => {
    await confirm(await freshPin());
    expect((await read(`LOGIN#${login}`, "LOGIN"))?.confirmed_at).toMatch(/Z$/);
  });

  test.each([phone, phone.replace("+", " "), "07400 123456"])("D7: the phone login may be sent as %j", async (form) => {
    expect((await confirm(await freshPin(phone), form)).body.user).toMatchObject({ id: 11, phone_number: phone });
  });

  test("D9: a pin counts until 12 minutes after its request", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-02T09:00:00.000Z"), toFake: ["Date"] });
    const pin = await freshPin();
    vi.setSystemTime(new Date("2026-05-02T09:11:59.999Z"));
    expect((await confirm(pin)).status).toBe(200);
  });

  test.each(["-", " ", "\u00a0"])("D9: blanks and hyphens in a pin are ignored, such as %j", async (separator) => {
    const [first = "", ...others] = await freshPin();
    expect((await confirm(`${separator}${[first, ...others].join(separator)} `)).status).toBe(200);
  });
});

describe("422", () => {
  test("D13: wrong, spent, expired, exhausted and unknown are one answer", async () => {
    const answers = [];
    const pin = await freshPin();
    answers.push(await confirm(otherPin(pin)));
    await confirm(pin);
    answers.push(await confirm(pin));
    answers.push(await confirm("000000", "nobody@example.com"));
    vi.useFakeTimers({ now: new Date("2026-05-03T09:00:00.000Z"), toFake: ["Date"] });
    const expiring = await freshPin();
    vi.setSystemTime(new Date("2026-05-03T09:12:00.000Z"));
    answers.push(await confirm(expiring));
    const exhausted = await freshPin();
    await changePin(login, { tries: 20 });
    answers.push(await confirm(exhausted));
    for (const { status, body } of answers) {
      expect({ status, ...body, request_id: "" }).toEqual({ ...answers[0]?.body, status: 422, request_id: "" });
      expect(body.code).toBe("pin_invalid");
    }
  });

  test("D7: a plus sign of an e-mail login that was not escaped is one", async () => {
    await store([userLine(12, { email: "ann+work@example.com" })]);
    expect((await confirm(await freshPin("ann+work@example.com"), "ann work@example.com")).status).toBe(200);
  });

  test("D9: another login's pin does not fit", async () => {
    const [pin] = [await freshPin(), await freshPin(phone)];
    const answer = await confirm(pin, phone);
    expect(answer.status === 422 || pin === newestPin(service.inbox, phone)).toBe(true);
  });

  test.each([
    [{ login: "a@example.com" }, "pin", "missing"],
    [{ login: "a@example.com", pin: "12345" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "1234567" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "1234567890" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "123_456" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: `123${" ".repeat(70)}456` }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "12345x" }, "pin", "invalid"],
    [{ login: "a@example.com", pin: "１２３４５６" }, "pin", "invalid"],
    [{ pin: "123456" }, "login", "missing"],
    [{ login: "nobody", pin: "123456" }, "login", "invalid"],
    [{ login: "\u0000@example.com", pin: "123456" }, "login", "invalid"],
    [{ login: "\ud800@example.com", pin: "123456" }, "login", "invalid"],
  ])("%j names the parameter and spends no try", async (query, parameter, code) => {
    const answer = await call(handler, confirmLogin, { query });
    expect(answer).toMatchObject({ status: 422, body: { code: "fields_invalid", errors: [{ parameter, code }] } });
  });
});

test("D13: no pin, reset token, login or query string is logged", async () => {
  loggedLines.length = 0;
  const pin = await freshPin();
  await confirm(otherPin(pin));
  const { reset_password_token: token } = (await confirm(pin)).body.user;
  const logged = loggedLines.join("");
  for (const secret of [login, token, `pin=`, `"${pin}"`, encodeURIComponent(login)])
    expect(logged).not.toContain(secret);
  expect(logged).toContain("pin_invalid");
});

describe("D10: the short pins of a login", () => {
  test("have 20 tries a day, right or wrong, of whatever client: the 21st is not compared", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 19; tries += 1) {
      expect((await confirm(otherPin(pin, 1 + tries), login, `198.51.100.${tries}`)).body.code).toBe("pin_invalid");
    }
    expect(await storedPin(login)).toMatchObject({ tries: 19 });
    expect((await confirm(pin)).status).toBe(200);
    expect(await storedPin(login)).toMatchObject({ tries: 20 });
    expect(await askAgain()).toMatch(/^[0-9]{12}$/);
  });

  test("die with the 20th, and the next one is long: any number of tries leaves it", async () => {
    const pin = await freshPin();
    await changePin(login, { tries: 20 });
    expect((await confirm(pin)).body.code).toBe("pin_invalid");
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{12}$/);
    for (let tries = 0; tries < 25; tries += 1) expect((await confirm(otherPin(long))).status).toBe(422);
    expect(await storedPin(login)).toMatchObject({ tries: 20 });
    expect((await confirm(long.replace(/(?=(?:.{4})+$)/g, " "))).status).toBe(200);
  });

  test("of 50 tries at once get 20 answers of a comparison at most, and one spends the pin", async () => {
    const pin = await freshPin();
    const guesses = Array.from({ length: 49 }, (_, index) => otherPin(pin, 1 + index));
    const answers = await Promise.all([...guesses, pin].map((each, at) => confirm(each, login, `198.51.100.${at}`)));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses.slice(0, 49))).toEqual(new Set([422]));
    expect(await storedPin(login)).toMatchObject({ tries: 20 });
    const again = await freshPin();
    const right = await Promise.all(Array.from({ length: 50 }, (_, at) => confirm(again, login, `198.51.100.${at}`)));
    expect(right.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await storedPin(login)).toMatchObject({ tries: 20 });
  });

  test("die with the 5,000th wrong one of all logins: the next is long, and the right long one is taken", async () => {
    await forgetLimits(service);
    const [mine, others] = [await freshPin(), await freshPin(phone)];
    await useUpShortPins(4_999);
    expect((await confirm(otherPin(others), phone)).status).toBe(422);
    expect((await confirm(mine)).body.code).toBe("pin_invalid");
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{12}$/);
    expect((await confirm(long)).status).toBe(200);
    await forgetLimits(service);
  });

  test("live while 4,999 wrong ones are counted, and neither right nor long ones count", async () => {
    await forgetLimits(service);
    await useUpShortPins(4_998);
    const [mine, others] = [await freshPin(), await freshPin(phone)];
    expect((await confirm(mine)).status).toBe(200);
    await changePin(phone, { tries: 20, digits: 12 });
    expect((await confirm("000000000000", phone)).status).toBe(422);
    await changePin(phone, { tries: 0, digits: 6 });
    expect((await confirm(otherPin(others), phone)).status).toBe(422);
    expect(await findCount(allLogins, new Date(), { consistent: true })).toBe(4_999);
    expect((await confirm(others, phone)).status).toBe(200);
    await forgetLimits(service);
  });

  test("are tried by the owner behind an address that a neighbour uses for guesses at hundreds of logins", async () => {
    const [pin, from] = [await freshPin(), "198.51.100.70"];
    await Promise.all(Array.from({ length: 200 }, (_, at) => confirm("000000", `x-${at}@example.com`, from)));
    for (let tries = 0; tries < 15; tries += 1) await confirm(otherPin(pin), login, from);
    expect((await confirm(pin, login, from)).status).toBe(200);
  });

  /** Asks for another pin, without forgetting what was counted. */
  async function askAgain(): Promise<string> {
    service.inbox.clear();
    expect((await call(requestHandler, requestPasswordReset, { body: { user: { login } } })).status).toBe(200);
    await deliverPins();
    return newestPin(service.inbox, login);
  }
});

test.each([0, 1])("P5, D10: a try whose answer is lost counts once (right: %d)", async (right) => {
  const pin = await freshPin();
  network.lose(3, "interrupted");
  expect((await confirm(otherPin(pin, 1 - right))).status).toBe(right ? 200 : 422);
  expect(network.heal()).toBe("UpdateItem");
  expect(await storedPin(login)).toMatchObject({ tries: 1 });
});

describe("D13: the right pin", () => {
  const [own, other] = ["198.51.100.80", "198.51.100.81"];

  test("again from the same client within a minute is answered with the same reset token; from another it is spent", async () => {
    vi.useFakeTimers({ now: new Date("2026-07-02T09:00:00.000Z"), toFake: ["Date"] });
    const pin = await freshPin();
    const first = await confirm(pin, login, own);
    vi.setSystemTime(new Date("2026-07-02T09:00:59.999Z"));
    expect((await confirm(pin, login, own)).body).toEqual(first.body);
    expect((await confirm(otherPin(pin), login, own)).status).toBe(422);
    expect((await confirm(pin, login, other)).status).toBe(422);
    // Whoever shares the address guesses at the answer with the tries that the login has left.
    expect(await storedPin(login)).toMatchObject({ tries: 3 });
    vi.setSystemTime(new Date("2026-07-02T09:01:00.000Z"));
    expect((await confirm(pin, login, own)).status).toBe(422);
  });

  test("of 20 at once from one client is answered with one reset token", async () => {
    const pin = await freshPin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(pin, login, own)));
    const tokens = answers.flatMap(({ status, body }) => (status === 200 ? [body.user.reset_password_token] : []));
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens).size).toBe(1);
  });

  test("whose reset token is spent is spent", async () => {
    const pin = await freshPin();
    const { reset_password_token } = (await confirm(pin, login, own)).body.user;
    const user = {
      reset_password_token,
      password: "nine quiet harbours",
      password_confirmation: "nine quiet harbours",
    };
    expect((await call(setPasswordHandler, setPassword, { body: { user } })).status).toBe(200);
    expect((await confirm(pin, login, own)).status).toBe(422);
  });
});
