import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  PublishVersionCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { expect, test, vi } from "vitest";
import { functionNameOf } from "../../../../infra/stages/names.ts";
import { callService } from "../../../../shared/call-service.ts";
import { shellBlocksOf } from "../../runbook/shell-commands.ts";
import { importLines } from "../deployed-stage.ts";
import { root } from "../program.ts";
import type { Place } from "./place.ts";

interface Verdict {
  readonly status: string;
  readonly code: string;
  /** The number of figures that the alarm on unproven releases was given. */
  readonly unproven: number;
}

/** Has vitest call the hook of releases against published versions, as CodeDeploy does before they get calls. */
export function testReleaseProbe(place: Place): void {
  const { aws } = place;
  const { name: stage } = place.settings;
  let lambda: LambdaClient;
  let refusing: string;

  async function probe(operation: string, before: string, after: string): Promise<Verdict> {
    const deploymentId = [functionNameOf(stage, operation), before, after].join("/");
    const seen = aws.emulator.log().length;
    const hook = { DeploymentId: deploymentId, LifecycleEventHookExecutionId: "made-up" };
    const call = { FunctionName: functionNameOf(stage, "probe-release"), Payload: JSON.stringify(hook) };
    expect((await lambda.send(new InvokeCommand(call))).FunctionError).toBeUndefined();
    const asked = { service: "codedeploy", target: "CodeDeploy_20141006.GetDeployment" } as const;
    const { deploymentInfo } = (await callService(new LambdaClient(), asked, { deploymentId })) as Record<
      "deploymentInfo",
      Verdict
    >;
    // What a function writes comes into the emulator's log after its answer.
    return await vi.waitUntil(
      () => {
        const log = aws.emulator.log().slice(seen);
        expect(log).not.toContain('"probe failed"');
        const [, code] = /"message":"release probed".*?"code":"(\w+)"/.exec(log) ?? [];
        const unproven = log.match(/"ReleasesUnproven":1/g)?.length ?? 0;
        const isWhole = code !== undefined && (code !== "unproven" || unproven > 0);
        return isWhole && { status: deploymentInfo.status, code, unproven };
      },
      { timeout: 20_000 },
    );
  }

  test("a probe that no version lets in stops no release, and feeds the alarm on unproven ones", async () => {
    lambda = new LambdaClient();
    // To start them may take longer on a busy machine than the hook waits.
    const Payload = readFileSync(join(root, "events/sessions/sign-in.json"));
    const start = { FunctionName: functionNameOf(stage, "sign-in"), Payload };
    for (const Qualifier of ["1", "2"]) await lambda.send(new InvokeCommand({ ...start, Qualifier }));
    expect(await probe("sign-in", "1", "2")).toEqual({ status: "Succeeded", code: "unproven", unproven: 1 });
  });

  test("the runbook's lines make the probe, with the password that the deploy made", async () => {
    const [block = ""] = shellBlocksOf("The probe of releases");
    const { login, password } = JSON.parse(await place.shell(block.slice(block.indexOf("aws secretsmanager"))));
    const lines = block.match(/\{"type".*/g) ?? [];
    expect(lines).toHaveLength(3);
    await importLines(
      lines.map((line) => {
        const read = JSON.parse(line.replace("PROBE-LOGIN", login));
        return read.type === "user" ? { ...read, password } : read;
      }),
    );
  });

  test.each(["sign-in", "list-invoices"])("a good version of %s goes on", async (operation) => {
    expect(await probe(operation, "1", "2")).toEqual({ status: "Succeeded", code: "passes", unproven: 0 });
  });

  test("a published version that refuses the probe goes back, where the one before lets it in", async () => {
    refusing = await publishRefusing();
    expect(await probe("list-invoices", "2", refusing)).toEqual({ status: "Failed", code: "fails", unproven: 0 });
  });

  test("if both refuse it, the release goes on and feeds the alarm", async () => {
    const verdict = { status: "Succeeded", code: "unproven", unproven: 1 };
    expect(await probe("list-invoices", refusing, refusing)).toEqual(verdict);
    lambda.destroy();
  });

  /** Publishes a version that expects tokens of another audience. What the next version starts from stays as it was. */
  async function publishRefusing(): Promise<string> {
    const FunctionName = functionNameOf(stage, "list-invoices");
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const Variables = { ...Environment?.Variables };
    const change = (changes: Record<string, string>) =>
      lambda.send(
        new UpdateFunctionConfigurationCommand({
          FunctionName,
          Environment: { Variables: { ...Variables, ...changes } },
        }),
      );
    await change({ TOKEN_AUDIENCE: "others" });
    const { Version = "" } = await lambda.send(new PublishVersionCommand({ FunctionName }));
    await change({});
    return Version;
  }
}
