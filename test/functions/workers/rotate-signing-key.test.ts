import { decodeProtectedHeader } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as getProfileHandler } from "../../../functions/accounts/get-profile.ts";
import { handler as getKeySetHandler } from "../../../functions/service/get-key-set.ts";
import { handler } from "../../../functions/workers/rotate-signing-key.ts";
import { getProfile } from "../../../shared/contract/accounts.ts";
import { getKeySet } from "../../../shared/contract/service.ts";
import type { Key } from "../../../shared/table/table.ts";
import { deleteItemAt } from "../../../shared/table/writes.ts";
import { issueTokens, signAccessToken } from "../../../shared/tokens/access.ts";
import { readSigningKeys, writeSigningKeys } from "../../../shared/tokens/keys.ts";
import { allItems } from "../../support/records/items.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import { testKeyId } from "../../support/tokens/tokens.ts";

const service = useService();
const user = { id: 10, role: "operator", financial_company_id: 1 } as const;
const [second, minute, day] = [1_000, 60_000, 86_400_000];
let year = 2030;
let first = 0;

beforeAll(() => store([userLine(10)]));
beforeEach(async () => {
  // Each test starts without a key, in a year of its own: what is kept of an earlier one must not count.
  year += 1;
  first = Date.UTC(year, 0, 1);
  await writeSigningKeys([]);
  await unpublishKeys();
  vi.useFakeTimers({ now: first, toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

async function unpublishKeys() {
  const keys = (await allItems(["KEYS"])).filter(({ sk }) => sk !== testKeyId);
  for (const { pk, sk } of keys) await deleteItemAt({ pk, sk } as Key);
}

/** Moves the clock to so many milliseconds after the first key was made. */
function moveTo(milliseconds: number) {
  vi.setSystemTime(first + milliseconds);
}

/** Has the first key made, and the next one after so many days; gives the first one's id. */
async function rotateAfter(days = 30): Promise<string | undefined> {
  await handler();
  const [one] = await publishedIds();
  moveTo(days * day);
  await handler();
  return one;
}

async function publishedIds(): Promise<string[]> {
  const { keys } = (await call(getKeySetHandler, getKeySet)).body;
  return keys.map(({ kid }: { kid: string }) => kid).filter((kid: string) => kid !== testKeyId);
}

async function secretIds(): Promise<string[]> {
  return (await readSigningKeys()).map(({ jwk }) => jwk.kid);
}

async function newToken(): Promise<string> {
  return (await issueTokens(user, "f".repeat(22), "refresh", new Date())).access_token;
}

async function signingId(): Promise<string | undefined> {
  return decodeProtectedHeader(await newToken()).kid;
}

function profileWith(token: string) {
  return call(getProfileHandler, getProfile, { headers: { authorization: `Bearer ${token}` } });
}

describe("D6: the first key", () => {
  test("is published and signs at once", async () => {
    await handler();
    const [kid, ...others] = await publishedIds();
    expect(others).toEqual([]);
    expect(await secretIds()).toEqual([kid]);
    expect(await signingId()).toBe(kid);
    expect((await profileWith(await newToken())).status).toBe(200);
  });

  test("stays the only one when it is made again, by the schedule or another deploy", async () => {
    await handler();
    const before = [await publishedIds(), await readSigningKeys()];
    for (const later of [0, minute, 29 * day, 30 * day - 1]) {
      moveTo(later);
      await handler();
      expect([await publishedIds(), await readSigningKeys()]).toEqual(before);
    }
  });

  test("is missing until it is made: a token is a fault then, not a weak token", async () => {
    await expect(newToken()).rejects.toThrow("rotate-signing-key");
  });
});

describe("D6: the next key", () => {
  test.each([
    30, 45,
  ])("is published %i days after the first began to sign, late if the schedule was late, signs 10 minutes later, to the millisecond, and stays if the rotation runs again", async (days) => {
    const one = await rotateAfter(days);
    const [published, keys] = [await publishedIds(), await readSigningKeys()];
    const two = published.find((kid) => kid !== one);
    expect(published).toHaveLength(2);
    // A cache of the key set that was filled before the new key signs has both.
    for (const [later, signs] of [
      [0, one],
      [6 * minute, one],
      [10 * minute - 1, one],
      [10 * minute, two],
      [29 * minute, two],
    ] as const) {
      moveTo(days * day + later);
      expect(await signingId(), `${later}`).toBe(signs);
      expect((await profileWith(await newToken())).status).toBe(200);
      await handler();
      expect([await publishedIds(), await readSigningKeys()]).toEqual([published, keys]);
    }
  });

  test("is made once, also if another environment made it since this one read the secret", async () => {
    await rotateAfter(30 - 1 / 1_440);
    vi.resetModules();
    const other = await import("../../../functions/workers/rotate-signing-key.ts");
    moveTo(30 * day);
    await other.handler();
    await handler();
    expect(await secretIds()).toHaveLength(2);
    expect(await publishedIds()).toHaveLength(2);
  });

  test("is followed by another 30 days after it began to sign, and no sooner", async () => {
    await rotateAfter();
    const before = await secretIds();
    moveTo(60 * day + 10 * minute - 1);
    await handler();
    expect(await secretIds()).toEqual(before);
    moveTo(60 * day + 10 * minute);
    await handler();
    expect(await secretIds()).toEqual([before[1], expect.any(String)]);
    expect(before).not.toContain((await secretIds())[1]);
  });
});

describe("D6: the old key", () => {
  test("verifies its last token until that expires", async () => {
    await rotateAfter();
    moveTo(30 * day + 10 * minute - second);
    const token = await newToken();
    moveTo(30 * day + 25 * minute - second - 1);
    expect((await profileWith(token)).status).toBe(200);
    moveTo(30 * day + 25 * minute - second);
    expectProblem(await profileWith(token), 401, "token_expired");
  });

  test("is published until 20 minutes after the new one signs, to the millisecond", async () => {
    const one = await rotateAfter();
    moveTo(30 * day + 30 * minute - 1);
    expect(await publishedIds()).toContain(one);
    moveTo(30 * day + 30 * minute);
    const left = await publishedIds();
    expect(left).toHaveLength(1);
    expect(left).not.toContain(one);
  });

  test("verifies nothing once its publication has ended and caches are 5 minutes older, however long a token counts", async () => {
    await rotateAfter();
    const longLived = () => signAccessToken(user, "f".repeat(22), new Date(), 3_600);
    const [early, late] = [await longLived(), await longLived()];
    moveTo(30 * day + 30 * minute - 1);
    expect((await profileWith(early)).status).toBe(200);
    moveTo(30 * day + 35 * minute);
    expectProblem(await profileWith(late), 401, "token_invalid");
  });
});

test("D6: a key whose secret could not be stored never signs, and the next run makes one that does", async () => {
  service.endpoints.failNext("PutSecretValue", "InternalServiceError", 10);
  await expect(handler()).rejects.toThrow();
  service.endpoints.failNext("PutSecretValue", "InternalServiceError", 0);
  expect(await secretIds()).toEqual([]);
  await handler();
  expect(await secretIds()).toHaveLength(1);
  expect((await profileWith(await newToken())).status).toBe(200);
});
