import { CloudFormationClient, DescribeStacksCommand, type Stack } from "@aws-sdk/client-cloudformation";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { type DeployPlace, type Finding, missing, ok, orUndefined } from "./finding.ts";

/** A stack that failed at its creation, and the resources of a removed one, block a deploy by their names. */
export async function findLeftovers(place: DeployPlace): Promise<Finding> {
  const { name } = place.stage;
  const { table, backupVault } = namesOf(name);
  const stack = await findStack(place);
  if (stack !== undefined) return judgeStack(place.stage, stack);
  const secrets = await findSecrets(place);
  const found = await orUndefined(new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: table })));
  const left = [...(found ? [`the table ${table}`] : []), ...secrets];
  if (left.length === 0) return ok("none, and nothing left of one");
  if (place.stage.backupKeptDays !== undefined) left.push(`the backup vault ${backupVault} if it had one`);
  const importing = `keep them with npx cdk deploy -c stage=${name} --import-existing-resources`;
  const advice = `${importing}, or delete them, both as "Remove a stage" in infra/RUNBOOK.md says`;
  return missing(`An earlier stack left ${left.join(", ")}: ${advice}.`);
}

/** A status that a next deploy can start from, or what leads out of it: a stack that never was complete, and one that is stuck. */
function judgeStack({ name, removal }: Stage, { StackStatus, EnableTerminationProtection }: Stack): Finding {
  const status = String(StackStatus);
  const { stack, table } = namesOf(name);
  const unprotect =
    removal === "keep"
      ? `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stack}, aws dynamodb update-table --no-deletion-protection-enabled --table-name ${table} and then `
      : "";
  const remove = `run ${unprotect}aws cloudformation delete-stack --stack-name ${stack}`;
  if (["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "REVIEW_IN_PROGRESS"].includes(status)) {
    return missing(`The first deploy did not end (${status}): ${remove}.`);
  }
  if (status === "DELETE_FAILED") return missing(`The stack was not removed (${status}): ${remove}.`);
  if (status.endsWith("_FAILED")) {
    return missing(`The last deploy is stuck (${status}): run npx cdk rollback ${stack} -c stage=${name}.`);
  }
  if (status.endsWith("_IN_PROGRESS")) return missing(`A deploy is under way (${status}): wait until it has ended.`);
  if (removal === "keep" && EnableTerminationProtection === false) {
    const protect = `aws cloudformation update-termination-protection --enable-termination-protection --stack-name ${stack}`;
    return missing(`One command can delete ${stack}: run ${protect}.`);
  }
  return ok(`${stack} is deployed (${status})`);
}

/** The stage's stack, or one beside it; undefined where there is none. */
export async function findStack(
  { stage }: DeployPlace,
  { StackName = namesOf(stage.name).stack, ...where }: { readonly StackName?: string; readonly region?: string } = {},
): Promise<Stack | undefined> {
  try {
    const { Stacks } = await new CloudFormationClient(where).send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    const isGone = error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message);
    if (isGone) return undefined;
    throw error;
  }
}

async function findSecrets({ stage }: DeployPlace): Promise<string[]> {
  const { hmacSecret, signingSecret, edgeSecret, sandboxSecret } = namesOf(stage.name);
  const client = new SecretsManagerClient({});
  const found: string[] = [];
  const optional = [...(stage.edge ? [edgeSecret] : []), ...(stage.sandbox ? [sandboxSecret] : [])];
  for (const SecretId of [hmacSecret, signingSecret, ...optional]) {
    if (await orUndefined(client.send(new DescribeSecretCommand({ SecretId })))) found.push(`the secret ${SecretId}`);
  }
  return found;
}
