import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { requireDeployable } from "../stages/stage-rules.ts";
import { type Stage, StageRefusal, stagesFile } from "../stages/stages.ts";
import { readArguments, runCommand, UsageError } from "./cli/command.ts";
import { checks, type DeployPlace, type Finding } from "./preflight/preflight-checks.ts";
import { explainAwsFault } from "./service/aws-faults.ts";
import { enterStage, findDeployedStage, findRegion, stagesHelp } from "./service/deployed-stage.ts";

const help = `npm run preflight -- --stage NAME

Checks that a stage is ready for its first deploy and its first users: settings, credentials, the CDK's bootstrap,
resources of an earlier stack, the sandboxes of e-mail and SMS, and quotas. Changes nothing. Each line begins with ok,
with missing, with later where something is to be done once the deploy has ended, or with unchecked where your credentials
have no right to check.

  --stage NAME  the stage
  --help        show this

${stagesHelp}

Ends with 0 when all is ok or later, 1 when something is missing or could not be checked, 2 when the call was wrong.
`;

type Outcome = Finding["outcome"] | "unchecked";

if (import.meta.main) await runCommand(preflight);

async function preflight(parameters: string[]): Promise<number> {
  const call = readArguments("preflight", help, { args: parameters, options: { stage: { type: "string" } } });
  if (!call) return 0;
  if (!call.values.stage) throw new UsageError("Say which stage: --stage NAME (npm run preflight -- --help)");
  const stage = findDeployedStage(call.values.stage);
  const outcomes: Outcome[] = [checkSettings(stage)];
  const place = await checkCredentials(stage);
  if (!place) return 1;
  for (const { about, find } of checks) {
    const finding = await find(place).catch((error) => ({
      outcome: "unchecked" as const,
      text: explain(error, place),
    }));
    outcomes.push(say(finding.outcome, about, finding.text));
  }
  return outcomes.every((outcome) => outcome === "ok" || outcome === "later") ? 0 : 1;
}

function checkSettings(stage: Stage): Outcome {
  try {
    requireDeployable(stage, stage.region && process.env.AWS_REGION);
    return say("ok", "settings", stagesFile());
  } catch (error) {
    if (!(error instanceof StageRefusal)) throw error;
    for (const fault of error.message.split("\n")) say("missing", "settings", fault);
    return "missing";
  }
}

/** The account and region of the credentials; undefined, having said why, where nothing else can be looked at. */
async function checkCredentials(stage: Stage): Promise<DeployPlace | undefined> {
  enterStage(stage);
  let region = "";
  try {
    region = await findRegion(stage);
    const { Account = "" } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
    say("ok", "credentials", `account ${Account}, region ${region}`);
    return { stage, account: Account, region };
  } catch (error) {
    say("missing", "credentials", explain(error, { stage, region }));
    return undefined;
  }
}

function explain(error: unknown, { stage, region }: Pick<DeployPlace, "stage" | "region">): string {
  const explained = explainAwsFault(error, { stage: stage.name, region });
  return explained instanceof Error ? explained.message : String(explained);
}

function say(outcome: Outcome, about: string, text: string): Outcome {
  process.stdout.write(`${outcome.padEnd(9)}  ${about.padEnd(18)}  ${text}\n`);
  return outcome;
}
