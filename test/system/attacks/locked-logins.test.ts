import { beforeEach, expect, test } from "vitest";
import { at, useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { askPin, tryPassword, tryPin } from "../../support/requests/accounts.ts";
import { deliverPins, newestPin } from "../../support/requests/pins.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
let login: string;

useSigningKey();
useOwnUser((_, own) => {
  login = own;
  return { password };
});
beforeEach(() => at("2026-05-01T09:00:00.000"));

/** Tries a wrong password from each of so many addresses until it is refused; gives how many were compared. */
async function failFrom(addresses: number): Promise<number> {
  let compared = 0;
  for (let index = 0; index < addresses; index += 1) {
    const client = { from: `198.51.100.${index}` };
    while ((await tryPassword(login, "not the password", client)).status === 401) compared += 1;
  }
  return compared;
}

test("D15: two addresses that fail as often as they may keep no third one out", async () => {
  expect(await failFrom(2)).toBe(40);
  expect((await tryPassword(login, password)).status).toBe(200);
});

test("D15: three addresses close a login to clients without a proof until the day ends; the refusal names the way out", async () => {
  const proof = (await tryPassword(login, password)).body.token.refresh_token;
  expect(await failFrom(4)).toBe(60);
  const refused = await tryPassword(login, password);
  expectProblem(refused, 429, "too_many_requests");
  expect(refused.headers["retry-after"]).toBe(String(15 * 3_600));
  expect(refused.body.detail).toMatch(/\bpin\b/);
  expect((await tryPassword(login, password, { proof })).status).toBe(200);
  at("2026-05-02T00:00:00.000");
  expect((await tryPassword(login, password)).status).toBe(200);
});

test("D10, D15: a pin alone lets the owner of a closed login in, with the password they have, for an hour", async () => {
  await failFrom(4);
  await askPin(login);
  await deliverPins();
  const confirmed = await tryPin(login, newestPin(service.inbox, login));
  const proof = confirmed.body.user.reset_password_token;
  expect((await tryPassword(login, password, { proof })).status).toBe(200);
  at("2026-05-01T09:59:59.999");
  expect((await tryPassword(login, password, { proof })).status).toBe(200);
  at("2026-05-01T10:01:00.000");
  expect((await tryPassword(login, password, { proof })).status).toBe(429);
});
