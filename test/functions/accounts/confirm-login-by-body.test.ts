import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findCount } from "../../../shared/people/limits.ts";
import { loginKey } from "../../../shared/people/logins.ts";
import { allLogins } from "../../../shared/people/pins.ts";
import { userKey } from "../../../shared/people/users.ts";
import { updateIf } from "../../../shared/table/writes.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { at, useOwnUser } from "../../support/records/own-user.ts";
import { shownUser, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { requestPin, setNewPassword, tryPin } from "../../support/requests/accounts.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { askForPin, changePin, newestPin, otherPin, storedPin, useUpShortPins } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const network = useNetwork();
const phoneOf = (id: number) => `+4474001${String(id).padStart(5, "0")}`;
const own = useOwnUser((id) => ({ phone_number: phoneOf(id) }));

const freshPin = (to = own.login) => askForPin(service, to);
const confirm = (pin: string, login = own.login, from?: string) => tryPin(login, pin, { from });
const addressOf = (index: number) => `198.51.100.${index}`;

/** Asks for another pin, without forgetting what was counted. */
async function askAgain(): Promise<string> {
  service.inbox.clear();
  expect((await requestPin(own.login)).status).toBe(200);
  return newestPin(service.inbox, own.login);
}

describe("200", () => {
  test("D13, D14: the right pin confirms the login, and answers the user with a reset token, kept as its SHA-256", async () => {
    at("2026-05-01T09:00:00.000");
    // An import marks the logins that it brings as confirmed.
    await updateIf(loginKey(own.login), { remove: ["confirmed_at"] });
    const { status, body, headers } = await confirm(await freshPin());
    const reset_password_token = expect.stringMatching(/^[\w-]{43}$/);
    expect(status).toBe(200);
    expect(body).toEqual({ user: shownUser(own.id, { phone_number: phoneOf(own.id), reset_password_token }) });
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    const hash = createHash("sha256").update(body.user.reset_password_token).digest("base64url");
    const kept = await readItem({ pk: `RESET#${hash}`, sk: "RESET" });
    expect(kept).toMatchObject({ user_id: own.id, valid_to: "2026-05-01T09:15:00.000Z" });
    expect((await readItem(userKey(own.id)))?.reset_hash).toBe(hash);
    const login = await readItem(loginKey(own.login));
    expect(login?.confirmed_at).toBe("2026-05-01T09:00:00.000Z");
  });

  test("D7: the login may be typed in any form", async () => {
    expect((await confirm(await freshPin(), ` ${own.login.toUpperCase()} `)).status).toBe(200);
    const typed = phoneOf(own.id).replace("+44", "0");
    expect((await confirm(await freshPin(phoneOf(own.id)), typed)).body.user).toMatchObject({ id: own.id });
  });

  test("D7, D9: login and pin are read as they are copied out of a chat", async () => {
    const pin = await freshPin();
    const typed = `\u2066${pin.slice(0, 3)}\u200b\u2013${pin.slice(3)}\u2069.`;
    expect((await confirm(typed, `\u200e${own.login.replace("-", "\u2011")}\u2060`)).status).toBe(200);
    const arabic = [...(await freshPin())].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join("");
    expect((await confirm(arabic)).body.user).toMatchObject({ id: own.id });
  });

  test("D9: blanks, hyphens and brackets in a pin are ignored", async () => {
    const digits = [...(await freshPin())];
    const typed = " -d d\u00a0[d]d-(dd) ".replaceAll("d", () => digits.shift() ?? "");
    expect((await confirm(typed)).status).toBe(200);
  });
});

describe("422", () => {
  test("D9, D13: wrong, spent, expired, exhausted, another's and unknown are one answer; a pin counts for 12 minutes", async () => {
    await store([userLine(own.id + 500_000)]);
    const neighbour = `user-${own.id + 500_000}@example.com`;
    const pin = await freshPin();
    const answers = [await confirm(otherPin(pin)), await confirm("000000", "nobody@example.com")];
    const foreign = await freshPin(neighbour);
    if (foreign !== pin) answers.push(await confirm(foreign));
    await confirm(pin);
    answers.push(await confirm(pin));
    at("2026-05-03T09:00:00.000");
    const [expiring, living] = [await freshPin(), await freshPin(neighbour)];
    at("2026-05-03T09:11:59.999");
    expect((await confirm(living, neighbour)).status).toBe(200);
    at("2026-05-03T09:12:00.000");
    answers.push(await confirm(expiring));
    const exhausted = await freshPin();
    await changePin(own.login, { tries: 20 });
    answers.push(await confirm(exhausted));
    for (const answer of answers) {
      expectProblem(answer, 422, "pin_invalid");
      expect({ ...answer.body, request_id: "" }).toEqual({ ...answers[0]?.body, request_id: "" });
    }
  });
});

describe("D10: the short pins of a login", () => {
  test("have 20 tries a day, right or wrong, of whatever client; then the next one is long, and any number of tries leaves it", async () => {
    const pin = await freshPin();
    for (let tries = 0; tries < 19; tries += 1) {
      expect((await confirm(otherPin(pin, 1 + tries), own.login, addressOf(tries))).body.code).toBe("pin_invalid");
    }
    expect(await storedPin(own.login)).toMatchObject({ tries: 19 });
    expect((await confirm(pin)).status).toBe(200);
    expect(await storedPin(own.login)).toMatchObject({ tries: 20 });
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{12}$/);
    expect(service.inbox.entries()[0]?.text).toMatch(/\b\d{4} \d{4} \d{4}\b/);
    for (let tries = 0; tries < 22; tries += 1) expect((await confirm(otherPin(long))).status).toBe(422);
    expect(await storedPin(own.login)).toMatchObject({ tries: 20 });
    expect((await confirm(long.replace(/(....)(....)(....)/, "$1 $2-$3"))).status).toBe(200);
  });

  test("die with the 5,000th wrong one of all logins, which neither right nor long ones count to", async () => {
    at("2026-06-01T09:00:00.000");
    await forgetLimits(service);
    await useUpShortPins(4_998);
    const phone = phoneOf(own.id);
    const [mine, others] = [await freshPin(), await freshPin(phone)];
    expect((await confirm(mine)).status).toBe(200);
    await changePin(phone, { tries: 20, digits: 12 });
    expect((await confirm("000000000000", phone)).status).toBe(422);
    await changePin(phone, { tries: 0, digits: 6 });
    expect((await confirm(otherPin(others), phone)).status).toBe(422);
    expect(await findCount(allLogins, new Date(), { consistent: true })).toBe(4_999);
    expect((await confirm(others, phone)).status).toBe(200);
    const [last, short] = [await freshPin(phone), await freshPin()];
    expect((await confirm(otherPin(last), phone)).status).toBe(422);
    expect((await confirm(short)).body.code).toBe("pin_invalid");
    const long = await askAgain();
    expect(long).toMatch(/^[0-9]{12}$/);
    expect((await confirm(long)).status).toBe(200);
    at("2026-06-02T00:00:00.000");
    expect(await askAgain()).toMatch(/^[0-9]{6}$/);
  });

  test.each([0, 1])("P5: count a try whose answer is lost once (right: %d)", async (right) => {
    const pin = await freshPin();
    network.lose(3, "interrupted");
    expect((await confirm(otherPin(pin, 1 - right))).status).toBe(right ? 200 : 422);
    expect(network.heal()).toBe("UpdateItem");
    expect(await storedPin(own.login)).toMatchObject({ tries: 1 });
  });
});

