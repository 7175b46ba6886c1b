import { CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { namesOf, tableNameOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { edgeOf } from "../../stages/stage-shape.ts";
import { messageOf } from "../../support/message-of.ts";
import { orUndefined } from "../aws/aws-faults.ts";
import { type DeployTarget, type Finding, missing, ok } from "./finding.ts";

/**
 * Finds what would block a deploy by its name: a stack that failed at its creation, and resources that a removed stack
 * left.
 */
export async function findLeftovers(place: DeployTarget): Promise<Finding> {
  const { name, removal } = place.stage;
  const { backupVault } = namesOf(name);
  const table = tableNameOf(place.stage);
  const stack = await findStack(place);
  if (stack !== undefined) return judgeStack(place.stage, stack);
  const secrets = await findSecrets(place);
  const found = await orUndefined(new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: table })));
  const adoptable = found ? [`the table ${table}`] : [];
  if (adoptable.length + secrets.length === 0) return ok("none, and nothing left of one");
  if (removal === "keep") adoptable.push(`the backup vault ${backupVault} if it had one`);
  const importing = `keep them with npx cdk deploy ${namesOf(name).stack} -c stage=${name} --import-existing-resources, or delete them`;
  const faults = [
    ...(adoptable.length > 0 ? [`${adoptable.join(", ")}: ${importing}`] : []),
    ...(secrets.length > 0
      ? [`${secrets.join(", ")}: no deploy adopts a secret, so copy what you need and delete them`]
      : []),
  ];
  return missing(`An earlier stack left ${faults.join("; and ")}, all as "Remove a stage" in infra/README.md says.`);
}

/**
 * Whether the next deploy can start from a stack's status, or what to do first: for a stack that never was complete,
 * and for one that is stuck.
 */
function judgeStack(deployed: Stage, { StackStatus, EnableTerminationProtection }: Stack): Finding {
  const status = String(StackStatus);
  const { name, removal } = deployed;
  const { stack } = namesOf(name);
  const table = tableNameOf(deployed);
  const unprotect =
    removal === "keep"
      ? `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stack}, aws dynamodb update-table --no-deletion-protection-enabled --table-name ${table} and then `
      : "";
  const remove = `run ${unprotect}aws cloudformation delete-stack --stack-name ${stack}`;
  const unended = ["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED", "REVIEW_IN_PROGRESS"];
  if (unended.includes(status)) {
    return missing(`The first deploy, or the removal, did not end (${status}): ${remove}.`);
  }
  const end = status.split("_").at(-1);
  if (end === "FAILED") {
    return missing(`The last deploy is stuck (${status}): run npx cdk rollback ${stack} -c stage=${name}.`);
  }
  if (end === "PROGRESS") return missing(`A deploy is under way (${status}): wait until it has ended.`);
  if (removal === "keep" && EnableTerminationProtection === false) {
    const protect = `aws cloudformation update-termination-protection --enable-termination-protection --stack-name ${stack}`;
    return missing(`One command can delete ${stack}: run ${protect}.`);
  }
  return ok(`${stack} is deployed (${status})`);
}

/** The stage's stack, or one beside it; undefined if there is none. */
export async function findStack(
  { stage }: DeployTarget,
  { StackName = namesOf(stage.name).stack, ...where }: { readonly StackName?: string; readonly region?: string } = {},
): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await new CloudFormationClient(where).send(new DescribeStacksCommand({ StackName }));
    return Stacks[0];
  } catch (error) {
    if (/does not exist/.test(messageOf(error))) return undefined;
    throw error;
  }
}

async function findSecrets({ stage }: DeployTarget): Promise<string[]> {
  const { hmacSecret, signingSecret, edgeSecret } = namesOf(stage.name);
  const client = new SecretsManagerClient({});
  const found: string[] = [];
  for (const SecretId of [hmacSecret, signingSecret, ...(edgeOf(stage) ? [edgeSecret] : [])]) {
    if (await orUndefined(client.send(new DescribeSecretCommand({ SecretId })))) found.push(`the secret ${SecretId}`);
  }
  return found;
}
