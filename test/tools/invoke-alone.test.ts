import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { invoke } from "../../infra/tools/invoke.ts";
import { useService } from "../support/service/service.ts";
import { runTool } from "./machine.ts";

const done: string[] = [];

vi.mock("../../infra/tools/service/local-service.ts", () => ({
  localDirectory: () => "",
  withLocalService: async (_: string, work: (service: object) => Promise<number>) => {
    const processPending = async () => {
      await setImmediate();
      done.push("processed");
    };
    const code = await work({ functionEnvironment: () => ({}), messages: () => [], processPending });
    done.push("ended");
    return code;
  },
}));

useService();
beforeEach(() => void done.splice(0));

test.each([
  ["request-password-reset", ["processed", "ended"]],
  ["get-health", ["ended"]],
])("without a machine, %s has its messages delivered before it ends, if it sends any", async (name, steps) => {
  await runTool(() => invoke([name], ""));
  expect(done).toEqual(steps);
});
