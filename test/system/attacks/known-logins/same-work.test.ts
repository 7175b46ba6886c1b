import { beforeAll, expect, test, vi } from "vitest";
import { handler as rotate } from "../../../../functions/workers/rotate-signing-key.ts";
import { type AwsCall, watchCalls } from "../../../support/faults/aws-calls.ts";
import { forgetLimits } from "../../../support/requests/limits.ts";
import { useService } from "../../../support/service/service.ts";
import { type AnonymousFlow, anonymousFlows } from "./anonymous-flows.ts";
import { storeKnownLogins, unknownLogins } from "./known-logins.ts";

const service = useService();
/** One of each cost that passwords are stored at. */
const count = 4;

const derivations = vi.hoisted(() => [] as number[]);
vi.mock("../../../../shared/domain/accounts/argon2id.ts", async (original) => {
  const actual = await original<typeof import("../../../../shared/domain/accounts/argon2id.ts")>();
  const deriveArgon2id: typeof actual.deriveArgon2id = (password, salt, bytes, cost) => {
    // The first pass also fills fresh memory, which takes about half a pass.
    derivations.push(cost.memory * (2 * cost.passes + 1));
    return actual.deriveArgon2id(password, salt, bytes, cost);
  };
  return { ...actual, deriveArgon2id };
});

const calls: AwsCall[] = [];
watchCalls((call, send) => {
  calls.push(call);
  return send();
});

let known: string[] = [];

beforeAll(async () => {
  await rotate();
  known = await storeKnownLogins(count);
});

/** The work of a flow for a login: the AWS calls, with the number of their items and their size in hundreds, and derivations. */
async function workOf({ send, status }: AnonymousFlow, login: string) {
  calls.length = 0;
  derivations.length = 0;
  expect((await send(login)).status).toBe(status);
  const made = calls.map(({ service: of, command, input }) => {
    const { TransactItems = [] } = input as { TransactItems?: unknown[] };
    return `${of} ${command} ${TransactItems.length} ${Math.round(JSON.stringify(input).length / 100)}`;
  });
  const derived = derivations.reduce((sum, each) => sum + each, 0);
  // Memory comes in whole kilobytes: of 97,280 half passes, 2 may be missing.
  return { calls: made.toSorted(), derived: Math.round(derived / 100) };
}

test.each(
  anonymousFlows,
)("D12, D13, D15: $name makes the same AWS calls and derives as much for known and unknown logins", async (flow) => {
  await forgetLimits(service);
  const unknown = unknownLogins(count);
  await flow.prepare?.([...known, ...unknown]);
  await flow.send("first@example.com");
  const expected = await workOf(flow, unknown[0] ?? "");
  expect(expected.calls.length).toBeGreaterThan(1);
  for (const login of [...known, ...unknown.slice(1)]) expect(await workOf(flow, login)).toEqual(expected);
});
