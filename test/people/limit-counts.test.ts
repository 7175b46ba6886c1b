import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  clientOfSubject,
  countAttempt,
  countFailure,
  countNumberOnce,
  findCount,
  forgetCount,
  giveBack,
  type LimitSubject,
  limitCounts,
  requireBelow,
  subjectOf,
} from "../../shared/people/limits.ts";
import { useNetwork } from "../support/faults/network.ts";
import { costOf } from "../support/records/costs.ts";
import { readItem } from "../support/records/writes.ts";
import { rules } from "../support/requests/limits.ts";
import { useService } from "../support/service/service.ts";

useService();
const network = useNetwork();
const noon = new Date("2026-05-01T12:00:00.000Z");
const midnight = new Date("2026-05-02T00:00:00.000Z");
const endOfHour = new Date("2026-05-01T12:59:59.999Z");

function fresh(name: keyof typeof rules, client?: string): LimitSubject {
  return { rule: rules[name], subject: randomUUID(), ...(client && { client }) };
}

async function takeTimes(limited: LimitSubject, times: number, now = noon): Promise<void> {
  for (let count = 0; count < times; count += 1) await countAttempt(limited, now);
}

/** Runs a write whose first answer is lost, after it was carried out. */
async function interrupted<T>(write: () => Promise<T>, between?: () => Promise<unknown>): Promise<T> {
  network.lose(1, "interrupted", between);
  const outcome = await write();
  expect(network.heal()).toBeDefined();
  return outcome;
}

test.each([
  ["password", noon, 43_200, midnight],
  ["knownPassword", noon, 43_200, midnight],
  ["registration", endOfHour, 60, new Date(endOfHour.getTime() + 1)],
  ["passcode", noon, 43_200, midnight],
] as const)("%s: the limit refuses until its window ends, and then opens", async (rule, now, wait, next) => {
  const limited = fresh(rule);
  const code = rule === "passcode" ? "passcode_locked" : "too_many_requests";
  await takeTimes(limited, rules[rule].most, now);
  await expect(countAttempt(limited, now)).rejects.toMatchObject({ code, facts: { retryAfterSeconds: wait } });
  const lastMoment = new Date(next.getTime() - 1);
  await expect(countAttempt(limited, lastMoment)).rejects.toMatchObject({ code, facts: { retryAfterSeconds: 60 } });
  await countAttempt(limited, next);
  expect([await findCount(limited, now), await findCount(limited, next)]).toEqual([rules[rule].most, 1]);
});

test.each([
  ["registration", 1],
  ["password", 2],
  ["passcodesInRow", 400],
] as const)("%s: a count is kept for %i days", async (rule, days) => {
  const { key } = await countAttempt(fresh(rule), noon);
  expect(await readItem(key)).toMatchObject({ expires_at: noon.getTime() / 1_000 + days * 86_400 });
});

test("of attempts at once no more than the limit get through", async () => {
  const limited = fresh("knownPassword", "a");
  const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => countAttempt(limited, noon)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(rules.knownPassword.most);
});

test("attempts given back at once leave nothing; the last of a client leaves not even its name", async () => {
  const { subject } = fresh("password");
  const attempts = Array.from(
    { length: 24 },
    (_, at): LimitSubject => ({ rule: rules.password, subject, client: `c${at % 4}` }),
  );
  const taken = await Promise.all(attempts.map((limited) => countAttempt(limited, noon)));
  await Promise.all(taken.map(giveBack));
  const key = { pk: `LIMIT#password#${subject}`, sk: "2026-05-01T00:00:00.000Z" };
  const { n, of_c0 = 0, of_c1 = 0, of_c2 = 0, of_c3 = 0 } = (await readItem(key)) ?? {};
  expect([n, of_c0, of_c1, of_c2, of_c3]).toEqual([0, 0, 0, 0, 0]);
  await giveBack(await countAttempt({ rule: rules.password, subject, client: "alone" }, noon));
  expect(await readItem(key)).not.toHaveProperty("of_alone");
});

test("only what was taken is given back: not after it was forgotten", async () => {
  const limited = fresh("password", "a");
  const taken = await countAttempt(limited, noon);
  await forgetCount(limited, noon);
  await giveBack(taken);
  expect(await findCount(limited, noon)).toBe(0);
  expect(await readItem(taken.key)).toBeUndefined();
});

