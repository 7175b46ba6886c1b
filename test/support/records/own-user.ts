import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { handler as rotateSigningKey } from "../../../functions/workers/rotate-signing-key.ts";
import { companyLine, userLine } from "./records.ts";
import { store } from "./store.ts";

/** Sets the clock to a moment in UTC, such as `2026-05-01T09:00:00.000`. */
export function at(moment: string): void {
  vi.useFakeTimers({ now: new Date(`${moment}Z`), toFake: ["Date"] });
}

/** Makes the key that tokens are signed with, early enough for every clock that a test sets. */
export function useSigningKey(): void {
  beforeAll(async () => {
    at("2026-01-01T00:00:00.000");
    await rotateSigningKey();
    vi.useRealTimers();
  });
}

/** The user of a test. */
export interface OwnUser {
  readonly id: number;
  readonly login: string;
}

/**
 * Gives each test a user of company 1 with a login of its own: a pin asked for at an earlier time does not replace a later
 * one. `more` is given its id and login, and returns what else its import line has. The clock is the real one again after it.
 */
export function useOwnUser(more: (id: number, login: string) => Record<string, unknown> = () => ({})): OwnUser {
  const own = { id: 1_000, login: "" };
  beforeAll(() => store([companyLine(1)]));
  beforeEach(async () => {
    own.id += 1;
    own.login = `user-${own.id}@example.com`;
    await store([userLine(own.id, more(own.id, own.login))]);
  });
  afterEach(() => void vi.useRealTimers());
  return own;
}
