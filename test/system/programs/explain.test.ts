import { expect, test } from "vitest";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { runTool } from "../../support/service/local-machine.ts";

const directory = await makeDemoDirectory();
const { request } = useOwnMachine(directory);

test("explain shows what followed from a request, by the log of the machine that runs", async () => {
  const body = { timesheet: { timesheet_ids: [2], state: "pending" } };
  const { headers } = await request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role: "operator", body });
  const parameters = ["--request", String(headers.get("x-request-id"))];
  const story = async () => (await runTool("infra/tools/explain.ts", parameters, directory.path)).stdout;
  // Consumers of the stream and workers of queues come after the answer.
  await expect.poll(story, { timeout: 30_000, interval: 1_000 }).toMatch(/deliver-notifications +processed/);
  // The stream's consumers may have looked at what was written before it was answered.
  expect(await story()).toMatch(/^\S+ +bulk-update-timesheets +answered status=200/m);
}, 120_000);
