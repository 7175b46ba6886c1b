import type { PublishCommandInput } from "@aws-sdk/client-sns";
import { afterEach, beforeAll, describe, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import type { ServiceFunctionName } from "../../../infra/functions/worker-rows.ts";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { useEventQueue } from "../../support/service/service.ts";
import { usePushService } from "../../support/workers/pushes.ts";
import { changeLosses } from "./losses/change-losses.ts";
import { messageLosses } from "./losses/message-losses.ts";
import { type LossPlan, loseEverywhere } from "./losses/scenario.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

const service = usePushService();
const network = useNetwork();
useEventQueue();
const publications: string[] = [];

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
  watchCalls((call, send) => {
    if (call.command === "PublishCommand") publications.push((call.input as PublishCommandInput).Message ?? "");
    return send();
  });
});
afterEach(() => void network.heal());

/** These write nothing of their own: what they did not do is seen by who called. */
type WithoutPlan = "get-docs" | "refuse-unrouted";

/**
 * Every other function that no operation has; one without a plan does not compile. A plan belongs into
 * `losses/message-losses.ts` if a queue brings the work, and into `losses/change-losses.ts` if the stream or a schedule does.
 */
const plans: Readonly<Record<Exclude<ServiceFunctionName, WithoutPlan>, LossPlan>> = {
  ...messageLosses(service, publications),
  ...changeLosses,
};

describe("work that fails or is killed at any call, and that its queue, the stream or a schedule brings again", () => {
  const all = Object.entries(plans).map(([name, plan], turn) => ({ name, plan, turn, holds: plan.holds }));
  test.each(all)("$name: $holds", ({ plan, turn }) => loseEverywhere(network, plan, turn, true), 240_000);
});
