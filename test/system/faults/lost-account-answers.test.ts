import { afterEach, beforeAll, describe, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { useService } from "../../support/service/service.ts";
import { accountLosses } from "./losses/account-losses.ts";
import { loseEverywhere } from "./losses/scenario.ts";

// Short enough to wait for, long enough for a busy machine.
process.env.CALL_PATIENCE = "0.6";

const service = useService();
const network = useNetwork();

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
afterEach(() => void network.heal());

describe("a request about an account whose answer is lost at any call, and that the client repeats", () => {
  const all = Object.entries(accountLosses(service)).map(([name, plan], turn) => ({ name, plan, turn, ...plan }));
  test.each(all)("$name: $holds", ({ plan, turn }) => loseEverywhere(network, plan, turn), 240_000);
});
