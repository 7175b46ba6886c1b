import { afterEach, beforeEach, expect, test } from "vitest";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import {
  askPin,
  type Client,
  requestPin,
  setNewPassword,
  tryPassword,
  tryPin,
} from "../../support/requests/accounts.ts";
import { deliverPins, newestPin, otherPin } from "../../support/requests/pins.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

// The owner and a stranger are behind one address. While the owner acts the clock stands still: "at once" is the same moment.
const service = useService();
const [password, newPassword] = ["seven quiet harbours", "eight loud harbours"];
const mostMs = usualOrFull(30_000, 300_000);
/** Another for each test: the limits of one outlast it. */
let from: string;
/** The refresh token of a device that the owner has used before. */
let proof: string;

useSigningKey();
const own = useOwnUser(() => ({ password }));

beforeEach(async () => {
  from = `198.51.100.${own.id % 256}`;
  at("2026-05-01T08:00:00.000");
  service.inbox.clear();
  proof = (await tryPassword(own.login, password)).body.token.refresh_token;
});
afterEach(() => deliverPins());

/** The neighbour asks for a pin every minute: of the owner's login and of others. */
async function burnRequests() {
  for (let minute = 10; minute < usualOrFull(26, 50); minute += 1) {
    at(`2026-05-01T08:${minute}:00.000`);
    if (minute % 4 === 0) await requestPin(own.login, { from });
    else await askPin(`other-${minute}@example.com`, { from });
  }
}

/** The neighbour tries pins of the owner's login. */
async function burnTries(count: number) {
  const pin = newestPin(service.inbox, own.login);
  for (let index = 1; index <= count; index += 1) await tryPin(own.login, otherPin(pin, index), { from });
}

/** The neighbour tries passwords of the owner's login until it is refused. */
async function burnPasswords() {
  for (let index = 0; index < 61; index += 1) {
    if ((await tryPassword(own.login, "not the password", { from })).status === 429) return;
  }
  throw new Error("A stranger may try as many passwords as it likes");
}

/** The owner asks, reads the newest message, and sends its pin. */
async function recover(client: Client): Promise<string> {
  expect((await requestPin(own.login, client)).status).toBe(200);
  const confirmed = await tryPin(own.login, newestPin(service.inbox, own.login), client);
  expect(confirmed.status).toBe(200);
  return confirmed.body.user.reset_password_token;
}

test(
  "D10, D11, D15: after a neighbour's requests, pins and passwords, a device used before or another pin lets the owner in",
  async () => {
    await burnRequests();
    await burnTries(25);
    await burnPasswords();
    expect((await tryPassword(own.login, password, { from, proof })).status).toBe(200);
    const token = await recover({ from });
    expect((await tryPassword(own.login, password, { from, proof: token })).status).toBe(200);
  },
  mostMs,
);

test(
  "D10, D11, D15: a site behind one address: each asks for a pin, mistypes it, uses it, and signs in with a new password",
  async () => {
    const people = Array.from({ length: usualOrFull(12, 500) }, (_, index) => `site-${index}@example.com`);
    await store(people.map((email, index) => userLine(5_000 + index, { email })));
    const refused: string[] = [];
    for (const person of people) {
      const asked = await requestPin(person, { from });
      const pin = newestPin(service.inbox, person);
      await tryPin(person, otherPin(pin), { from });
      const confirmed = await tryPin(person, pin, { from });
      const set = await setNewPassword(confirmed.body.user?.reset_password_token ?? "", newPassword, {}, from);
      await tryPassword(person, "eight loud harbour", { from });
      const signedIn = await tryPassword(person, newPassword, { from });
      const statuses = [asked, confirmed, set, signedIn].map(({ status }) => status);
      if (statuses.some((status) => status !== 200)) refused.push(`${person} ${statuses}`);
    }
    expect(refused).toEqual([]);
  },
  mostMs,
);
