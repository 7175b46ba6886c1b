import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { type DeployEnvironment, deployFaults } from "../stages/stage-rules.ts";
import type { ChosenStage } from "../stages/stages.ts";
import { messageOf } from "../support/message-of.ts";
import { explainAwsFault } from "./aws/aws-faults.ts";
import { readArguments, runCommand } from "./cli/command.ts";
import type { DeployTarget, Finding } from "./preflight/finding.ts";
import { checks } from "./preflight/preflight-checks.ts";
import { enterStage, findRegion, requireStage, stageOptions } from "./service/deployed-stage.ts";

const help = `npm run preflight -- --stage NAME [--stages FILE]

Checks what stops a first deploy or its first users: settings, credentials, the CDK's bootstrap, resources of an earlier
stack, the sandboxes of e-mail and SMS, quotas, services of the region, and what a restored table lacks. Changes nothing. Each
line begins with ok, with missing, with later where something is to be done once the deploy has ended, or with unchecked where
your credentials have no right to check. Without credentials it says what the settings alone show, and what to ask of AWS and
of others, and how long that takes, the longest first; what takes hours or less follows as later.

  --stage NAME   the stage
  --stages FILE  the file that has the stage (infra/stages/stages.ts)

Ends with 0 when all is ok or later, 1 when something is missing or could not be checked, 2 when the call was wrong.
`;

type Outcome = Finding["outcome"] | "unchecked";

if (import.meta.main) await runCommand(preflight);

/** Runs the command and returns its exit code. Leaves this process with the settings of the stage. */
export async function preflight(parameters: string[]): Promise<number> {
  const call = readArguments("preflight", help, { args: parameters, options: stageOptions });
  const chosen = requireStage("preflight", call.values);
  const { stage } = chosen;
  const region = await findSynthRegion(chosen);
  const place = await findPlace(chosen);
  const account = typeof place === "string" ? undefined : place.account;
  const outcomes: Outcome[] = [checkSettings(chosen, { region, account })];
  if (typeof place === "string") {
    say("missing", "credentials", place);
    const asked = checks.map((check) => ({ ...check, ...check.asksFor?.(stage) }));
    for (const { about, asks, days, bySettings } of asked.toSorted((a, b) => (b.days ?? 0) - (a.days ?? 0))) {
      const known = bySettings?.(stage);
      say(known?.outcome ?? (days === undefined ? "later" : "unchecked"), about, known?.text ?? asks);
    }
    return 1;
  }
  say("ok", "credentials", `account ${place.account}, region ${place.region}`);
  for (const { about, bySettings, find } of checks) {
    const { outcome, text } =
      bySettings?.(stage) ??
      (await find(place).catch((error) => ({ outcome: "unchecked" as const, text: explain(error, place) })));
    outcomes.push(say(outcome, about, text));
  }
  return outcomes.every((outcome) => outcome === "ok" || outcome === "later") ? 0 : 1;
}

/** The region that the cdk command finds before it knows the stage; it takes us-east-1 where nothing names one. */
function findSynthRegion(chosen: ChosenStage): Promise<string> {
  return findRegion(chosen).catch(() => process.env.AWS_DEFAULT_REGION ?? "us-east-1");
}

function checkSettings(chosen: ChosenStage, credentials: DeployEnvironment): Outcome {
  const faults = deployFaults(chosen, credentials);
  if (faults.length === 0) return say("ok", "settings", chosen.file);
  for (const fault of faults) say("missing", "settings", fault);
  return "missing";
}

/** The account and region of the credentials, or the reason why AWS cannot be called with them. */
async function findPlace(chosen: ChosenStage): Promise<DeployTarget | string> {
  const { stage, file } = chosen;
  enterStage(stage);
  let region = "";
  try {
    region = await findRegion(chosen);
    const { Account = "" } = await new STSClient({}).send(new GetCallerIdentityCommand({}));
    return { stage, file, account: Account, region };
  } catch (error) {
    return explain(error, { stage, region });
  }
}

function explain(error: unknown, { stage, region }: Pick<DeployTarget, "stage" | "region">): string {
  return messageOf(explainAwsFault(error, { stage: stage.name, region }));
}

function say(outcome: Outcome, about: string, text: string): Outcome {
  process.stdout.write(`${outcome.padEnd(9)}  ${about.padEnd(18)}  ${text}\n`);
  return outcome;
}
