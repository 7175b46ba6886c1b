import {
  GetAliasCommand,
  type LambdaClient,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { functionNameOf, liveAlias } from "../../stages/names.ts";

/** The published versions of a function, and the live one. */
export interface LiveVersions {
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
export interface Move {
  readonly from: number;
  readonly to: number;
}

/** A deploy publishes all its versions within this time, canaries included. */
const deployMilliseconds = 60 * 60 * 1000;

/** Reads the alias and the versions of a function. */
export async function readLiveVersions(client: LambdaClient, stage: string, name: string): Promise<LiveVersions> {
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
export function planMoves(functions: readonly LiveVersions[]): ReadonlyMap<string, Move | undefined> {
  const newest = Math.max(...functions.map((each) => changedAt(each, newestOf(each))));
  const ofLastRelease = functions.filter((each) => changedAt(each, newestOf(each)) > newest - deployMilliseconds);
  return new Map(ofLastRelease.map((each) => [each.name, planMove(each)]));
}

/** Moves an alias to a version. AWS refuses if somebody else moved it meanwhile. */
export async function moveAlias(
  client: LambdaClient,
  { functionName, revision }: LiveVersions,
  to: number,
): Promise<void> {
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
