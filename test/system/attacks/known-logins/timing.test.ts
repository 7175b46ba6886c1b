import { beforeAll, beforeEach, expect, test } from "vitest";
import { handler as rotate } from "../../../../functions/workers/rotate-signing-key.ts";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { forgetLimits } from "../../../support/requests/limits.ts";
import { loggedLines } from "../../../support/service/capture-logs.ts";
import { useService } from "../../../support/service/service.ts";
import { type AnonymousFlow, anonymousFlows } from "./anonymous-flows.ts";
import { newCost, storeKnownLogins, unknownLogins } from "./known-logins.ts";

const service = useService();
/** Requests of each kind. */
const timed = Number(process.env.TIMED ?? 60);
/** 0.05 of 500 requests each is 2.7 standard deviations of what chance does; fewer requests have more noise. */
const mostDifference = 0.05 * Math.sqrt(500 / timed);

let known: string[] = [];
const unknown = unknownLogins(timed);

beforeAll(async () => {
  await rotate();
  // The same work in other parts takes up to a tenth more or less, by the processor: older costs are held to the work alone.
  known = await storeKnownLogins(timed, [newCost]);
});

beforeEach(() => forgetLimits(service));

/** Sends to every login once, in pairs of either kind, both the pairs and the kinds in them shuffled; gives milliseconds. */
async function timesOf(flow: AnonymousFlow, seed: number): Promise<[known: number[], unknown: number[]]> {
  const random = chanceOf(seed);
  await forgetLimits(service);
  await flow.prepare?.([...known, ...unknown]);
  const times: [number[], number[]] = [[], []];
  const pairs = shuffled(
    random,
    known.map((login, index) => [login, unknown[index] ?? ""] as const),
  );
  for (const pair of pairs) {
    for (const kind of random.percent(50) ? ([0, 1] as const) : ([1, 0] as const)) {
      const startedAt = performance.now();
      const { status } = await flow.send(pair[kind]);
      times[kind].push(performance.now() - startedAt);
      expect(status).toBe(flow.status);
    }
    loggedLines.length = 0;
  }
  return times;
}

function shuffled<T>({ between }: { between(low: number, high: number): number }, values: readonly T[]): T[] {
  const weighed = values.map((value) => ({ value, weight: between(0, 2 ** 30) }));
  return weighed.sort((one, other) => one.weight - other.weight).map(({ value }) => value);
}

/** The chance that one of the known takes longer than one of the unknown: 0.5 where time says nothing. */
function areaUnderCurve(knownTimes: readonly number[], unknownTimes: readonly number[]): number {
  const sum = knownTimes
    .flatMap((one) => unknownTimes.map((other): number => (one > other ? 1 : Number(one === other) / 2)))
    .reduce((total, each) => total + each, 0);
  return sum / (knownTimes.length * unknownTimes.length);
}

test.each(anonymousFlows)("D12, D15: $name takes as long for a known login as for an unknown one", async (flow) => {
  // The first of a process are slower: code is compiled and keys are read.
  for (const login of unknownLogins(5)) await flow.send(`warm-${login}`);
  // What chance exceeds once in 150 runs it exceeds twice in 20,000; what is so, it is in both.
  const differences: number[] = [];
  do {
    const area = areaUnderCurve(...(await timesOf(flow, differences.length + 1)));
    differences.push(area - 0.5);
    if (process.env.SHOW_FIGURES) console.error(`${flow.name}: AUC ${area.toFixed(3)} of ${timed} each`);
  } while (Math.abs(differences.at(-1) ?? 0) > mostDifference && differences.length < 2);
  expect(Math.min(...differences.map(Math.abs)), `${differences}`).toBeLessThanOrEqual(mostDifference);
}, 600_000);
