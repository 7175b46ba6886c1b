import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { namesOf, tokenAudience } from "../../stages/names.ts";
import { requireComplete } from "../../stages/stage-rules.ts";
import { readStageSettings } from "../../stages/stage-settings.ts";
import { findStage, type Stage, stagesFile } from "../../stages/stages.ts";
import { UsageError } from "../cli/command.ts";

/** The settings that lead to something which tools do not use; a tool that needs one names it, rather than using another stage's. */
const unusedSettings = [
  "OPERATION",
  "OIDC_ISSUER",
  "NOTICE_QUEUE_URL",
  "NOTIFICATION_QUEUE_URL",
  "PIN_QUEUE_URL",
  "PUSH_QUEUE_URL",
  "QUARANTINE_QUEUE_URL",
  "WEBHOOK_QUEUE_URL",
  "WEBHOOK_DEAD_LETTERS_URL",
];

/** Where a tool's --stage looks. */
export const stagesHelp =
  "Stages are those of infra/stages/stages.ts, or of the file that the environment variable WORKFORCE_STAGES names.";

/** The stage of that name. Throws `UsageError` where there is none, where it lacks settings, or is the local machine's. */
export function findDeployedStage(name: string): Stage {
  if (name === "local") throw new UsageError("The stage local is this machine's: leave --stage out.");
  try {
    const stage = findStage(name);
    requireComplete(stage);
    return stage;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A tool has time where requests of users have none, and may be far away. */
const callPatience = "10";

/** Makes this process a client of a stage: its settings, and nothing of another's. Credentials stay the user's own. */
export function enterStage(stage: Stage): void {
  for (const name of unusedSettings) delete process.env[name];
  const { table, hmacSecret, signingSecret, webhookSecret, tokenIssuer } = namesOf(stage.name);
  Object.assign(process.env, {
    ...readStageSettings(stage),
    TABLE_NAME: table,
    // Secrets Manager takes a name where it takes an ARN.
    HMAC_SECRET_ARN: hmacSecret,
    SIGNING_SECRET_ARN: signingSecret,
    WEBHOOK_SECRET_ARN: webhookSecret,
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  });
  process.env.CALL_PATIENCE ??= callPatience;
  // The AWS and CDK commands read the second name in addition to the first.
  const region = stage.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (region) process.env.AWS_REGION = region;
}

/** The region that this process works in. Throws `UsageError` where nothing names one. */
export async function findRegion(stage: Stage): Promise<string> {
  const client = new DynamoDBClient({});
  try {
    return await client.config.region();
  } catch {
    const advice = `set AWS_REGION, or the region of the stage ${stage.name} in ${stagesFile()}`;
    throw new UsageError(`No AWS region is named: ${advice}.`);
  } finally {
    client.destroy();
  }
}
