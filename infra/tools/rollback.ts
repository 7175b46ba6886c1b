import {
  GetAliasCommand,
  LambdaClient,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { type FunctionName, functions } from "../functions/functions.ts";
import { withClient } from "../runtime/aws/with-client.ts";
import { functionNameOf, liveAlias, namesOf } from "../stages/names.ts";
import type { Stage } from "../stages/stage-shape.ts";
import type { ChosenStage } from "../stages/stages.ts";
import { flagOption, readArguments, runCommand, UsageError } from "./cli/command.ts";
import { inStage, requireStage, type StageNamed, stageOptions } from "./service/deployed-stage.ts";

const canaries = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary);

const help = `npm run rollback -- --stage NAME [--stages FILE] [--dry-run]

Leads the calls of functions back to the version before the last release, within seconds and without a deploy. It moves the
alias of those that the last release changed; a canary that is under way ends with the version before. A repeated call goes
back one version more. Functions without versions stay: deploy the last good commit for them.

  --stage NAME   a stage in AWS with deployment "canary", with your own credentials
  --stages FILE  the file that has the stage (infra/stages/stages.ts)
  --dry-run      say what would move, and change nothing

The next deploy needs -c release=now: CodeDeploy refuses an alias that it did not move itself.
`;

const canaryRuns =
  'A canary is under way, and CodeDeploy may lead calls to its version again: stop it as "Roll back" in infra/RUNBOOK.md says.';

/** A deploy publishes all its versions within this time, canaries included. */
export const deployMilliseconds = 60 * 60 * 1000;

if (import.meta.main) await runCommand(rollback);

/** Runs the command and returns its exit code. */
export async function rollback(parameters: string[]): Promise<number> {
  const options = { ...stageOptions, "dry-run": flagOption };
  const { values } = readArguments("rollback", help, { args: parameters, options });
  const chosen = findCanaryStage(values);
  return inStage(chosen, () => goBack(chosen.stage, values["dry-run"] === true));
}

function findCanaryStage(named: StageNamed): ChosenStage {
  const chosen = requireStage("rollback", named);
  const { name, deployment } = chosen.stage;
  if (deployment === "canary") return chosen;
  const advice = `check out the last good commit and run npx cdk deploy ${namesOf(name).stack} -c stage=${name}`;
  throw new UsageError(`The stage ${name} deploys at once and has no versions to go back to: ${advice}.`);
}

async function goBack(stage: Stage, isDryRun: boolean): Promise<number> {
  return withClient(new LambdaClient({}), async (client) => {
    const found = await Promise.all(canaries.map((name) => readLiveRelease(client, stage.name, name)));
    const newest = Math.max(...found.map(({ releasedAt }) => releasedAt));
    const isLast = ({ releasedAt }: LiveRelease) => releasedAt > newest - deployMilliseconds;
    let code = 0;
    for (const each of found) {
      const { name, from, to } = each;
      if (!isLast(each)) say(`${name}: stays at version ${from}, which is older than the last release`);
      else if (to === undefined) {
        say(`${name}: stays at version ${from}, as no version before it is left`);
        code = 1;
      } else if (isDryRun) say(`${name}: would go from version ${from} to ${to}`);
      else {
        await moveAlias(client, each, to);
        say(`${name}: went from version ${from} to ${to}`);
      }
    }
    if (found.some(({ isCanary }) => isCanary)) say(canaryRuns);
    say(`Deploy the cure with npx cdk deploy ${namesOf(stage.name).stack} -c stage=${stage.name} -c release=now`);
    return code;
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The live version of a function, and the one before it. */
interface LiveRelease {
  readonly name: string;
  readonly functionName: string;
  /** The newest version that takes calls, which may be a canary. */
  readonly from: number;
  /** The time of its last code change, in milliseconds since 1970. */
  readonly releasedAt: number;
  /** The version before; undefined if none is left. */
  readonly to: number | undefined;
  readonly isCanary: boolean;
  readonly revision: string | undefined;
}

async function readLiveRelease(client: LambdaClient, stage: string, name: string): Promise<LiveRelease> {
  const functionName = functionNameOf(stage, name);
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: liveAlias }));
  const changes = new Map<number, number>();
  for await (const page of paginateListVersionsByFunction({ client }, { FunctionName: functionName })) {
    // $LATEST is no number, and so before no version.
    for (const { Version, LastModified = "" } of page.Versions ?? []) {
      changes.set(Number(Version), Date.parse(LastModified));
    }
  }
  const main = Number(alias.FunctionVersion);
  const [canary] = Object.keys(alias.RoutingConfig?.AdditionalVersionWeights ?? {}).map(Number);
  const from = canary ?? main;
  const before = canary === undefined ? [...changes.keys()].filter((version) => version < main) : [main];
  return {
    name,
    functionName,
    from,
    releasedAt: changes.get(from) ?? 0,
    to: before.length > 0 ? Math.max(...before) : undefined,
    isCanary: canary !== undefined,
    revision: alias.RevisionId,
  };
}

/** AWS refuses if somebody else moved the alias meanwhile. */
async function moveAlias(client: LambdaClient, { functionName, revision }: LiveRelease, to: number): Promise<void> {
  await client.send(
    new UpdateAliasCommand({
      FunctionName: functionName,
      Name: liveAlias,
      FunctionVersion: String(to),
      RoutingConfig: { AdditionalVersionWeights: {} },
      RevisionId: revision,
    }),
  );
}