describe("D13: the right pin", () => {
  const [address, other] = [addressOf(80), addressOf(81)];

  test("again from the same client within a minute is answered with the same reset token; from another it is spent", async () => {
    at("2026-07-02T09:00:00.000");
    const pin = await freshPin();
    const first = await confirm(pin, own.login, address);
    at("2026-07-02T09:00:59.999");
    const calls: string[] = [];
    const confirmAgain = () => confirm(pin, own.login, address);
    const again = await beforeCalls((_, input) => calls.push(JSON.stringify(input)), confirmAgain);
    expect(again.body).toEqual(first.body);
    // An eventually consistent read might not find who registered with the pin a moment ago.
    const reads = calls.filter((call) => call.includes(`"USER#${own.id}"`));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads.filter((call) => call.includes('"ConsistentRead":true'))).toHaveLength(reads.length);
    expect(calls.join()).not.toContain("TransactItems");
    expect((await confirm(otherPin(pin), own.login, address)).status).toBe(422);
    expect((await confirm(pin, own.login, other)).status).toBe(422);
    // Whoever shares the address guesses at the answer with the tries that the login has left.
    expect(await storedPin(own.login)).toMatchObject({ tries: 3 });
    at("2026-07-02T09:01:00.000");
    expect((await confirm(pin, own.login, address)).status).toBe(422);
  });

  test("of 20 at once from one client is answered with one reset token", async () => {
    const pin = await freshPin();
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(pin, own.login, address)));
    const tokens = answers.flatMap(({ status, body }) => (status === 200 ? [body.user.reset_password_token] : []));
    expect(new Set(tokens).size).toBe(1);
  });

  test("whose reset token is spent is spent", async () => {
    const pin = await freshPin();
    const { reset_password_token } = (await confirm(pin, own.login, address)).body.user;
    expect((await setNewPassword(reset_password_token, "nine quiet harbours")).status).toBe(200);
    expect((await confirm(pin, own.login, address)).status).toBe(422);
  });
});
