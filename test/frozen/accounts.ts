import { queueEvent, requireStatus } from "./events.ts";
import { secretsOfUsers } from "./lines.ts";
import type { Actor, Answered, Held, Left, Release } from "./release.ts";

const { password } = secretsOfUsers;
const [operator, client, second] = ["operator@example.com", "client@example.com", "second@example.com"] as const;
const driverPhone = "+447400123456";

/** Sessions, throttles, pins, registrations, new passwords: all that users do with their accounts. */
export async function useAccounts(release: Release): Promise<{
  readonly held: Pick<Held, "refreshToken" | "spentRefreshToken" | "pins" | "resetToken">;
  readonly messages: Pick<Left["messages"], "pins">;
}> {
  await release.call("sign-in", { body: { user: { login: client, password: "not this harbour" } } });
  const { refresh_token: spentRefreshToken } = await signIn(release);
  const refreshed = await release.call("refresh-token", { body: { token: { refresh_token: spentRefreshToken } } });
  const { refresh_token: refreshToken } = await signIn(release);
  requireStatus(refreshed, 200);

  const pins = [
    { login: operator, pin: await askForPin(release, operator) },
    { login: "robin@example.com", pin: await register(release, "robin@example.com") },
  ];
  requireStatus(await confirm(release, operator, [...(pins[0]?.pin ?? "")].map(otherDigit).join("")), 422);
  await confirmNew(release, "kim@example.com", await register(release, "kim@example.com"));
  const resetToken = await confirmNew(release, driverPhone, await askForPin(release, driverPhone));
  await changePassword(release, await confirmNew(release, client, await askForPin(release, client)));
  await registerDevices(release);
  requireStatus(await release.call("export-own-data", { as: deviceOwner }), 200);
  return {
    held: { refreshToken, spentRefreshToken, pins, resetToken },
    messages: { pins: await leavePins(release) },
  };
}

async function signIn(release: Release): Promise<{ refresh_token: string }> {
  const answer = await release.call("sign-in", { body: { user: { login: operator, password } } });
  requireStatus(answer, 200);
  return answer.body.token;
}

async function askForPin(release: Release, login: string): Promise<string> {
  requireStatus(await release.call("request-password-reset", { body: { user: { login } } }), 200);
  return deliverPin(release, login);
}

async function register(release: Release, login: string): Promise<string> {
  requireStatus(await requestRegistration(release, login), 200);
  return deliverPin(release, login);
}

function requestRegistration(release: Release, login: string): Promise<Answered> {
  const user = { login, password, first_name: "Robin", last_name: "Field" };
  return release.call("register-user", { body: { user } });
}

async function deliverPin(release: Release, login: string): Promise<string> {
  await release.work("deliver-pin", queueEvent(await release.takeMessages("pins")));
  return release.newestPin(login);
}

function otherDigit(digit: string): number {
  return (Number(digit) + 1) % 10;
}

function confirm(release: Release, login: string, pin: string): Promise<Answered> {
  return release.call("confirm-login", { query: { login, pin } });
}

/** Confirms a login; gives the reset token. */
async function confirmNew(release: Release, login: string, pin: string): Promise<string> {
  const answer = await confirm(release, login, pin);
  requireStatus(answer, 200);
  return answer.body.user.reset_password_token;
}

async function changePassword(release: Release, reset_password_token: string): Promise<void> {
  const user = { reset_password_token, password, password_confirmation: password };
  requireStatus(await release.call("set-password", { body: { user } }), 200);
}

const deviceOwner: Actor = { id: 2, role: "operator", company_id: 1 };

async function registerDevices(release: Release): Promise<void> {
  const phone = { token: "a".repeat(64), platform: "android", device_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7" };
  for (const notification of [phone, { token: "b".repeat(64), platform: "ios" }]) {
    requireStatus(await release.call("register-device-token", { as: deviceOwner, body: { notification } }), 200);
  }
}

/** Requests for pins that wait in the queue. */
async function leavePins(release: Release): Promise<readonly unknown[]> {
  requireStatus(await release.call("request-password-reset", { body: { user: { login: second } } }), 200);
  requireStatus(await requestRegistration(release, "sam@example.com"), 200);
  return release.takeMessages("pins");
}
