import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DescribeSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import { GetSMSAttributesCommand, GetSMSSandboxAccountStatusCommand, SNSClient } from "@aws-sdk/client-sns";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { isMarkedComplete, type Migration, requiredMigrations } from "../../../shared/db/migrate/migrations.ts";
import { namesOf } from "../../stages/names.ts";
import { isReserved } from "../../stages/stage-rules.ts";
import { type Stage, stagesFile } from "../../stages/stages.ts";
import { kindOfAwsFault } from "../service/aws-faults.ts";

/** Where a stage is to be deployed. */
export interface DeployPlace {
  readonly stage: Stage;
  readonly account: string;
  readonly region: string;
}

/** What a check found, in a sentence that says what to do where something is missing, or is to be done after the deploy. */
export interface Finding {
  readonly outcome: "ok" | "missing" | "later";
  readonly text: string;
}

/** A condition of a first deploy, or of the service after it. Throws what AWS refuses. */
export interface Check {
  readonly about: string;
  find(place: DeployPlace): Promise<Finding>;
}

/** Concurrency that Lambda keeps for functions without a reservation. */
const unreservedCalls = 100;
/** A call holds a function for about this long. */
const secondsPerCall = 0.1;

/** All checks, in the order that their findings are best fixed. */
export const checks: readonly Check[] = [
  { about: "CDK bootstrap", find: findBootstrap },
  { about: "earlier stack", find: findLeftovers },
  { about: "e-mail sender", find: findSender },
  { about: "e-mail sandbox", find: findEmailSandbox },
  { about: "SMS sandbox", find: findSmsSandbox },
  { about: "SMS sender", find: findSmsSender },
  { about: "SMS spend", find: findSmsSpend },
  { about: "Lambda concurrency", find: findConcurrency },
  ...requiredMigrations.map(migrationCheck),
];

/** The check of a new index or key: code reads from it only once its migration is complete. */
export function migrationCheck({ name }: Migration): Check {
  return {
    about: "migration",
    async find({ stage }) {
      process.env.TABLE_NAME = namesOf(stage.name).table;
      try {
        if (await isMarkedComplete(name)) return ok(`${name} is complete`);
      } catch (error) {
        if (kindOfAwsFault(error) === "not-found") return ok(`${name}: nothing is stored yet`);
        throw error;
      }
      const text = `${name} is not complete: once the deploy has ended, run npm run migrate -- --stage ${stage.name}.`;
      return { outcome: "later", text };
    },
  };
}

function ok(text: string): Finding {
  return { outcome: "ok", text };
}

function missing(text: string): Finding {
  return { outcome: "missing", text };
}

async function findBootstrap({ account, region }: DeployPlace): Promise<Finding> {
  const Name = "/cdk-bootstrap/hnb659fds/version";
  const found = await orUndefined(new SSMClient({}).send(new GetParameterCommand({ Name })));
  if (found) return ok(`version ${found.Parameter?.Value}`);
  return missing(`Run npx cdk bootstrap aws://${account}/${region}.`);
}

/** A stack that failed at its creation, and the resources of a removed one, block a deploy by their names. */
async function findLeftovers(place: DeployPlace): Promise<Finding> {
  const { name } = place.stage;
  const { table, backupVault } = namesOf(name);
  const status = await findStackStatus(place);
  if (status !== undefined) return judgeStack(place.stage, status);
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
function judgeStack({ name, removal }: Stage, status: string): Finding {
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
  return ok(`${stack} is deployed (${status})`);
}

async function findStackStatus({ stage }: DeployPlace): Promise<string | undefined> {
  const command = new DescribeStacksCommand({ StackName: namesOf(stage.name).stack });
  try {
    return (await new CloudFormationClient({}).send(command)).Stacks?.[0]?.StackStatus;
  } catch (error) {
    const isGone = error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message);
    if (isGone) return undefined;
    throw error;
  }
}

async function findSecrets({ stage }: DeployPlace): Promise<string[]> {
  const { hmacSecret, signingSecret, edgeSecret } = namesOf(stage.name);
  const client = new SecretsManagerClient({});
  const found: string[] = [];
  for (const SecretId of [hmacSecret, signingSecret, ...(stage.edge ? [edgeSecret] : [])]) {
    if (await orUndefined(client.send(new DescribeSecretCommand({ SecretId })))) found.push(`the secret ${SecretId}`);
  }
  return found;
}

