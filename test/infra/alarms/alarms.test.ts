import { describe, expect, test } from "vitest";
import { workerRows } from "../../../infra/functions/worker-rows.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { type Resource, stackOf } from "../stack.ts";
import { fires, run, type World } from "./alarm-model.ts";

/**
 * The noise of the model. Sources: COSTS.md for calls of a user; the service's own benches for times of starts; AWS's service level
 * agreements (99.95 % of API Gateway's and Lambda's calls, 99.99 % of DynamoDB's) as the most that faults may be, of which a
 * fiftieth is assumed in a usual month; what scanners send to any public address.
 */
const noise = {
  callsOfUserAMonth: 936,
  /** Working hours have three times the average. */
  peak: 3,
  faultsOfCalls: 1e-5,
  /** A function calls again at once whatever AWS fails: the rest is assumed. */
  faultsOfFunctions: 1e-7,
  throttlesOfTableCalls: 1e-6,
  /** Expired tokens and typing errors. */
  refusedOfCalls: 0.05,
  /** A start takes half a second, and is no fault. */
  slowestMs: 900,
  botsAMinute: 5,
  /** Two checkers in each of three regions ask for health, each twice a minute. */
  checksAMinute: 12,
};

const parts = operations.length;

/** The figures of a healthy minute, by the metric's name. A metric without one is silent in health. */
function healthOf(users: number): World {
  const calls = (users * noise.callsOfUserAMonth * noise.peak) / (30 * 1_440);
  const figures: Readonly<Record<string, number>> = {
    Count: calls + noise.botsAMinute + noise.checksAMinute,
    "4xx": calls * noise.refusedOfCalls + noise.botsAMinute,
    "5xx": calls * noise.faultsOfCalls,
    Latency: noise.slowestMs,
    Faults: calls * noise.faultsOfFunctions,
    Errors: (calls / parts) * noise.faultsOfFunctions,
    Invocations: calls / parts + 1,
    SuccessfulRequestLatency: calls,
    ThrottledRequests: calls * noise.throttlesOfTableCalls,
    ConsumedWriteCapacityUnits: calls,
    ResourceCount: Math.min(400, calls / 600),
    PolledEventCount: 200,
    IteratorAge: 800,
    ApproximateAgeOfOldestMessage: 1,
    ApproximateNumberOfMessagesVisible: 0,
    "Reputation.BounceRate": 0.01,
    "Reputation.ComplaintRate": 0.0002,
    SMSSuccessRate: 0.95,
    HealthCheckStatus: 1,
    DaysToExpiry: 200,
    NumberOfBackupJobsCompleted: 1,
    Requests: calls,
    "5xxErrorRate": 0.001,
  };
  return ({ name, dimensions }) => {
    if (name === "Invocations" && dimensions.includes("get-health")) return noise.checksAMinute;
    return name === "Faults" && dimensions !== "[]" ? (figures.Faults ?? 0) / parts : figures[name];
  };
}

type Change = (healthy: number, of: (name: string) => number, minute: number) => number | undefined;
/** The changes of metrics, by name; a word behind the name is in the dimensions of those that change. */
type Changes = Readonly<Record<string, Change>>;

/** A world in which some metrics change from minute 0 on; the rest stays as in health. */
function after(users: number, changes: Changes): World {
  const health = healthOf(users);
  const of = (name: string) => health({ id: "", name, dimensions: "", stat: "Sum" }, 0) ?? 0;
  const all = Object.entries(changes).map(([key, change]) => ({ key: key.split(" "), change }));
  return (metric, minute) => {
    const healthy = health(metric, minute);
    const own = all.find(({ key: [name, word = ""] }) => name === metric.name && metric.dimensions.includes(word));
    return own && minute >= 0 ? own.change(healthy ?? 0, of, minute) : healthy;
  };
}

const is =
  (figure: number | undefined): Change =>
  () =>
    figure;
const times =
  (factor: number): Change =>
  (healthy) =>
    healthy * factor;
const share =
  (part: number, name: string): Change =>
  (_, of) =>
    of(name) * part;
const calls = (change: Change): Changes => ({ Count: change, "4xx": change, "5xx": change });

