import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { handler as resetHandler } from "../../../functions/accounts/request-password-reset.ts";
import { handler as passwordHandler } from "../../../functions/accounts/set-password.ts";
import { handler as signInHandler } from "../../../functions/sessions/sign-in.ts";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { registerUser, requestPasswordReset, setPassword } from "../../../shared/contract/accounts.ts";
import { signIn } from "../../../shared/contract/sessions.ts";
import { allItems } from "../../support/records/items.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { tryPin } from "../../support/requests/accounts.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { forgetLimits } from "../../support/requests/limits.ts";
import { deliverPins, newestPin, otherPin, storedPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refreshWith } from "../../support/requests/sessions.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "a harbour before dawn";

beforeAll(async () => {
  await rotate();
  await store([
    userLine(40, { email: "guessed@example.com" }),
    userLine(42, { email: "refresher@example.com", password }),
    userLine(43, { email: "resetter@example.com", password }),
  ]);
});

beforeEach(() => forgetLimits(service));

async function freshPin(name: string): Promise<string> {
  await forgetLimits(service);
  expect((await call(resetHandler, requestPasswordReset, { body: { user: { login: name } } })).status).toBe(200);
  await deliverPins();
  return newestPin(service.inbox, name);
}

/** Pins other than the one that was sent. */
function wrongPins(pin: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => otherPin(pin, 1 + index));
}

function register(name: string, secret: string): Promise<TestAnswer> {
  const user = { login: name, password: secret, first_name: "Robin", last_name: "Field" };
  return call(registerHandler, registerUser, { body: { user } });
}

function statuses(answers: readonly TestAnswer[]): Record<number, number> {
  const counted: Record<number, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

const guesses = usualOrFull(30, 200);

test(`D10: of ${guesses} parallel wrong pins for one login by as many addresses 20 count, and the right one is then refused`, async () => {
  const name = "guessed@example.com";
  const pin = await freshPin(name);
  const answers = await Promise.all(wrongPins(pin, guesses).map((wrong) => tryPin(name, wrong)));
  expect(statuses(answers)).toEqual({ 422: guesses });
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(["pin_invalid"]));
  expect(await storedPin(name)).toMatchObject({ tries: 20 });
  expectProblem(await tryPin(name, pin), 422, "pin_invalid");
}, 180_000);

const refreshes = usualOrFull(40, 100);

test(`D5: ${refreshes} parallel refreshes with one token get one successor, and end no session`, async () => {
  const user = { login: "refresher@example.com", password };
  const other = await call(signInHandler, signIn, { body: { user } });
  const signedIn = await call(signInHandler, signIn, { body: { user } });
  const token = signedIn.body.token.refresh_token;
  const answers = await Promise.all(Array.from({ length: refreshes }, () => refreshWith(token)));
  expect(statuses(answers)).toEqual({ 200: refreshes });
  const successors = new Set(answers.map(({ body }) => body.token.refresh_token));
  expect(successors.size).toBe(1);
  expect((await refreshWith([...successors][0])).status).toBe(200);
  // Another session of the same user goes on.
  expect((await refreshWith(other.body.token.refresh_token)).status).toBe(200);
});

test("D14: of 20 parallel new passwords with one reset token exactly one is set", async () => {
  const name = "resetter@example.com";
  const pin = await freshPin(name);
  const { reset_password_token } = (await tryPin(name, pin)).body.user;
  const secrets = Array.from({ length: 20 }, (_, index) => `a harbour at noon ${index}`);
  const answers = await Promise.all(
    secrets.map((secret) => {
      const user = { reset_password_token, password: secret, password_confirmation: secret };
      return call(passwordHandler, setPassword, { body: { user } });
    }),
  );
  expect(statuses(answers)).toEqual({ 200: 1, 422: 19 });
  const set = secrets[answers.findIndex(({ status }) => status === 200)] ?? "";
  const outcomes = [];
  for (const secret of [set, secrets.find((secret) => secret !== set) ?? "", password]) {
    const answer = await call(signInHandler, signIn, { body: { user: { login: name, password: secret } } });
    outcomes.push(answer.status);
  }
  expect(outcomes).toEqual([200, 401, 401]);
}, 40_000);

test("D11, D16: of 20 parallel registrations of one login one has a pin sent, which makes one user", async () => {
  const name = "newcomer@example.com";
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => register(name, `a harbour at dusk ${index}`)),
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