test("what was taken before midnight is given back to its own day", async () => {
  const limited = fresh("password", "a");
  const [last, first] = [new Date(midnight.getTime() - 1), midnight];
  const taken = await countAttempt(limited, last);
  await countAttempt(limited, first);
  await giveBack(taken);
  expect([await findCount(limited, last), await findCount(limited, first)]).toEqual([0, 1]);
});

test("a lost answer counts once; one too many if another write came between", async () => {
  const limited = fresh("password", "a");
  const taken = await interrupted(() => countAttempt(limited, noon));
  expect(await findCount(limited, noon, { consistent: true })).toBe(1);
  await interrupted(
    () => countAttempt(limited, noon),
    () => countAttempt(limited, noon),
  );
  expect(await findCount(limited, noon, { consistent: true })).toBe(4);
  await interrupted(
    () => giveBack(taken),
    () => countAttempt(limited, noon),
  );
  expect(await findCount(limited, noon, { consistent: true })).toBe(4);
  await interrupted(() => countFailure(limited, noon));
  expect(await findCount(limited, noon, { consistent: true })).toBe(5);
});

test("failures in a row have no window, and what is forgotten begins again", async () => {
  const limited = fresh("passcodesInRow");
  expect(await countFailure(limited, noon)).toBe(1);
  expect(await countFailure(limited, midnight)).toBe(2);
  expect(() => requireBelow(rules.passcodesInRow, 99, noon)).not.toThrow();
  expect(() => requireBelow(rules.passcodesInRow, 100, noon)).toThrow(/support of the service/);
  await forgetCount(limited, midnight);
  expect(await findCount(limited, noon)).toBe(0);
});

test("one write unit and no read to take, two to give back, half a read to ask", async () => {
  const limited = fresh("password", "a");
  let taken: Awaited<ReturnType<typeof countAttempt>> | undefined;
  expect(await costOf(async () => (taken = await countAttempt(limited, noon)))).toEqual({
    readUnits: 0,
    writeUnits: 1,
    sequentialTrips: 1,
  });
  expect(await costOf(async () => taken && giveBack(taken))).toEqual({
    readUnits: 0,
    writeUnits: 2,
    sequentialTrips: 1,
  });
  expect(await costOf(() => findCount(limited, noon))).toEqual({ readUnits: 0.5, writeUnits: 0, sequentialTrips: 1 });
});

test("keys hold keyed hashes alone, and a client has another name at each login", async () => {
  const subject = await subjectOf("password", "ines@example.com");
  const client = await clientOfSubject("password", "ines@example.com", "203.0.113.7");
  expect(client).toMatch(/^[0-9a-f]{24}$/);
  expect(client).not.toBe(await clientOfSubject("password", "omar@example.com", "203.0.113.7"));
  const { key } = await countAttempt({ rule: rules.password, subject, client }, noon);
  expect(limitCounts.matches(key)).toBe(true);
  expect(JSON.stringify(await readItem(key))).not.toMatch(/ines|203\.0/);
});

test("a number that grows counts once, however often it comes and in whatever order; above the limit only counted ones pass", async () => {
  const limited = fresh("repeats");
  const outcomes = [];
  for (let number = 1; number <= 21; number += 1) outcomes.push(await countNumberOnce(limited, 2 * number, noon));
  expect(outcomes).toEqual([...Array.from({ length: 20 }, () => true), false]);
  const again = await Promise.all([40, 40, 39, 2, 42].map((number) => countNumberOnce(limited, number, noon)));
  expect(again).toEqual([true, true, true, true, false]);
  expect(await findCount(limited, noon)).toBe(20);
  expect(await countNumberOnce(limited, 42, midnight)).toBe(true);
});

test("50 requests at once count one number once, and a lost answer does not count it twice", async () => {
  const limited = fresh("repeats");
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => countNumberOnce(limited, 7, noon)));
  expect(new Set(outcomes)).toEqual(new Set([true]));
  expect(await interrupted(() => countNumberOnce(limited, 8, noon))).toBe(true);
  expect(
    await interrupted(
      () => countNumberOnce(limited, 9, noon),
      () => countNumberOnce(limited, 10, noon),
    ),
  ).toBe(true);
  expect(await findCount(limited, noon)).toBe(4);
  expect(await costOf(() => countNumberOnce(limited, 11, noon))).toEqual({
    readUnits: 0,
    writeUnits: 1,
    sequentialTrips: 1,
  });
});