/** The minute, who hears of it, and by which alarm. */
function heardOf(world: World): string[] {
  return run(world, { minutes: 180 }).map(({ name, minute, to }) => `${minute} ${to} ${name}`);
}

const inFiveMinutes = { Latency: is(6_000), SystemErrors: share(0.01, "SuccessfulRequestLatency") };

test.each<[failure: string, changes: Changes, heard: string[]]>([
  [
    "every call is answered with 401",
    { "4xx": share(1, "Count") },
    ["3 page users-refused", "16 tomorrow api-4xx", "60 page traffic-stopped"],
  ],
  [
    "a reader of the stream stops, whatever the reason",
    { "PolledEventCount notify": is(undefined), "IteratorAge -notify": is(undefined) },
    ["15 page notify-stands-still"],
  ],
  ["one e-mail in twelve bounces", { "Reputation.BounceRate": is(0.08) }, ["1 tomorrow email-bounces"]],
  [
    "one company's import puts both readers behind, and one write in 500 is throttled",
    {
      IteratorAge: (_, _of, minute) => minute * 15_000,
      ThrottledRequests: share(0.02, "SuccessfulRequestLatency"),
      SuccessfulRequestLatency: times(12),
      ConsumedWriteCapacityUnits: times(12),
    },
    ["46 page keep-history-behind", "46 page notify-behind"],
  ],
  [
    "the region is slow: a call in fifty fails, and one of DynamoDB in a hundred; no function pages for itself",
    { ...inFiveMinutes, "5xx": share(0.02, "Count"), Faults: share(0.02, "Count"), Errors: share(0.02, "Invocations") },
    [
      "1 tomorrow operation-faults",
      "1 tomorrow worker-errors",
      "2 page api-5xx",
      "3 page table-fails",
      "11 page api-slow",
    ],
  ],
])("at 10,000 users %s: the minute, who hears of it, and by which alarm", (_, changes, heard) => {
  expect(heardOf(after(10_000, changes))).toEqual(heard);
});

test.each([
  [130, []],
  [160, ["60 page traffic-stopped"]],
])("apps of %i users stop while the check and bots go on: heard from 500 answers an hour on, %j", (users, heard) => {
  const { botsAMinute, checksAMinute } = noise;
  const stopped = after(users, { Count: is(botsAMinute + checksAMinute), "4xx": is(botsAMinute) });
  expect(heardOf(stopped).filter((each) => each.includes("page"))).toEqual(heard);
});

const workersThatWait = Object.entries(workerRows).flatMap(([name, { area, pages }]) =>
  area === "workers" && !pages ? [name] : [],
);

describe.each([100, 10_000, 1_000_000])("of %i users", (users) => {
  const firing = (changes: Changes) =>
    run(after(users, changes), { minutes: 30, step: 5 }).map(({ name, to }) => `${to} ${name}`);

  test("health sets off no alarm, whether it pages or waits", () => {
    expect(firing({})).toEqual([]);
  });

  test("an operation that fails for a user who tries thrice is heard of, however many others are well", () => {
    const thrice: Change = (healthy, _, minute) => healthy + Number(minute < 3);
    expect(firing({ "Faults []": thrice })).toEqual(["tomorrow operation-faults"]);
  });

  test("a call of any worker that dies is heard of, whatever becomes of what it worked on", () => {
    const once: Change = (healthy, _, minute) => healthy + Number(minute === 1);
    for (const name of workersThatWait)
      expect(firing({ [`Errors -${name}"`]: once }), name).toEqual(["tomorrow worker-errors"]);
  });

  test("DynamoDB fails one action, of which there are few: it pages, however many others it answers", () => {
    for (const action of ["GetItem", "TransactGetItems", "TransactWriteItems"]) {
      const fails = { [`SystemErrors "${action}"`]: is(4), [`SuccessfulRequestLatency "${action}"`]: is(1) };
      expect(firing(fails), action).toEqual(["page table-fails"]);
    }
  });

  test("an operation that pages does so once for itself where the table is well, and not where the table fails", () => {
    const own = { 'Faults "sign-in"': share(0.5, "Invocations"), 'Invocations -sign-in"': is(20) };
    expect(firing(own)).toEqual(["page sign-in-faults"]);
    const table = { SystemErrors: share(1, "SuccessfulRequestLatency") };
    expect(firing({ ...own, ...table })).not.toContain("page sign-in-faults");
  });
});

