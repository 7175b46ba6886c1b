import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { stagesFile } from "../../stages/stages.ts";
import { alarmCheck } from "./alarm-check.ts";
import { type Check, type DeployTarget, type Finding, missing, ok, orUndefined } from "./finding.ts";
import { keepingChecks } from "./keeping-checks.ts";
import { messageChecks } from "./message-checks.ts";
import { findLeftovers } from "./stack-checks.ts";

/** Concurrency that Lambda requires to stay unreserved. */
const unreservedCalls = 100;
/** About the time that a call occupies a function. */
const secondsPerCall = 0.1;

/** All checks, in the order in which findings are best fixed. */
export const checks: readonly Check[] = [
  { about: "CDK bootstrap", find: findBootstrap },
  { about: "earlier stack", find: findLeftovers },
  ...messageChecks,
  { about: "Lambda concurrency", find: findConcurrency },
  ...keepingChecks,
  alarmCheck,
];

async function findBootstrap({ account, region }: DeployTarget): Promise<Finding> {
  const Name = "/cdk-bootstrap/hnb659fds/version";
  const found = await orUndefined(new SSMClient({}).send(new GetParameterCommand({ Name })));
  if (found) return ok(`version ${found.Parameter?.Value}`);
  return missing(`Run npx cdk bootstrap aws://${account}/${region}.`);
}

async function findConcurrency({ stage }: DeployTarget): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  const reserved = Object.values(stage.reservedConcurrency ?? {}).reduce((sum, calls) => sum + calls, 0);
  const busy = Math.ceil(stage.throttle.requestsPerSecond * secondsPerCall);
  const wanted = Math.max(reserved > 0 ? reserved + unreservedCalls : 0, reserved + busy);
  if (limit >= wanted) return ok(`${limit} concurrent executions`);
  const advice = `request more in Service Quotas, or lower reservedConcurrency and throttle in ${stagesFile()}`;
  return missing(`The account allows ${limit} concurrent executions, the stage needs ${wanted}: ${advice}.`);
}
