import { describe, expect, test } from "vitest";
import { rotateSession } from "../../functions/sessions/refresh-token.ts";
import {
  endedAt,
  endSessionFamily,
  findSession,
  makeFamily,
  makeRefreshToken,
  makeSeed,
  openSession,
  type StoredSession,
  sessionKey,
} from "../../shared/people/sessions.ts";
import { testChange } from "../support/records/contexts.ts";
import { costOf } from "../support/records/costs.ts";
import { contentOf } from "../support/records/items.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

useService();

const opened = new Date("2026-05-01T09:00:00.000Z");
const ends = new Date("2026-05-31T09:00:00.000Z");
const aMinuteLater = new Date(opened.getTime() + 60_000);
const epoch = 3;

async function newSession(): Promise<string> {
  const family = makeFamily(opened);
  await openSession(7, family, makeSeed(), epoch, opened);
  return family;
}

async function stored(family: string): Promise<StoredSession> {
  const session = await findSession(7, family);
  if (!session) throw new Error("There is no session");
  return session;
}

/** The outcome of a genuine token, by the session as it is stored. */
async function rotate(family: string, n: number, now = opened, inEpoch = epoch) {
  return rotateSession({ userId: 7, family, n }, await stored(family), inEpoch, now);
}

async function contentAt(family: string) {
  return contentOf((await readItem(sessionKey(7, family))) ?? {});
}

test("D5: a session keeps its number, its seed, the user's epoch and its end, and nothing that makes a token without the key", async () => {
  const family = await newSession();
  const item = await readItem(sessionKey(7, family));
  expect(contentOf(item ?? {})).toEqual({
    ...sessionKey(7, family),
    n: 1,
    seed: expect.stringMatching(/^[\w-]{22}$/),
    epoch,
    opened_at: opened.toISOString(),
    renewed_at: opened.toISOString(),
    valid_to: ends.toISOString(),
    expires_at: ends.getTime() / 1000 + 60 * 86_400,
    schema_version: 1,
  });
  const token = makeRefreshToken({ userId: 7, family, n: 1 }, String(item?.seed), hmacKeyOf("k".repeat(64)));
  expect(JSON.stringify(item)).not.toContain(token.split(".")[4]);
});

test("D5: a session is renewed in one write unit", async () => {
  const family = await newSession();
  const session = await stored(family);
  const cost = await costOf(() => rotateSession({ userId: 7, family, n: 1 }, session, epoch, opened));
  expect(cost).toEqual({ readUnits: 0, writeUnits: 1, sequentialTrips: 1 });
});

describe("D5: a spent token", () => {
  test("is repeated in no session that was ended, has expired or is of an earlier epoch or of nobody, and is reused in each", async () => {
    const family = await newSession();
    await rotate(family, 1);
    for (const inEpoch of [epoch + 1, undefined]) {
      const session = await stored(family);
      for (const [now, outcome] of [
        [opened, "refused"],
        [aMinuteLater, "reused"],
      ] as const) {
        expect(await rotateSession({ userId: 7, family, n: 1 }, session, inEpoch, now)).toBe(outcome);
      }
    }
    await endSessionFamily(7, family, testChange());
    expect(await rotate(family, 1)).toBe("refused");
    expect(await rotate(family, 1, aMinuteLater)).toBe("reused");
    expect(await rotate(family, 2, ends)).toBe("refused");
  });

  test("older than the last is refused for a minute after the last renewal, however old, and reused from then on", async () => {
    const family = await newSession();
    for (let n = 1; n <= 4; n += 1) await rotate(family, n, new Date(opened.getTime() + n * 30_000));
    const renewedAt = opened.getTime() + 120_000;
    const fates = async (ms: number) =>
      Promise.all([1, 2, 3, 4].map((n) => rotate(family, n, new Date(renewedAt + ms))));
    expect(await fates(0)).toEqual(["refused", "refused", "refused", "repeated"]);
    expect(await fates(59_999)).toEqual(["refused", "refused", "refused", "repeated"]);
    expect(await fates(60_000)).toEqual(["reused", "reused", "reused", "reused"]);
    expect(await rotate(family, 5, new Date(renewedAt + 60_000))).toBe("renewed");
  });

  test("is judged by the session as it is, if others have moved it since it was read", async () => {
    const family = await newSession();
    const session = await stored(family);
    const late = (now = opened) => rotateSession({ userId: 7, family, n: 1 }, session, epoch, now);
    await rotate(family, 1);
    expect(await late()).toBe("repeated");
    await rotate(family, 2);
    expect(await late()).toBe("refused");
    expect(await late(aMinuteLater)).toBe("reused");
    const other = await newSession();
    const read = await stored(other);
    await endSessionFamily(7, other, testChange());
    expect(await rotateSession({ userId: 7, family: other, n: 1 }, read, epoch, opened)).toBe("refused");
  });
});

test("D5, D10: a session that was ended keeps its number and seed as a proof, which no request brings back, even of before", async () => {
  const family = await newSession();
  const { seed } = await stored(family);
  await endSessionFamily(7, family, testChange());
  for (const now of [opened, new Date(opened.getTime() - 10_000)]) expect(await rotate(family, 1, now)).toBe("refused");
  await endSessionFamily(7, family, testChange());
  expect(await contentAt(family)).toMatchObject({ n: 1, seed, epoch, valid_to: endedAt });
});

test("D5: ending a session that is not there makes none", async () => {
  expect(await endSessionFamily(7, "f".repeat(22), testChange())).toBe(false);
  expect(await readItem(sessionKey(7, "f".repeat(22)))).toBeUndefined();
});

test("D5: a session that is gone since it was read is not made again", async () => {
  const session = await stored(await newSession());
  const gone = { userId: 7, family: "f".repeat(22), n: 1 };
  expect(await rotateSession(gone, session, epoch, opened)).toBe("refused");
  expect(await readItem(sessionKey(7, gone.family))).toBeUndefined();
});
