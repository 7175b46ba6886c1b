import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { forgetGuesses } from "../../infra/tools/service/forget-guesses.ts";
import { findCount } from "../../shared/people/limits.ts";
import { passcodeLimits } from "../../shared/people/passcodes.ts";
import { findAccountWith, secretKey } from "../../shared/people/users.ts";
import { readHmacKeyVersions, writeHmacKeyVersions } from "../../shared/tokens/secrets.ts";
import { useNetwork } from "../support/faults/network.ts";
import { costOf } from "../support/records/costs.ts";
import { callerLine, timesheetLine } from "../support/records/records.ts";
import { readRecord, store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { mark, undo } from "../support/requests/changes.ts";
import { countMore } from "../support/requests/passwords.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { countedMetrics, loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";

useService();
const network = useNetwork();

const passcode = "47110815";
let id = 1_000;

beforeEach(async () => {
  // Each test has a user and a timesheet of its own, both with this id.
  id += 1;
  await store([callerLine(operator(), { passcode }), timesheetLine(id, 1)]);
});
afterEach(() => void vi.useRealTimers());

/** The user with an id. */
function operator(userId = id) {
  return { id: userId, role: "operator", company_id: 1 } as const;
}

const pay = (typed?: unknown, ids = [id]) => mark(operator(), ids, "paid", { passcode: typed });
/** Checks the passcode, and changes nothing. */
const keep = (typed: string) => mark(operator(), [id], "pending", { passcode: typed });

function at(time: string) {
  vi.useFakeTimers({ now: new Date(`2026-05-01T${time}Z`), toFake: ["Date"] });
}

async function miss(times: number) {
  for (let index = 0; index < times; index += 1) expectProblem(await pay("1234"), 403, "passcode_invalid");
}

async function limits() {
  const { hash = "" } = (await findAccountWith("passcode", id)) ?? {};
  return passcodeLimits(id, hash);
}

/** Misses once, and counts the others at once. */
async function missOften(times: number) {
  await miss(1);
  const { ofDay, inRow } = await limits();
  for (const limit of [ofDay, inRow]) await countMore(limit, times - 1);
}

/** The counts of the user's passcode. */
async function counted() {
  const { ofDay, inRow } = await limits();
  const [today, row] = await Promise.all(
    [ofDay, inRow].map((limit) => findCount(limit, new Date(), { consistent: true })),
  );
  return { ofDay: today, inRow: row };
}

async function stateOf(timesheet: number) {
  return (await readRecord("TIMESHEET", timesheet))?.state;
}

describe("200", () => {
  test("D19: the right passcode lets the change through, also as a number", async () => {
    for (const typed of [passcode, Number(passcode)]) expect((await pay(typed)).status).toBe(200);
    expect(await stateOf(id)).toBe("paid");
  });

  test("D19: who has no passcode need not send one, and what they send is ignored", async () => {
    await store([callerLine(operator(), { passcode: null })]);
    for (const typed of [undefined, "1234"]) expect((await pay(typed)).status).toBe(200);
  });

  test("D19: a right passcode takes back its own count and ends the row; the misses of the day stay", async () => {
    await miss(3);
    expect(await counted()).toEqual({ ofDay: 3, inRow: 3 });
    expect((await keep(passcode)).status).toBe(200);
    expect(await counted()).toEqual({ ofDay: 3, inRow: 0 });
    expect(await costOf(() => keep(passcode))).toMatchObject({ writeUnits: 3 });
    await miss(1);
    expect((await pay(passcode)).status).toBe(200);
    expect(await counted()).toEqual({ ofDay: 4, inRow: 0 });
  });

  test.each([
    ["a wrong passcode", "1234", 403, { ofDay: 1, inRow: 1 }],
    ["a right passcode", passcode, 200, { ofDay: 0, inRow: 0 }],
  ])(
    "D19: a lost answer of any call of %s counts nothing twice",
    async (_, typed, status, expected) => {
      for (let lost: string | undefined = "", n = 1; lost !== undefined; n += 1) {
        await forgetGuesses(`user-${id}@example.com`, new Date());
        network.lose(n, "interrupted");
        expect((await pay(typed)).status).toBe(status);
        lost = network.heal();
        expect(await counted(), lost).toEqual(expected);
      }
    },
    60_000,
  );
});

test("D19: a miss is in the row before it is answered, and a right passcode has ended the row, or it is a fault", async () => {
  network.fail("UpdateItem", { status: 400, body: { __type: "ValidationException" } }, 1, 1);
  loggedLines.length = 0;
  expect((await pay("1234")).status).toBe(500);
  expect(await counted()).toEqual({ ofDay: 1, inRow: 0 });
  expect(countedMetrics()).toContainEqual({ PasscodeFailures: 1 });
  await miss(1);
  network.fail("DeleteItem", { status: 400, body: { __type: "ValidationException" } }, 1);
  expect((await pay(passcode)).status).toBe(500);
});

test("D19: the right passcode is taken after misses, and moves to the version of the key that signs", async () => {
  const { versions } = await readHmacKeyVersions();
  const added = { version: 2, key: "2".repeat(64), signs_from: new Date(0).toISOString() };
  await writeHmacKeyVersions({ versions: [...versions, added], highest: 2 });
  vi.useFakeTimers({ now: Date.now() + 6 * 60_000, toFake: ["Date"] });
  for (let round = 0; round < 2; round += 1) {
    await miss(4);
    expect((await keep(passcode)).status).toBe(200);
  }
  expect(await readItem(secretKey("passcode", id))).toMatchObject({ hash: expect.stringMatching(/^2\./) });
});

test("D19: a payment and an undo take the passcode as it is copied", async () => {
  const typed = "\u200b４７11\u2013०८15.";
  const { status, headers } = await pay(typed);
  expect(status).toBe(200);
  expect((await undo(operator(), headers["change-id"], { passcode: typed })).status).toBe(200);
  expect(await counted()).toEqual({ ofDay: 0, inRow: 0 });
});

describe("403", () => {
  test.each([undefined, 0, "", null])("D19: %j is no passcode: refused, and no miss", async (typed) => {
    expectProblem(await pay(typed), 403, "passcode_invalid");
    expect(await counted()).toEqual({ ofDay: 0, inRow: 0 });
    expect(await stateOf(id)).toBe("pending");
  });

  test("D19: a wrong passcode, be it another user's, is passcode_invalid, and nothing changes", async () => {
    await store([callerLine(operator(id + 500_000), { passcode: "1234" })]);
    await miss(1);
    expect(await stateOf(id)).toBe("pending");
  });
});

describe("429", () => {
  test("D19: after 20 misses of a day even the right passcode is passcode_locked, until the day is over (UTC)", async () => {
    at("09:00:00.000");
    await miss(20);
    for (const [time, wait] of [
      ["09:00:00.000", "54000"],
      ["23:59:59.999", "60"],
    ] as const) {
      at(time);
      const locked = await pay(passcode);
      expectProblem(locked, 429, "passcode_locked");
      expect(locked.headers["retry-after"]).toBe(wait);
    }
    expect(await stateOf(id)).toBe("pending");
    vi.setSystemTime(Date.parse("2026-05-02T00:00:00.000Z"));
    expect((await pay(passcode)).status).toBe(200);
  });

  test("D19: 100 misses in a row lock until there is another passcode, however long ago they were", async () => {
    const day = (count: number) => Date.parse("2026-05-01T00:00:00.000Z") + count * 24 * 3_600_000;
    for (let round = 0; round < 5; round += 1) {
      vi.useFakeTimers({ now: day(round), toFake: ["Date"] });
      await missOften(20);
    }
    vi.setSystemTime(day(30));
    const closed = await pay(passcode);
    expectProblem(closed, 429, "passcode_locked");
    expect(closed.body.detail).toBe(
      "100 wrong passcodes in a row: the support of the service has to unlock it or set another one first; try again in 24 hours",
    );
    await store([callerLine(operator(), { passcode: "8642" })]);
    expect((await pay("8642")).status).toBe(200);
    await store([callerLine(operator(), { passcode })]);
    expectProblem(await pay(passcode), 429, "passcode_locked");
    await forgetGuesses(`user-${id}@example.com`, new Date());
    expect((await pay(passcode)).status).toBe(200);
  });

  test("D19: of 30 wrong passcodes at once at most 20 are compared", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => pay("1234")));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(20);
    expect(answers.filter(({ body }) => body.code === "passcode_locked")).toHaveLength(10);
  });

  test("D19: misses of paying and undoing are counted as one, and reported before what is missing", async () => {
    const missing = [id + 800_000];
    const sends = [pay, (typed: string, _ids?: number[]) => undo(operator(), "nothing", { passcode: Number(typed) })];
    for (const send of sends) expectProblem(await send("1234", missing), 403, "passcode_invalid");
    expectProblem(await pay(undefined, missing), 403, "passcode_invalid");
    expect(await counted()).toEqual({ ofDay: 2, inRow: 2 });
    expectProblem(await pay(passcode, missing), 404, "records_not_found");
    await countMore((await limits()).ofDay, 18);
    for (const send of sends) expectProblem(await send(passcode), 429, "passcode_locked");
    expect(await stateOf(id)).toBe("pending");
  });

  test("D19: each miss counts in a metric, and no right passcode does", async () => {
    loggedLines.length = 0;
    await miss(2);
    await pay(passcode);
    const counted = countedMetrics().filter((metric) => "PasscodeFailures" in metric);
    expect(counted).toMatchObject([{ PasscodeFailures: 1 }, { PasscodeFailures: 1 }]);
  });
});