const scanner = (healthy: number) => healthy + 2_000;
const bigStages = [10_000, 1_000_000];
/** The events of a healthy stage, their number in a year (assumed), the changes for two hours, and the pages that follow at which sizes. */
const happenings: readonly [what: string, aYear: number, changes: Changes, pages: string[], at?: readonly number[]][] =
  [
    ["nothing but the usual noise", 12, {}, []],
    ["a scanner sends 2,000 refused requests a minute", 12, { Count: scanner, "4xx": scanner }, []],
    [
      "the same at the hour in which most users go home",
      0.5,
      { Count: (healthy) => healthy * 0.4 + 2_000, "4xx": (healthy) => healthy * 0.4 + 2_000 },
      ["users-refused"],
      [10_000],
    ],
    ["one address is throttled at sign-in", 12, { GatewayThrottles: is(3_000) }, []],
    ["a public holiday has a fifth of the calls", 8, calls(times(0.2)), []],
    ["a public holiday has a twentieth of the calls", 1, calls(times(0.05)), ["traffic-stopped"], bigStages],
    ["a release starts every environment again", 50, { Latency: is(2_400) }, []],
    ["the invoices of the month", 12, { IteratorAge: (_, _of, minute) => Math.min(minute, 60) * 9_000 }, []],
    ["a network of a country drops its SMS", 2, { "SMSSuccessRate GB": is(0.4) }, ["sms-lost-GB"]],
    ["AWS fails 2 % of calls", 1, { "5xx": share(0.02, "Count") }, ["api-5xx"], bigStages],
  ];

test.each([
  [100, 0.17],
  [10_000, 0.38],
  [1_000_000, 0.33],
])(
  "a month of health of %i users has %f pages, and each has a cause",
  (users, expected) => {
    const causes = happenings.map(([what, aYear, changes, pages, at = [users]]) => {
      const paged = run(after(users, changes), { minutes: 120, step: 5 }).filter(({ to }) => to === "page");
      expect(
        paged.map(({ name }) => name),
        what,
      ).toEqual(at.includes(users) ? pages : []);
      return (paged.length * aYear) / 12;
    });
    expect(causes.reduce((sum, each) => sum + each, 0)).toBeCloseTo(expected, 1);
  },
  60_000,
);

describe("strangers", () => {
  const [refuses] = stackOf("prod")
    .all("AWS::CloudWatch::Alarm")
    .filter(({ id }) => id.includes("signinVersionRefuses"));
  /** Five minutes of a canary: calls of either version, and how many of them are refused. */
  const canary = (own: number, refused: number, before: { calls: number; refused: number }): World => {
    const figures = new Map(
      Object.entries({ calls: own, refused, allCalls: own + before.calls, allRefused: refused + before.refused }),
    );
    return ({ id }) => (figures.get(id) ?? 0) / 5;
  };
  const goesBack = (world: World) => fires(refuses as Resource, world, 5);

  test("take no release back by a flood of wrong tokens, however large: it meets both versions", () => {
    for (const flood of [0, 100, 10_000, 1_000_000])
      expect(
        goesBack(canary(60 + flood * 0.1, 3 + flood * 0.1, { calls: 540 + flood * 0.9, refused: 27 + flood * 0.9 })),
        `${flood}`,
      ).toBe(false);
  });

  test("do not hide a version that refuses callers; with fewer than 50 calls of either nothing is said", () => {
    expect(goesBack(canary(60, 15, { calls: 540, refused: 27 }))).toBe(true);
    expect(goesBack(canary(60, 13, { calls: 540, refused: 27 }))).toBe(false);
    expect(goesBack(canary(49, 49, { calls: 540, refused: 0 }))).toBe(false);
    expect(goesBack(canary(60, 60, { calls: 49, refused: 0 }))).toBe(false);
  });
});
