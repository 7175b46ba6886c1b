import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import * as v from "valibot";
import { callLimits, limitedBy } from "../call-limits.ts";
import { callService } from "../call-service.ts";
import type { ProbeAnswer } from "./probe.ts";

const hookCall = v.object({ DeploymentId: v.string(), LifecycleEventHookExecutionId: v.string() });

/** The call of a hook by CodeDeploy. */
export type HookCall = v.InferOutput<typeof hookCall>;

/** Reads the event of a hook. Throws if it is none. */
export function readHookCall(event: unknown): HookCall {
  if (v.is(hookCall, event)) return event;
  throw new Error("probe-release expects the call of a hook by CodeDeploy");
}

const targetIds = v.object({ targetIds: v.array(v.string()) });
const functionInfo = v.object({ functionName: v.string(), currentVersion: v.string(), targetVersion: v.string() });
const targets = v.object({
  deploymentTargets: v.tuple([v.object({ lambdaTarget: v.object({ lambdaFunctionInfo: functionInfo }) })]),
});

/** A function, and the versions that a release leads from and to. */
type Release = v.InferOutput<typeof functionInfo>;

let lambda: LambdaClient | undefined;
let codeDeploy: LambdaClient | undefined;

/** The release that a deployment makes. Throws if CodeDeploy does not name exactly one function. */
export async function findRelease({ DeploymentId: deploymentId }: HookCall): Promise<Release> {
  const { targetIds: ids } = v.parse(targetIds, await callCodeDeploy("ListDeploymentTargets", { deploymentId }));
  const found = await callCodeDeploy("BatchGetDeploymentTargets", { deploymentId, targetIds: ids });
  return v.parse(targets, found).deploymentTargets[0].lambdaTarget.lambdaFunctionInfo;
}

/** Lets a deployment go on, or makes it fail. Without an answer CodeDeploy waits for an hour and fails it. */
export async function answerHook(hook: HookCall, passes: boolean): Promise<void> {
  await callCodeDeploy("PutLifecycleEventHookExecutionStatus", {
    deploymentId: hook.DeploymentId,
    lifecycleEventHookExecutionId: hook.LifecycleEventHookExecutionId,
    status: passes ? "Succeeded" : "Failed",
  });
}

/** Calls a version or an alias of a function as API Gateway does. A call that dies has the status 500. */
export async function invoke(FunctionName: string, Qualifier: string, event: object): Promise<ProbeAnswer> {
  const call = new InvokeCommand({ FunctionName, Qualifier, Payload: Buffer.from(JSON.stringify(event)) });
  lambda ??= new LambdaClient(limitedBy(callLimits.probe));
  const { FunctionError, Payload } = await lambda.send(call);
  if (FunctionError !== undefined) return { status: 500, body: "" };
  const { statusCode, body } = JSON.parse(Buffer.from(Payload ?? []).toString());
  return { status: Number(statusCode), body: String(body) };
}

function callCodeDeploy(action: string, input: object): Promise<unknown> {
  codeDeploy ??= new LambdaClient(limitedBy(callLimits.probe));
  return callService(codeDeploy, { service: "codedeploy", target: `CodeDeploy_20141006.${action}` }, input);
}
