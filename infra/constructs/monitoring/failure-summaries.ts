import { Duration } from "aws-cdk-lib";
import { AlarmRule, CompositeAlarm, type IAlarmAction, type IAlarmRule } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { chunksOf } from "../../../shared/batches.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow } from "./alarm-row.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** What makes every function fail, and has alarms of its own that are sent: nothing that somebody from outside brings about. */
const common = ["table-fails-GetItem", "table-fails-TransactGetItems", "table-fails-TransactWriteItems"];
/** How long an alarm on functions waits for one of those: they are looked at every five minutes. */
const wait = Duration.minutes(6);
/** What one function counts stays in its figure for 15 minutes after the common cause is gone. */
const extension = Duration.minutes(20);
/** A rule has at most 10,240 characters: more alarms than these are grouped under it. */
const mostInOne = 80;

/** What the summaries are made from. */
interface FailureSummariesProps {
  readonly stage: Stage;
  readonly functions: readonly { readonly row: AlarmRow; readonly owner: Construct }[];
  readonly actions: Readonly<Record<"page" | "tomorrow", IAlarmAction>>;
}

/**
 * An alarm that is sent for each function whose failures cannot wait, so that none hides another, and one for all others. They
 * stay silent while what all functions need has an alarm: a table that fails would send one for each. What is sent names the
 * alarms behind it.
 */
export function addFailureSummaries(scope: Construct, { stage, functions, actions }: FailureSummariesProps): void {
  const cause = new CompositeAlarm(scope, "CommonCause", {
    compositeAlarmName: alarmNameOf(stage, "common-cause"),
    alarmDescription: "Keeps the alarms of functions silent: what all of them need has one that is sent.",
    alarmRule: anyOf(stage, common),
  });
  cause.node.addDependency(...common.map((id) => scope.node.findChild(id)));
  const send = (id: string, { ids, owners, about }: Summary, action: IAlarmAction) => {
    const summary = new CompositeAlarm(scope, id, {
      compositeAlarmName: alarmNameOf(stage, id),
      alarmDescription: `${about.impact} Runbook: ${placeInRunbook(about.heading, stage)}`,
      alarmRule: anyOf(stage, ids),
      actionsSuppressor: cause,
      actionsSuppressorWaitPeriod: wait,
      actionsSuppressorExtensionPeriod: extension,
    });
    // CloudWatch takes no summary of alarms that are not there.
    summary.node.addDependency(...owners);
    summary.addAlarmAction(action);
    summary.addOkAction(action);
  };
  for (const { row, owner } of functions.filter(pages)) {
    send(`${row.id}-page`, { ids: [row.id], owners: [owner], about: row }, actions.page);
  }
  const waiting = functions.filter((each) => !pages(each));
  send(
    "functions-tomorrow",
    { ...grouped(scope, stage, "functions-tomorrow", waiting), about: others },
    actions.tomorrow,
  );
}

/** The alarms behind one that is sent, the constructs that have them, and what it says. */
interface Summary {
  readonly ids: readonly string[];
  readonly owners: readonly Construct[];
  readonly about: Pick<AlarmRow, "impact" | "heading">;
}

const others = {
  impact: "Something does not work: each alarm that the reason names says what.",
  heading: "An operation fails",
};

function pages({ row }: { readonly row: AlarmRow }): boolean {
  return row.severity === "page";
}

/** The alarms of functions, or groups of them where they are too many for one rule. */
function grouped(scope: Construct, stage: Stage, id: string, functions: FailureSummariesProps["functions"]) {
  if (functions.length <= mostInOne) return toOwners(functions.map(({ row, owner }) => ({ id: row.id, owner })));
  const groups = chunksOf(functions, mostInOne).map((group, at) => {
    const groupId = `${id}-${at + 1}`;
    const { ids, owners } = toOwners(group.map(({ row, owner }) => ({ id: row.id, owner })));
    const compositeAlarmName = alarmNameOf(stage, groupId);
    const owner = new CompositeAlarm(scope, groupId, { compositeAlarmName, alarmRule: anyOf(stage, ids) });
    owner.node.addDependency(...owners);
    return { id: groupId, owner };
  });
  return toOwners(groups);
}

function toOwners(alarms: readonly { readonly id: string; readonly owner: Construct }[]) {
  return { ids: alarms.map(({ id }) => id), owners: alarms.map(({ owner }) => owner) };
}

function anyOf(stage: Stage, ids: readonly string[]): IAlarmRule {
  return AlarmRule.fromString(ids.map((id) => `ALARM("${alarmNameOf(stage, id)}")`).join(" OR "));
}
