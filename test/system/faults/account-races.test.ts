import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { allItems } from "../../support/records/items.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import {
  askPin,
  register,
  resetTokenOf,
  setNewPassword,
  tryPassword,
  tryPin,
} from "../../support/requests/accounts.ts";
import type { TestAnswer } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { askForPin, deliverPins, newestPin, otherPin, storedPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith, signInAs } from "../../support/requests/sessions.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "a harbour before dawn";
const refresher = "refresher@example.com";
const logins = Array.from({ length: usualOrFull(6, 10) }, (_, index) => `racer-${index}@example.com`);

beforeAll(async () => {
  await rotate();
  await store([
    ...logins.map((email, index) => userLine(10 + index, { email })),
    userLine(40, { email: "guessed@example.com" }),
    userLine(42, { email: refresher, password }),
    userLine(43, { email: "resetter@example.com", password }),
  ]);
});

beforeEach(() => forgetLimits(service));

/** Pins other than the one that was sent. */
function wrongPins(pin: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => otherPin(pin, 1 + index));
}

function statuses(answers: readonly TestAnswer[]): Record<number, number> {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

const guesses = usualOrFull(30, 200);

test(`D10: of ${guesses} parallel wrong pins for one login by as many addresses 20 count, and the right one is then refused`, async () => {
  const name = "guessed@example.com";
  const pin = await askForPin(service, name);
  const answers = await Promise.all(wrongPins(pin, guesses).map((wrong) => tryPin(name, wrong)));
  expect(statuses(answers)).toEqual({ 422: guesses });
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(["pin_invalid"]));
  expect(await storedPin(name)).toMatchObject({ tries: 20 });
  expectProblem(await tryPin(name, pin), 422, "pin_invalid");
}, 180_000);

test(`D10: ${logins.length} logins at once: each counts its own tries, and those that were not used up still open`, async () => {
  await Promise.all(logins.map((name) => askPin(name)));
  await deliverPins();
  const pins = logins.map((name) => newestPin(service.inbox, name));
  // Even logins are tried 4 times, odd ones 25 times, all mixed and from one address.
  const tries = logins.flatMap((name, index) =>
    wrongPins(pins[index] ?? "", index % 2 ? 25 : 4).map((pin) => ({ name, pin })),
  );
  await Promise.all(tries.map(({ name, pin }) => tryPin(name, pin, { from: "198.51.100.1" })));
  for (const [index, name] of logins.entries()) {
    expect((await storedPin(name))?.tries, name).toBe(index % 2 ? 20 : 4);
    const neighbour = pins[(index + 2) % logins.length] ?? "";
    const answer = await tryPin(name, pins[index] ?? "", { from: "198.51.100.1" });
    expect(answer.status, name).toBe(index % 2 ? 422 : 200);
    if (answer.status === 200) expect(answer.body.user.email).toBe(name);
    expect((await tryPin(name, neighbour)).status).toBe(422);
  }
}, 60_000);

const refreshes = usualOrFull(40, 100);

test(`D5: ${refreshes} parallel refreshes with one token get one successor, and end no session`, async () => {
  const [other, { refresh_token }] = [await signInAs(refresher, password), await signInAs(refresher, password)];
  const answers = await Promise.all(Array.from({ length: refreshes }, () => refreshWith(refresh_token)));
  expect(statuses(answers)).toEqual({ 200: refreshes });
  const successors = new Set(answers.map(({ body }) => body.token.refresh_token));
  expect(successors.size).toBe(1);
  expect((await refreshWith([...successors][0])).status).toBe(200);
  // Another session of the same user goes on.
  expect((await refreshWith(other.refresh_token)).status).toBe(200);
});

test("D14: of 20 parallel new passwords with one reset token exactly one is set", async () => {
  const name = "resetter@example.com";
  const token = await resetTokenOf(service, name);
  const secrets = Array.from({ length: 20 }, (_, index) => `a harbour at noon ${index}`);
  const answers = await Promise.all(secrets.map((secret) => setNewPassword(token, secret)));
  expect(statuses(answers)).toEqual({ 200: 1, 422: 19 });
  const set = secrets[answers.findIndex(({ status }) => status === 200)] ?? "";
  const outcomes = [];
  for (const secret of [set, secrets.find((secret) => secret !== set) ?? "", password]) {
    outcomes.push((await tryPassword(name, secret)).status);
  }
  expect(outcomes).toEqual([200, 401, 401]);
}, 40_000);

test("D11, D16: of 20 parallel registrations of one login one has a pin sent, which makes one user", async () => {
  const name = "newcomer@example.com";
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => register(name, { password: `a harbour at dusk ${index}` })),
  );
  expect(statuses(answers)).toEqual({ 200: 20 });
  await deliverPins();
  expect(service.inbox.entries().filter(({ to }) => to === name)).toHaveLength(1);
  const pin = newestPin(service.inbox, name);
  const confirmed = await Promise.all(Array.from({ length: 20 }, () => tryPin(name, pin)));
  expect(statuses(confirmed)).toEqual({ 200: 1, 422: 19 });
  expect(await usersOf(name)).toHaveLength(1);
}, 40_000);

async function usersOf(name: string): Promise<unknown[]> {
  const items: { sk?: string; record?: { email?: string } }[] = await allItems();
  return items.filter(({ sk, record }) => sk === "USER" && record?.email === name);
}
