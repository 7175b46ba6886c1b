import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, tryPin } from "../../support/requests/accounts.ts";
import { deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const mostOfStage = vi.hoisted(() => (process.env.COUNTS === "full" ? 5_000 : 60));
vi.mock("../../../shared/domain/guessing/rules.ts", async (original) => {
  const { rules, ...actual } = await original<typeof import("../../../shared/domain/guessing/rules.ts")>();
  expect(rules.wrongPins.most).toBe(5_000);
  return { ...actual, rules: { ...rules, wrongPins: { ...rules.wrongPins, most: mostOfStage } } };
});

const service = useService();
const triesOfLogin = 20;
let login: string;

useSigningKey();
useOwnUser((_, own) => {
  login = own;
  return {};
});

let day = 0;
beforeEach(() => {
  day += 1;
  at(`2026-05-${String(day).padStart(2, "0")}T09:00:00.000`);
});
afterEach(() => service.inbox.clear());

/** Asks for a pin of a login and reads it. */
async function pinOf(name: string): Promise<string> {
  expect((await askPin(name)).status).toBe(200);
  await deliverPins();
  return newestPin(service.inbox, name);
}

/** Tries so many wrong pins side by side, each from an address of its own. */
async function tryWrong(name: string, pin: string, count: number) {
  const offsets = Array.from({ length: count }, (_, index) => index + 1);
  const answers = await Promise.all(offsets.map((offset) => tryPin(name, otherPin(pin, offset))));
  expect(answers.map(({ status }) => status)).toEqual(offsets.map(() => 422));
  loggedLines.length = 0;
}

test("D10: 20 tries of a login in parallel are 20: its live short pin dies, its next has 12 digits and any number of tries", async () => {
  const short = await pinOf(login);
  expect(short).toMatch(/^[0-9]{6}$/);
  await tryWrong(login, short, triesOfLogin);
  expect((await tryPin(login, short)).status).toBe(422);
  const long = await pinOf(login);
  expect(long).toMatch(/^[0-9]{12}$/);
  await tryWrong(login, long, usualOrFull(50, 500));
  expect((await tryPin(login, long.replace(/(....)(....)(....)/, "$1 $2-$3"))).status).toBe(200);
});

test("D10: 19 tries of a login in parallel leave its short pin", async () => {
  const short = await pinOf(login);
  await tryWrong(login, short, triesOfLogin - 1);
  expect((await tryPin(login, short)).status).toBe(200);
});

test("D10: 60 tries in parallel compare a login's pin 20 times at most; the right one among them is spent once", async () => {
  const short = await pinOf(login);
  const pins = Array.from({ length: 60 }, () => short);
  const answers = await Promise.all(pins.map((pin) => tryPin(login, pin)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test(
  "D10: wrong pins sprayed over many logins make the pins of all long for the day, and end the short ones that live",
  async () => {
    const sprayed = Array.from(
      { length: Math.ceil(mostOfStage / triesOfLogin) },
      (_, index) => `spray-${day}-${index}@example.com`,
    );
    await store(sprayed.map((email, index) => userLine(20_000 + index, { email })));
    const short = await pinOf(login);
    for (const name of sprayed) await tryWrong(name, await pinOf(name), triesOfLogin);
    expect((await tryPin(login, short)).status).toBe(422);
    const long = await pinOf(login);
    expect(long).toMatch(/^[0-9]{12}$/);
    expect((await tryPin(login, long)).status).toBe(200);
    at(`2026-05-${String(day + 1).padStart(2, "0")}T00:00:00.000`);
    expect(await pinOf(login)).toMatch(/^[0-9]{6}$/);
  },
  usualOrFull(60_000, 600_000),
);
