import { expect, test } from "vitest";
import { findPinToSend, holdPin } from "../../functions/workers/deliver-pin.ts";
import { acquireLease } from "../../functions/workers/notify-password-changed.ts";
import { askForPin } from "../../shared/people/ask-for-pin.ts";
import { pinKey } from "../../shared/people/pins.ts";
import { useService } from "../support/service/service.ts";

useService();

const start = Date.parse("2026-05-01T09:00:00.000Z");
const at = (ms: number) => new Date(start + ms);

/** Has somebody ask for a pin at the start; holds it at a moment, as a worker does that has read it. */
async function askedPin() {
  const key = pinKey(crypto.randomUUID(), "PIN");
  const { pin } = await askForPin(key, "request", at(0));
  return async (ms: number): Promise<boolean> => {
    const found = await findPinToSend(key, pin, at(0).toISOString());
    return found !== undefined && (await holdPin(found, pin, at(ms))) !== undefined;
  };
}

test("D11: a pin is held for 45 seconds to the millisecond, by one worker", async () => {
  const hold = await askedPin();
  expect(await hold(0)).toBe(true);
  expect(await hold(45_000)).toBe(false);
  expect(await hold(45_001)).toBe(true);
});

test("D9, D11: a pin is held until its last millisecond, and no longer", async () => {
  expect(await (await askedPin())(12 * 60_000 - 1)).toBe(true);
  expect(await (await askedPin())(12 * 60_000)).toBe(false);
});

test("D11, D14: the lease of a notice lasts 90 seconds to the millisecond", async () => {
  const lease = (ms: number) => acquireLease(8, { kind: "password_changed", at: at(0) }, at(ms));
  await lease(0);
  await expect(lease(90_000)).rejects.toMatchObject({ code: "busy" });
  await expect(lease(90_001)).resolves.toMatchObject({ served: [] });
});
