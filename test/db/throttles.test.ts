import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { guesserOf } from "../../shared/accounts/requester.ts";
import { askForPin } from "../../shared/db/accounts/pin-requests.ts";
import { countAttempt, forgetAttempts, refundAttempt, type Throttle } from "../../shared/db/accounts/throttles.ts";
import { hashSubject } from "../../shared/domain/guessing/throttle.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { costOf } from "../support/records/costs.ts";
import { faultsOf } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

const service = useService();
const start = new Date("2026-05-01T09:00:00.000Z");

function afterwards(milliseconds: number): Date {
  return new Date(start.getTime() + milliseconds);
}

/** A throttle of its own for each test. */
function newThrottle(most: number, withinMinutes: number): Throttle {
  return { rule: `rule-${crypto.randomUUID()}`, limits: [{ most, withinMinutes }] };
}

async function storedOf({ rule }: Throttle) {
  const scan = new ScanCommand({ TableName: service.tableName, ConsistentRead: true });
  const { Items = [] } = await service.database.send(scan);
  return Items.filter(({ pk }) => String(pk).startsWith(`THROTTLE#${rule}#`));
}

test("D10: attempts up to the limit are counted, the next is refused until the window is over, to the millisecond", async () => {
  const attempt = { throttle: newThrottle(2, 10), subjectHash: "ines@example.com" };
  await countAttempt(attempt, start);
  await countAttempt(attempt, afterwards(60_000));
  expect(await faultsOf(() => countAttempt(attempt, afterwards(599_999)))).toEqual(["too_many_requests"]);
  await countAttempt(attempt, afterwards(600_000));
  expect(await faultsOf(() => countAttempt(attempt, afterwards(600_001)))).toEqual(["too_many_requests"]);
});

test("D11: a refusal gives the wait in whole minutes, and does not make it longer", async () => {
  const attempt = { throttle: newThrottle(1, 10), subjectHash: "ines@example.com" };
  await countAttempt(attempt, start);
  for (const [later, wait] of [
    [0, 600],
    [1, 600],
    [60_000, 540],
    [599_999, 60],
  ] as const) {
    const refused = countAttempt(attempt, afterwards(later));
    await expect(refused).rejects.toMatchObject({
      code: "too_many_requests",
      facts: { retryAfterSeconds: wait },
    });
  }
  await countAttempt(attempt, afterwards(600_000));
});

test("D19: a throttle may name the code of its refusals", async () => {
  const throttle: Throttle = { ...newThrottle(1, 15), refusal: "passcode_locked" };
  await countAttempt({ throttle, subjectHash: "7" }, start);
  expect(await faultsOf(() => countAttempt({ throttle, subjectHash: "7" }, start))).toEqual(["passcode_locked"]);
});

test("D10: subjects and rules are counted apart", async () => {
  const [one, other] = [newThrottle(1, 10), newThrottle(1, 10)];
  await countAttempt({ throttle: one, subjectHash: "a" }, start);
  await countAttempt({ throttle: one, subjectHash: "b" }, start);
  await countAttempt({ throttle: other, subjectHash: "a" }, start);
  expect(await faultsOf(() => countAttempt({ throttle: one, subjectHash: "a" }, start))).toHaveLength(1);
});

test("D11: a request that one subject has no capacity for is counted for none", async () => {
  const [one, other] = [
    { throttle: newThrottle(1, 10), subjectHash: "2001:db8::7" },
    { throttle: newThrottle(2, 10), subjectHash: "2001:db8::" },
  ];
  const ask = async (moment: Date, throttled = [one, other]) => {
    const guesser = await guesserOf(`${crypto.randomUUID()}@example.com`, { address: "2001:db8::7", isKnown: false });
    return faultsOf(() => askForPin(guesser, { requestId: crypto.randomUUID(), registers: false, throttled }, moment));
  };
  expect(await ask(start)).toEqual([]);
  for (let index = 0; index < 5; index += 1) expect(await ask(afterwards(index))).toEqual(["too_many_requests"]);
  const [counted] = await storedOf(other.throttle);
  expect(counted?.attempts).toEqual([start.getTime()]);
  expect(await ask(afterwards(1), [other])).toEqual([]);
});

