import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { usePushService } from "../../support/workers/pushes.ts";
import { mayWrite } from "../rights/may-write.ts";
import { accountLosses, sessionLosses } from "./losses/account-losses.ts";
import { recordLosses } from "./losses/record-losses.ts";
import { type LossPlan, loseEverywhere } from "./losses/scenario.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

const service = usePushService();
const network = useNetwork();

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
afterEach(() => void network.heal());

/** Operations with a plan of their own, and those that may write but only read. */
const ownPlans: Readonly<Partial<Record<OperationName, LossPlan>>> = {
  ...sessionLosses,
  ...accountLosses(service),
  ...recordLosses,
  "plan-bulk-update-timesheets": reading("plan-bulk-update-timesheets"),
};

const names = operations.map(({ name }) => name as OperationName);
const readers = names.filter((name) => ownPlans[name] === undefined);
/** A quarter of the operations that only read is enough while developing: they leave nothing behind. */
const tried = names.filter(
  (name) => !readers.includes(name) || readers.indexOf(name) % usualFreshOrFull(4, 1, 1) === 0,
);

/** The plan of an operation that only reads: it answers as it does when nothing is lost. */
function reading(name: OperationName): LossPlan {
  return {
    holds: "the answer is as ever",
    prepare: async () => {
      const endpoint = endpoints.find((each) => each.name === name);
      if (!endpoint) throw new Error(`There is no operation ${name}`);
      const { operation, handler, sample } = endpoint;
      const sent = { as: allowedUser(operation), ...sample } as TestRequest;
      const { status } = await call(handler, operation, sent);
      return { attempt: async () => (await call(handler, operation, sent)).status === status };
    },
  };
}

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
