import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { usePushService } from "../../support/workers/pushes.ts";
import { mayWrite } from "../rights/may-write.ts";
import { ownPlansOf, reading } from "./losses/operation-losses.ts";
import { recordLosses } from "./losses/record-losses.ts";
import { loseEverywhere } from "./losses/scenario.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

const service = usePushService();
const network = useNetwork();

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
afterEach(() => void network.heal());

const ownPlans = ownPlansOf(service);

const names = operations.map(({ name }) => name as OperationName);
const readers = names.filter((name) => ownPlans[name] === undefined);
/** A quarter of the operations that only read is enough while developing: they leave nothing behind. */
const tried = names.filter(
  (name) => !readers.includes(name) || readers.indexOf(name) % usualFreshOrFull(4, 1, 1) === 0,
);

describe("a request whose answer is lost at any call, or whose process ends there, and that the client repeats", () => {
  const all = tried.map((name, turn) => {
    const plan = ownPlans[name] ?? reading(name);
    return { name, plan, turn, holds: plan.holds };
  });
  /** A change of records also survives the end of its process. */
  const isKilled = (name: OperationName) => Object.hasOwn(recordLosses, name);
  test.each(all)(
    "$name: $holds",
    ({ name, plan, turn }) => loseEverywhere(network, plan, turn, isKilled(name)),
    240_000,
  );

  test("every operation that may write says what holds then", () => {
    const writers = names.filter((name) => mayWrite(functions[name]));
    expect(writers.filter((name) => ownPlans[name] === undefined)).toEqual([]);
  });
});
