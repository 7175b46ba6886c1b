import { afterEach, beforeAll, describe, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import type { OperationName } from "../../../shared/contract/operations.ts";
import { useLossyNetwork } from "../../support/faults/lossy-network.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { usePushService } from "../../support/workers/pushes.ts";
import { type AccountOperation, sessionLosses } from "./losses/account-losses.ts";
import { recordLosses } from "./losses/record-losses.ts";
import { type LossPlan, loseEverywhere } from "./losses/scenario.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

usePushService();
const network = useLossyNetwork();

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
afterEach(() => void network.heal());

/** Every operation but those of accounts; one without a plan does not compile. */
const plans: Readonly<Record<Exclude<OperationName, AccountOperation>, LossPlan>> = {
  ...sessionLosses,
  ...recordLosses,
  "list-invoices": reading("list-invoices"),
  "list-timesheets": reading("list-timesheets"),
  "list-jobs": reading("list-jobs"),
  "list-notifications": reading("list-notifications"),
  "get-unread-counts": reading("get-unread-counts"),
  "list-device-tokens": reading("list-device-tokens"),
  "list-sessions": reading("list-sessions"),
  "list-changes": reading("list-changes"),
  "get-profile": reading("get-profile"),
  "get-key-set": reading("get-key-set"),
  "get-health": reading("get-health"),
  "get-openapi": reading("get-openapi"),
  "plan-bulk-update-timesheets": reading("plan-bulk-update-timesheets"),
  "plan-adjust-job-timers": reading("plan-adjust-job-timers"),
  "get-job": reading("get-job"),
  "get-invoice": reading("get-invoice"),
  "get-timesheet": reading("get-timesheet"),
};

/** What only reads answers as it does when nothing is lost. */
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

describe("a request whose answer is lost at any call, and that the client repeats", () => {
  const all = Object.entries(plans).map(([name, plan], turn) => ({ name, plan, turn, holds: plan.holds }));
  test.each(all)("$name: $holds", ({ plan, turn }) => loseEverywhere(network, plan, turn), 240_000);
});
