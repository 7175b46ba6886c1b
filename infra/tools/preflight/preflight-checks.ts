import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { orUndefined } from "../aws/aws-faults.ts";
import { capacityChecks } from "./capacity-checks.ts";
import { type Check, type DeployTarget, type Finding, missing, ok } from "./finding.ts";
import { messageChecks } from "./message-checks.ts";
import { findLeftovers } from "./stack-checks.ts";
import { findTableSettings } from "./table-check.ts";

/** All checks, in the order in which findings are best fixed. */
export const checks: readonly Check[] = [
  {
    about: "CDK bootstrap",
    asks: "Run npx cdk bootstrap once for an account and region: minutes.",
    find: findBootstrap,
  },
  {
    about: "earlier stack",
    asks: "What an earlier stack left is kept or deleted in minutes; a deleted secret's name stays taken for 30 days.",
    find: findLeftovers,
  },
  ...messageChecks,
  ...capacityChecks,
  {
    about: "table settings",
    asks: "A restored table gets its settings by the commands that this prints, in minutes.",
    bySettings: ({ removal }) => (removal === "keep" ? undefined : ok("by the stage's settings")),
    find: findTableSettings,
  },
];

async function findBootstrap({ account, region }: DeployTarget): Promise<Finding> {
  const Name = "/cdk-bootstrap/hnb659fds/version";
  const found = await orUndefined(new SSMClient({}).send(new GetParameterCommand({ Name })));
  if (found) return ok(`version ${found.Parameter?.Value}`);
  return missing(`Run npx cdk bootstrap aws://${account}/${region}.`);
}
