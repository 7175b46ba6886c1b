import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { queueNames, queueSetting } from "../../../shared/run/settings.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import { namesOf, tableNameOf, tokenAudience } from "../../stages/names.ts";
import { requireComplete } from "../../stages/stage-rules.ts";
import { readStageSettings } from "../../stages/stage-settings.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { type ChosenStage, chooseStage, readStages } from "../../stages/stages.ts";
import { explainAwsFault } from "../aws/aws-faults.ts";
import { orMistake, textOption, UsageError } from "../cli/command.ts";

/**
 * Environment variables of resources that no tool needs. The tools remove them from their own environment, because values left
 * there may belong to another stage.
 */
const unusedSettings = ["OPERATION", "OIDC_ISSUER", ...queueNames.map(queueSetting), "QUARANTINE_QUEUE_URL"];

/** The options that name a stage in AWS. */
export const stageOptions = { stage: textOption, stages: textOption } as const;

/** The values of these options. */
export interface StageNamed {
  readonly stage?: string | undefined;
  readonly stages?: string | undefined;
}

/**
 * The stage that the options name; undefined without any, for the local machine. Throws `UsageError` if there is no such stage, if
 * it lacks settings, if it is the local machine's, or if a file is named without a stage.
 */
export function readStage({ stage: name, stages: file }: StageNamed): ChosenStage | undefined {
  if (name === "local") throw new UsageError("The stage local is this machine's: leave --stage out.");
  if (name === undefined) {
    if (file === undefined) return undefined;
    throw new UsageError("--stages FILE goes with --stage NAME, which is one of the file's stages");
  }
  return orMistake("", () => {
    const chosen = chooseStage(name, readStages(file));
    requireComplete(chosen);
    return chosen;
  });
}

/** Like `readStage`, for commands that are of stages in AWS alone. */
export function requireStage(command: string, named: StageNamed): ChosenStage {
  const chosen = readStage(named);
  if (chosen) return chosen;
  throw new UsageError(`Say which stage: --stage NAME (npm run ${command} -- --help)`);
}

/** Longer than for requests: a tool can wait, and may be far away. */
const callPatience = "10";

/**
 * Makes this process a client of a stage: sets its settings and removes those of others, because the service's modules read
 * them from the environment, as they do in Lambda. Credentials stay the user's own.
 */
export function enterStage(stage: Stage): void {
  for (const name of unusedSettings) delete process.env[name];
  const { hmacSecret, signingSecret, tokenIssuer } = namesOf(stage.name);
  Object.assign(process.env, {
    ...readStageSettings(stage),
    TABLE_NAME: tableNameOf(stage),
    // Secrets Manager accepts a name in place of an ARN.
    HMAC_SECRET_ARN: hmacSecret,
    SIGNING_SECRET_ARN: signingSecret,
    TOKEN_ISSUER: tokenIssuer,
    TOKEN_AUDIENCE: tokenAudience,
  });
  process.env.CALL_PATIENCE ??= callPatience;
  // The commands of AWS and CDK also read the second variable.
  const region = stage.region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (region) process.env.AWS_REGION = region;
}

/** The region of this process. Throws `UsageError` if nothing sets one. */
export async function findRegion({ stage, file }: ChosenStage): Promise<string> {
  return withClient(new DynamoDBClient({}), ({ config }) => config.region()).catch(() => {
    const advice = `set AWS_REGION, or the region of the stage ${stage.name} in ${file}`;
    throw new UsageError(`No AWS region is named: ${advice}.`);
  });
}

/** Runs work as a client of a stage, with its region. Throws AWS errors as one sentence that says what to do. */
export async function inStage<T>(chosen: ChosenStage, work: (region: string) => Promise<T>): Promise<T> {
  const { stage } = chosen;
  enterStage(stage);
  const region = await findRegion(chosen);
  try {
    return await work(region);
  } catch (error) {
    throw explainAwsFault(error, { stage: stage.name, region });
  }
}
