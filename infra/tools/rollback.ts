import {
  GetAliasCommand,
  LambdaClient,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { type FunctionName, functions } from "../functions/functions.ts";
import { withClient } from "../local/aws/with-client.ts";
import { functionNameOf, liveAlias } from "../stages/names.ts";
import type { Stage } from "../stages/stages.ts";
import { readArguments, runCommand, UsageError, unknownWord } from "./cli/command.ts";
import { findDeployedStage, inStage } from "./service/deployed-stage.ts";

const canaries = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary);

const help = `npm run rollback -- --stage NAME [--function NAME …] [--dry-run]

Leads the calls of functions back to the version before the last release, within seconds and without a deploy. It moves the
alias of those that the last release changed; a canary that is under way ends with the version before. A repeated call goes
back one version more. Functions without versions stay: deploy the last good commit for them.

  --stage NAME     a stage in AWS with deployment "canary", with your own credentials
  --function NAME  this function only; may be given several times. There are
                   ${canaries.join(",\n                   ")}
  --dry-run        say what would move, and change nothing

The next deploy needs -c release=now: CodeDeploy refuses an alias that it did not move itself.
`;

const canaryRuns =
  'A canary is under way, and CodeDeploy may lead calls to its version again: stop it as "Roll back" in infra/RUNBOOK.md says.';

/** A deploy publishes all its versions within this time, canaries included. */
const deployMilliseconds = 60 * 60 * 1000;

if (import.meta.main) await runCommand(rollback);

/** Runs the command and returns its exit code. */
export async function rollback(parameters: string[]): Promise<number> {
  const options = {
    stage: { type: "string" },
    function: { type: "string", multiple: true },
    "dry-run": { type: "boolean" },
  } as const;
  const call = readArguments("rollback", help, { args: parameters, options });
  const { values } = call;
  if (!values.stage) throw new UsageError("Say which stage: --stage NAME (npm run rollback -- --help)");
  const stage = findCanaryStage(values.stage);
  for (const name of values.function ?? []) {
    if (!canaries.some((each) => each === name)) throw unknownWord("function with versions", name, canaries);
  }
  return inStage(stage, () => goBack(stage, values.function ?? canaries, values["dry-run"] === true));
}

function findCanaryStage(name: string): Stage {
  const stage = findDeployedStage(name);
  if (stage.deployment === "canary") return stage;
  const advice = `check out the last good commit and run npx cdk deploy -c stage=${name}`;
  throw new UsageError(`The stage ${name} deploys at once and has no versions to go back to: ${advice}.`);
}

async function goBack(stage: Stage, names: readonly string[], isDryRun: boolean): Promise<number> {
  return withClient(new LambdaClient({}), async (client) => {
    const found = await Promise.all(canaries.map((name) => readLiveVersions(client, stage.name, name)));
    const chosen = found.filter(({ name }) => names.includes(name));
    const moves = planMoves(found);
    const stuck = chosen.filter(({ name }) => moves.has(name) && !moves.get(name));
    for (const each of chosen) await moveOne(client, each, { moves, isDryRun });
    if (!isDryRun && chosen.some(({ canary }) => canary !== undefined)) say(canaryRuns);
    say(`Deploy the cure with npx cdk deploy -c stage=${stage.name} -c release=now`);
    return stuck.length > 0 ? 1 : 0;
  });
}

async function moveOne(
  client: LambdaClient,
  each: LiveVersions,
  { moves, isDryRun }: { moves: ReturnType<typeof planMoves>; isDryRun: boolean },
): Promise<void> {
  const move = moves.get(each.name);
  if (!moves.has(each.name))
    return say(`${each.name}: stays at version ${each.live}, which is older than the last release`);
  if (!move) return say(`${each.name}: stays at version ${each.live}, as no version before it is left`);
  if (isDryRun) return say(`${each.name}: would go from version ${move.from} to ${move.to}`);
  await moveAlias(client, each, move.to);
  say(`${each.name}: went from version ${move.from} to ${move.to}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The published versions of a function, and the live one. */
interface LiveVersions {
  readonly name: string;
  readonly functionName: string;
  /** The alias's main version; during a canary, the one before. */
  readonly live: number;
  /** The version that a canary tries; undefined if none runs. */
  readonly canary: number | undefined;
  readonly versions: readonly PublishedVersion[];
  readonly revision: string | undefined;
}

interface PublishedVersion {
  readonly version: number;
  /** The time of its last code change, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** A move of an alias from a version to another, which then takes all calls. */
interface Move {
  readonly from: number;
  readonly to: number;
}

/** Reads the alias and the versions of a function. */
async function readLiveVersions(client: LambdaClient, stage: string, name: string): Promise<LiveVersions> {
  const functionName = functionNameOf(stage, name);
  const alias = await client.send(new GetAliasCommand({ FunctionName: functionName, Name: liveAlias }));
  const versions: PublishedVersion[] = [];
  for await (const page of paginateListVersionsByFunction({ client }, { FunctionName: functionName })) {
    for (const { Version = "", LastModified = "" } of page.Versions ?? []) {
      if (/^\d+$/.test(Version)) versions.push({ version: Number(Version), changedAt: Date.parse(LastModified) });
    }
  }
  const [weighted] = Object.keys(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  return {
    name,
    functionName,
    live: Number(alias.FunctionVersion),
    canary: weighted === undefined ? undefined : Number(weighted),
    versions,
    revision: alias.RevisionId,
  };
}

/**
 * The moves that lead back to the versions before the last release, by function. A function that the release did not
 * change has none. If the version before is gone, the move is undefined.
 */
function planMoves(functions: readonly LiveVersions[]): ReadonlyMap<string, Move | undefined> {
  const newest = Math.max(...functions.map((each) => changedAt(each, newestOf(each))));
  const ofLastRelease = functions.filter((each) => changedAt(each, newestOf(each)) > newest - deployMilliseconds);
  return new Map(ofLastRelease.map((each) => [each.name, planMove(each)]));
}

/** Moves an alias to a version. AWS refuses if somebody else moved it meanwhile. */
async function moveAlias(client: LambdaClient, { functionName, revision }: LiveVersions, to: number): Promise<void> {
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

function planMove(each: LiveVersions): Move | undefined {
  if (each.canary !== undefined) return { from: each.canary, to: each.live };
  const before = each.versions.map(({ version }) => version).filter((version) => version < each.live);
  return before.length > 0 ? { from: each.live, to: Math.max(...before) } : undefined;
}

function newestOf({ live, canary }: LiveVersions): number {
  return canary ?? live;
}

function changedAt({ versions }: LiveVersions, version: number): number {
  return versions.find((each) => each.version === version)?.changedAt ?? 0;
}