async function findSender(place: DeployPlace): Promise<Finding> {
  const { senderAddress, senderIdentity } = place.stage;
  const domain = senderAddress.slice(senderAddress.lastIndexOf("@") + 1);
  const identity = senderIdentity === "domain" ? domain : senderAddress;
  if (isReserved(domain)) {
    const advice = "set senderAddress to an address of yours, or no pin is sent by e-mail";
    return missing(`${senderAddress} is a placeholder that nobody can verify: ${advice}.`);
  }
  const client = new SESv2Client({});
  const find = (EmailIdentity: string) => orUndefined(client.send(new GetEmailIdentityCommand({ EmailIdentity })));
  // An address may be sent from when its domain is verified, too.
  const found = (await find(identity)) ?? (senderIdentity === "existing" ? await find(domain) : undefined);
  if (found && senderIdentity !== "existing" && (await findStackStatus(place)) === undefined) {
    return missing(`SES has ${identity} already: set senderIdentity to "existing", or delete it in SES.`);
  }
  if (found?.VerifiedForSendingStatus) return ok(`${identity} is verified`);
  const proof =
    senderIdentity === "domain" ? `publish the DKIM records of ${domain}` : "open the link that SES mails to it";
  if (found) return missing(`${identity} is not verified: ${proof}.`);
  if (senderIdentity === "existing") return missing(`SES does not know ${identity}: verify it, or its domain.`);
  return missing(`${identity} is not verified: the deploy requests it from SES; then ${proof}.`);
}

async function findEmailSandbox(): Promise<Finding> {
  const { ProductionAccessEnabled, SendingEnabled } = await new SESv2Client({}).send(new GetAccountCommand({}));
  if (SendingEnabled === false)
    return missing("AWS has paused the account's e-mail: answer its case in the SES console.");
  if (ProductionAccessEnabled) return ok("the account may send e-mail to any address");
  return missing(
    "The account may send e-mail to verified addresses only: request production access in the SES console.",
  );
}

async function findSmsSandbox(): Promise<Finding> {
  const { IsInSandbox } = await new SNSClient({}).send(new GetSMSSandboxAccountStatusCommand({}));
  if (!IsInSandbox) return ok("the account may send SMS to any number");
  return missing(
    "The account may send SMS to verified numbers only: request to leave the SMS sandbox in the SNS console.",
  );
}

async function findSmsSender({ stage }: DeployPlace): Promise<Finding> {
  const countries = stage.servedCountries.join(", ");
  if (stage.smsSenderId !== undefined) {
    return ok(`${stage.smsSenderId}; whether it is registered for ${countries}, the SMS console shows`);
  }
  const advice = "register a sender with AWS, which takes weeks, and set smsSenderId";
  return missing(`SMS have no sender, and networks in ${countries} may drop them without a fault: ${advice}.`);
}

async function findSmsSpend({ stage }: DeployPlace): Promise<Finding> {
  const command = new GetSMSAttributesCommand({ attributes: ["MonthlySpendLimit"] });
  // An account that has never set it is held to 1 dollar.
  const dollars = Number((await new SNSClient({}).send(command)).attributes?.MonthlySpendLimit ?? 1);
  const wanted = stage.smsMonthlySpendLimitDollars;
  if (wanted === undefined) return ok(`the account's limit is ${dollars} dollars a month; the stage sets no limit`);
  if (dollars >= wanted) return ok(`${dollars} dollars a month`);
  const set = `run aws sns set-sms-attributes --attributes MonthlySpendLimit=${wanted}`;
  const advice = `${set}; where AWS refuses, have it raise the SMS spend quota to ${wanted} in Service Quotas first`;
  return missing(`The account's limit is ${dollars} dollars a month, the stage sets ${wanted}: ${advice}.`);
}

async function findConcurrency({ stage }: DeployPlace): Promise<Finding> {
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const limit = AccountLimit?.ConcurrentExecutions ?? 0;
  const reserved = Object.values(stage.reservedConcurrency ?? {}).reduce((sum, calls) => sum + calls, 0);
  const busy = Math.ceil(stage.throttle.requestsPerSecond * secondsPerCall);
  const wanted = Math.max(reserved > 0 ? reserved + unreservedCalls : 0, reserved + busy);
  if (limit >= wanted) return ok(`${limit} concurrent executions`);
  const advice = `request more in Service Quotas, or lower reservedConcurrency and throttle in ${stagesFile()}`;
  return missing(`The account allows ${limit} concurrent executions, the stage needs ${wanted}: ${advice}.`);
}

/** What a call found; undefined where there is no such thing. */
async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (kindOfAwsFault(error) === "not-found") return undefined;
    throw error;
  }
}
