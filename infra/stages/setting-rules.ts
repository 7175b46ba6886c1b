import { fewestWorkerCalls, queues } from "../functions/queues.ts";
import { tableNameOf } from "./names.ts";
import { edgeOf, type Setting, type Stage } from "./stage-shape.ts";

/** A rule for settings that are each valid. A stage that breaks it is to change the last one. */
export interface StageRule {
  readonly settings: readonly Setting[];
  /** The words that follow those for the setting's values in a refusal. */
  readonly words: string;
  holds(stage: Stage): boolean;
}

export const stageRules: readonly StageRule[] = [
  rule(
    ["name"],
    "that does not end in -outbound, -firewall or -outside, as a bus or a stack of another stage may",
    ({ name }) => !/-(?:outbound|firewall|outside)$/.test(name),
  ),
  rule(
    ["throttle", "anonymousThrottle"],
    "not above those of throttle",
    ({ throttle: all, anonymousThrottle: own }) =>
      own.requestsPerSecond <= all.requestsPerSecond && own.burst <= all.burst,
  ),
  rule(
    ["region", "customDomain"],
    "in the stage's region",
    ({ region, customDomain }) => customDomain === undefined || isIn(region, customDomain.certificateArn),
  ),
  rule(
    ["customDomain", "edge"],
    "beside a customDomain",
    ({ edge, customDomain }) => edgeOf({ edge }) === undefined || customDomain !== undefined,
  ),
  rule(["region", "platformApplications"], "in the stage's region", ({ region, platformApplications = {} }) =>
    Object.values(platformApplications).every((arn) => isIn(region, arn)),
  ),
  rule(
    ["removal", "alarmAddress"],
    "as a stage needs that keeps its data",
    ({ removal, alarmAddress }) => removal !== "keep" || alarmAddress !== undefined,
  ),
  rule(["name", "tableName"], "workforce-NAME-records with numbers after it, such as -2", ({ name, tableName }) =>
    isTableOf(name, tableName),
  ),
  rule(
    ["region", "account", "backupKeptDays", "backupCopyTo"],
    "in another region or account, in a stage with backupKeptDays",
    ({ region, account, backupKeptDays, backupCopyTo }) =>
      backupCopyTo === undefined || (backupKeptDays !== undefined && !isAt({ region, account }, backupCopyTo)),
  ),
  rule(
    ["removal", "backupKeptDays", "backupLockDays"],
    "no more than backupKeptDays, in a stage with removal keep",
    ({ removal, backupKeptDays = 0, backupLockDays = 0 }) =>
      backupLockDays === 0 || (removal === "keep" && backupLockDays <= backupKeptDays),
  ),
  rule(
    ["region", "replicaRegions"],
    "not the stage's own",
    ({ region, replicaRegions = [] }) => region === undefined || !replicaRegions.includes(region),
  ),
  rule(
    ["removal", "backupKeptDays"],
    "in a stage with removal keep alone",
    ({ removal, backupKeptDays }) => removal === "keep" || backupKeptDays === undefined,
  ),
  rule(["reservedConcurrency"], "above 1 for one that consumes a queue", ({ reservedConcurrency = {} }) =>
    Object.values(queues).every(
      ({ worker }) => (reservedConcurrency[worker] ?? fewestWorkerCalls) >= fewestWorkerCalls,
    ),
  ),
  rule(
    ["alarmAddress", "onCallPrincipals"],
    "in a stage with an alarmAddress",
    ({ onCallPrincipals, alarmAddress }) => onCallPrincipals === undefined || alarmAddress !== undefined,
  ),
  rule(
    ["alarmAddress", "probedHost"],
    "in a stage with an alarmAddress",
    ({ probedHost, alarmAddress }) => probedHost === undefined || alarmAddress !== undefined,
  ),
];

function rule<const Name extends Setting>(
  settings: readonly Name[],
  words: string,
  holds: (stage: Pick<Stage, Name>) => boolean,
): StageRule {
  return { settings, words, holds };
}

/** Whether a table is the first one of a stage, or named after it. */
function isTableOf(name: string, tableName = tableNameOf({ name })): boolean {
  return tableName.replace(/(-[0-9]+)*$/, "") === tableNameOf({ name });
}

/** Whether an ARN is in a place; a stage that does not say where it is may be anywhere. */
function isAt({ region, account }: Pick<Stage, "region" | "account">, arn: string): boolean {
  const [, , , itsRegion, itsAccount] = arn.split(":");
  return region === itsRegion && account === itsAccount;
}

/** Whether a resource is in the stage's region; a stage without a region may be anywhere. */
function isIn(region: string | undefined, arn: string): boolean {
  return region === undefined || arn.split(":")[3] === region;
}
