import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { makeFamily } from "../../shared/domain/refresh-token.ts";
import { signAccessToken } from "../../shared/tokens/issue-tokens.ts";
import { namesOf, tokenAudience } from "../names.ts";
import { readStageSettings } from "../stage-settings.ts";
import { findStage, type Stage } from "../stages.ts";
import { explainAwsFault } from "./aws-faults.ts";
import { UsageError } from "./command.ts";
import type { Service } from "./service.ts";
import { findTokenUser } from "./token-user.ts";

/** The settings that lead to something which tools do not use; a tool that needs one names it, rather than using another stage's. */
const unusedSettings = [
  "OPERATION",
  "OUTSIDE_ISSUER",
  "NOTICE_QUEUE_URL",
  "NOTIFICATION_QUEUE_URL",
  "PIN_QUEUE_URL",
  "PUSH_QUEUE_URL",
  "SET_ASIDE_QUEUE_URL",
];

/**
 * Gives work the service of a stage in AWS, in the account of the user's own credentials, and says on standard error which
 * account and region that is. What AWS refuses is thrown as one sentence that says what to do.
 */
export async function withDeployedService<T>(stageName: string, work: (service: Service) => Promise<T>): Promise<T> {
  const stage = findDeployedStage(stageName);
  enterStage(stage);
  const region = await findRegion(stage);
  try {
    const account = await findAccount(stage);
    process.stderr.write(`Stage ${stage.name}, account ${account}, region ${region}\n`);
    return await work({
      running: true,
      workOff: async () => {},
      mintTokenFor: (login, hours) => mintToken(stage, login, hours),
    });
  } catch (error) {
    throw explainAwsFault(error, { stage: stage.name, region });
  }
}

/** The stage of that name. Throws `UsageError` where there is none, or where it is the local machine's. */
function findDeployedStage(name: string): Stage {
  if (name === "local") throw new UsageError("The stage local is this machine's: leave --stage out.");
  try {
    return findStage(name);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Makes this process a client of a stage: its settings, and nothing of another's. Credentials stay the user's own. */
function enterStage(stage: Stage): void {
  for (const name of unusedSettings) delete process.env[name];
  const { table, hmacSecret, signingSecret, tokenIssuer } = namesOf(stage.name);
  Object.assign(process.env, {
    ...readStageSettings(stage),
    TABLE_NAME: table,
    // Secrets Manager takes a name where it takes an ARN.
    HMAC_SECRET_ARN: hmacSecret,
    SIGNING_SECRET_ARN: signingSecret,
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  });
  // The second name is the one that the AWS and CDK commands read beside the first.
  const region = stage.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (region) process.env.AWS_REGION = region;
}

/** The region that this process works in. Throws `UsageError` where nothing names one. */
async function findRegion(stage: Stage): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    return await client.config.region();
  } catch {
    const advice = `set AWS_REGION, or the region of the stage ${stage.name} in infra/stages.ts`;
    throw new UsageError(`No AWS region is named: ${advice}.`);
  } finally {
    client.destroy();
  }
}

/** The account that holds the stage's table. */
async function findAccount(stage: Stage): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: namesOf(stage.name).table }));
    return Table?.TableArn?.split(":")[4] ?? "unknown";
  } finally {
    client.destroy();
  }
}

async function mintToken(stage: Stage, login: string, hours: number): Promise<string> {
  if (stage.outsideIssuer) {
    const { issuer } = stage.outsideIssuer;
    throw new UsageError(`The stage ${stage.name} trusts the tokens of ${issuer} alone: sign in there.`);
  }
  const { id, role, company_id } = await findTokenUser(login, `the stage ${stage.name}`);
  const subject = { id, role, financial_company_id: company_id };
  return signAccessToken(subject, makeFamily(), new Date(), Math.ceil(hours * 60 * 60));
}
