import { expect, test } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { adoptedStage } from "./adopted-stage.ts";
import type { DeployedStage } from "./deployed-stage.ts";
import { runTool } from "./program.ts";

const arriving = { timeout: 60_000, interval: 200 };

/** Has vitest see that the stage's webhook is tried with events of jobs, after `testOutbound`; `log` is what functions print. */
export function testWebhooks(stage: () => DeployedStage, log: () => string): void {
  const manage = (...parameters: string[]) => runTool("webhooks", adoptedStage.name, ...parameters);

  test("D42: an event of its company is sent to a webhook, and comes again as nobody knows its receiver", async () => {
    const attempts = () => log().match(/^.*"message":"webhook (?:failed|delivered)".*$/gm) ?? [];
    await expect.poll(() => attempts().length, arriving).toBeGreaterThan(1);
    for (const line of attempts()) expect(line).toMatch(/"webhook":"depot".*"code":"(?:host_unknown|timed_out)"/);
    const ids = new Set(attempts().map((line) => /"event_id":"(\w+)"/.exec(line)?.[1]));
    expect((await stage().waiting()).get(namesOf(adoptedStage.name).webhookQueue("depot"))).toBe(ids.size);
  });

  test("D42: the tool sees that it fails, shows its secret, and gets no answer either", async () => {
    const listed = await manage("list");
    expect(listed.output).toMatch(/^depot: https:.*\n {2}fails since \d{4}-.*; signs with one secret$/m);
    expect(listed.code).toBe(0);
    expect((await manage("secret", "depot")).output).toMatch(/^whsec_[\w+/]{43}=$/m);
    const tested = await manage("test", "depot");
    expect(tested.output).toMatch(/No answer: (?:host_unknown|timed_out)/);
    expect(tested.code).toBe(1);
  });
}