test("D10: of 40 attempts at once exactly as many are let through as the limit says", async () => {
  const attempt = { throttle: newThrottle(5, 10), subjectHash: "ines@example.com" };
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => faultsOf(() => countAttempt(attempt, start))));
  expect(outcomes.filter((faults) => faults.length === 0)).toHaveLength(5);
  expect(new Set(outcomes.flat())).toEqual(new Set(["too_many_requests"]));
  expect((await storedOf(attempt.throttle))[0]?.attempts).toHaveLength(5);
});

test("D10: what is forgotten counts no more, and forgetting nothing is no fault", async () => {
  const attempt = { throttle: newThrottle(1, 10), subjectHash: "ines@example.com" };
  await forgetAttempts(attempt);
  await countAttempt(attempt, start);
  await forgetAttempts(attempt);
  expect(await storedOf(attempt.throttle)).toEqual([]);
  await countAttempt(attempt, start);
});

test("D15: an attempt that is taken back counts no more, the others still do", async () => {
  const attempt = { throttle: newThrottle(2, 10), subjectHash: "203.0.113.7" };
  await refundAttempt(attempt, start);
  await countAttempt(attempt, start);
  await countAttempt(attempt, start);
  await refundAttempt(attempt, start);
  await refundAttempt(attempt, afterwards(1));
  await countAttempt(attempt, afterwards(2));
  expect(await faultsOf(() => countAttempt(attempt, afterwards(3)))).toEqual(["too_many_requests"]);
  expect((await storedOf(attempt.throttle))[0]?.attempts).toEqual([start.getTime(), start.getTime() + 2]);
});

test("D15: of 20 attempts at once as many are left as were not taken back", async () => {
  const attempt = { throttle: newThrottle(30, 10), subjectHash: "203.0.113.7" };
  const moments = Array.from({ length: 20 }, (_, index) => afterwards(index));
  await Promise.all(
    moments.map(async (moment, index) => {
      await countAttempt(attempt, moment);
      if (index % 2 === 0) await refundAttempt(attempt, moment);
    }),
  );
  expect((await storedOf(attempt.throttle))[0]?.attempts).toHaveLength(10);
});

test("the store holds neither login nor address, and drops the attempts once no limit looks at them", async () => {
  const throttle: Throttle = {
    rule: `rule-${crypto.randomUUID()}`,
    limits: [
      { most: 9, withinMinutes: 1 },
      { most: 9, withinMinutes: 60 },
    ],
  };
  for (const subject of ["ines@example.com", "203.0.113.7"]) {
    await countAttempt({ throttle, subjectHash: hashSubject(throttle.rule, subject, await hmacKey()) }, start);
  }
  const items = await storedOf(throttle);
  expect(items).toHaveLength(2);
  expect(JSON.stringify(items)).not.toMatch(/ines|203\.0/);
  for (const { expires_at } of items) expect(expires_at).toBe(afterwards(3_600_000).getTime() / 1000);
});

test("H1: an attempt costs half a read unit and a write unit, in two round trips", async () => {
  const cost = await costOf(() => countAttempt({ throttle: newThrottle(3, 10), subjectHash: "login" }, start));
  expect(cost).toMatchObject({ readUnits: 0.5, writeUnits: 1, sequentialTrips: 2 });
});

test("D19: 100 attempts in a row close a throttle whatever the windows, until they are forgotten or at another secret", async () => {
  const throttle: Throttle = { ...newThrottle(1_000, 1), closing: { streak: 100, reason: "Closed" } };
  const attempt = { throttle, subjectHash: "7", secret: "one" };
  const moment = (index: number) => afterwards(index * 3_600_000);
  for (let index = 0; index < 100; index += 1) await countAttempt(attempt, moment(index));
  await expect(countAttempt(attempt, moment(200))).rejects.toMatchObject({ facts: { retryAfterSeconds: 86_400 } });
  await countAttempt({ ...attempt, secret: "two" }, moment(200));
  await forgetAttempts(attempt);
  await countAttempt(attempt, moment(201));
});
