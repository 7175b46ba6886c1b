import { afterEach, beforeEach, expect, test } from "vitest";
import { handler as registerHandler } from "../../../functions/accounts/register-user.ts";
import { registerUser } from "../../../shared/contract/accounts.ts";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, setNewPassword, tryPassword, tryPin } from "../../support/requests/accounts.ts";
import { call } from "../../support/requests/call.ts";
import { deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

// The owner and a stranger are behind one address. While the owner acts the clock stands still: "at once" is the same moment.
const service = useService();
const password = "seven quiet harbours";
/** Another for each test: the limits of one outlast it. */
let from: string;
let login: string;
/** The refresh token of a device that the owner has used before. */
let proof: string;

useSigningKey();
useOwnUser((id, own) => {
  [login, from] = [own, `198.51.100.${id % 256}`];
  return { password };
});

beforeEach(async () => {
  at("2026-05-01T08:00:00.000");
  service.inbox.clear();
  proof = (await tryPassword(login, password)).body.token.refresh_token;
});
afterEach(() => deliverPins());

/** The neighbour asks for a pin every minute: of the owner's login and of others. */
async function burnRequests() {
  for (let minute = 10; minute < 50; minute += 1) {
    at(`2026-05-01T08:${minute}:00.000`);
    const isOwners = minute % 4 === 0;
    await askPin(isOwners ? login : `other-${minute}@example.com`, { from });
    if (isOwners) await deliverPins();
  }
}

/** The neighbour tries pins of the owner's login. */
async function burnTries(count: number) {
  const pin = newestPin(service.inbox, login);
  for (let index = 1; index <= count; index += 1) await tryPin(login, otherPin(pin, index), { from });
}

/** The neighbour tries passwords of the owner's login until it is refused. */
async function burnPasswords() {
  for (let index = 0; index < 61; index += 1) {
    if ((await tryPassword(login, "not the password", { from })).status === 429) return;
  }
  throw new Error("A stranger may try as many passwords as it likes");
}

/** The owner asks, reads the newest message, and sends its pin. */
async function recover(client: { from: string; proof?: string }): Promise<string> {
  expect((await askPin(login, client)).status).toBe(200);
  await deliverPins();
  const confirmed = await tryPin(login, newestPin(service.inbox, login), client);
  expect(confirmed.status).toBe(200);
  return confirmed.body.user.reset_password_token;
}

const owners = ["a mailbox", "a mailbox and a device used before"] as const;
const clientOf = (owner: (typeof owners)[number]) => (owner === "a mailbox" ? { from } : { from, proof });

test.each(owners)("D11: after a neighbour's 40 requests for pins, an owner with %s recovers at once", async (owner) => {
  await burnRequests();
  const token = await recover(clientOf(owner));
  expect((await setNewPassword(token, "eight loud harbours", {}, from)).status).toBe(200);
});

test.each(owners)("D10: after 5 wrong pins of a neighbour, the pin of an owner with %s counts", async (owner) => {
  await askPin(login, clientOf(owner));
  await deliverPins();
  await burnTries(5);
  expect((await tryPin(login, newestPin(service.inbox, login), clientOf(owner))).status).toBe(200);
});

test.each(
  owners,
)("D10: after 45 wrong pins of a neighbour, an owner with %s gets another pin, and it counts", async (owner) => {
  await askPin(login, clientOf(owner));
  await deliverPins();
  await burnTries(45);
  await recover(clientOf(owner));
});

test("D16: a neighbour who registers the owner's login replaces no pin of it", async () => {
  await askPin(login, { from });
  await deliverPins();
  const pin = newestPin(service.inbox, login);
  for (let minute = 1; minute <= 9; minute += 2) {
    at(`2026-05-01T08:0${minute}:00.000`);
    const user = { login, password: "eight loud harbours", first_name: "Robin", last_name: "Field" };
    expect((await call(registerHandler, registerUser, { body: { user }, from })).status).toBe(200);
    await deliverPins();
  }
  expect((await tryPin(login, pin, { from })).status).toBe(200);
});

test("D15: after all of a neighbour's passwords, requests and tries, a device used before signs in", async () => {
  await burnRequests();
  await burnTries(45);
  await burnPasswords();
  expect((await tryPassword(login, password, { from, proof })).status).toBe(200);
});

test("D10, D15: after all of these, a pin from the mailbox lets the owner in, with the password they have", async () => {
  await burnRequests();
  await burnTries(45);
  await burnPasswords();
  const token = await recover({ from });
  expect((await tryPassword(login, password, { from, proof: token })).status).toBe(200);
});

test("D15: an owner who signs in behind the same address gives a neighbour's passwords nothing back", async () => {
  let compared = 0;
  for (let hour = 10; hour < 16; hour += 1) {
    at(`2026-05-01T${hour}:00:00.000`);
    for (let tries = 0; tries < 10; tries += 1) {
      compared += Number((await tryPassword(login, "not the password", { from })).status === 401);
    }
    expect((await tryPassword(login, password, { from, proof })).status).toBe(200);
  }
  expect(compared).toBeLessThanOrEqual(20);
});

test(
  "D10, D11, D15: a site behind one address: each asks for a pin, mistypes it, uses it, and signs in with a new password",
  async () => {
    const people = Array.from({ length: usualOrFull(32, 500) }, (_, index) => `site-${index}@example.com`);
    await store(people.map((email, index) => userLine(5_000 + index, { email })));
    const refused: string[] = [];
    for (const person of people) {
      const asked = await askPin(person, { from });
      await deliverPins();
      const pin = newestPin(service.inbox, person);
      await tryPin(person, otherPin(pin), { from });
      const confirmed = await tryPin(person, pin, { from });
      const set = await setNewPassword(
        confirmed.body.user?.reset_password_token ?? "",
        "eight loud harbours",
        {},
        from,
      );
      await tryPassword(person, "eight loud harbour", { from });
      const signedIn = await tryPassword(person, "eight loud harbours", { from });
      const statuses = [asked, confirmed, set, signedIn].map(({ status }) => status);
      if (statuses.some((status) => status !== 200)) refused.push(`${person} ${statuses}`);
    }
    expect(refused).toEqual([]);
  },
  usualOrFull(30_000, 300_000),
);
