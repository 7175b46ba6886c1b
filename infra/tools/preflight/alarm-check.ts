import { LambdaClient } from "@aws-sdk/client-lambda";
import * as v from "valibot";
import { callService } from "../../../shared/call-service.ts";
import { namesOf, outsideAlarm, testedAlarms } from "../../stages/names.ts";
import { type Check, type DeployTarget, type Finding, later, ok } from "./finding.ts";

const history = v.object({ AlarmHistoryItems: v.array(v.object({ HistorySummary: v.string() })) });

/** Whether an alarm of each severity reached its target within the 30 days that CloudWatch remembers. */
export const alarmCheck: Check = {
  about: "alarms",
  asks: "Fire the alarms for test after the first deploy, in minutes.",
  isSet: ({ alarmAddress }) => alarmAddress === undefined,
  find: findAlarms,
};

async function findAlarms({ stage }: DeployTarget): Promise<Finding> {
  if (stage.alarmAddress === undefined) return ok("for stages that name an alarmAddress");
  const tested = testedAlarms.map((id) => ({ id, where: {} }));
  if (stage.probedHost !== undefined) tested.push({ id: outsideAlarm, where: { region: "us-east-1" } });
  const silent: string[] = [];
  for (const { id, where } of tested) {
    const AlarmName = `${namesOf(stage.name).stack}-${id}`;
    const action = { service: "monitoring", target: "GraniteServiceVersion20100801.DescribeAlarmHistory" } as const;
    const input = { AlarmName, HistoryItemType: "Action", MaxRecords: 100 };
    const { AlarmHistoryItems } = v.parse(history, await callService(new LambdaClient(where), action, input));
    if (!AlarmHistoryItems.some(({ HistorySummary }) => HistorySummary.startsWith("Successfully executed action")))
      silent.push(AlarmName);
  }
  if (silent.length === 0)
    return ok("one of each severity reached its topic within 30 days; ask whoever is to get them");
  const advice = 'fire them once the deploy has ended, as "Fire the alarms for test" in infra/RUNBOOK.md says';
  return later(`Nobody knows whether alarms arrive; ${silent.join(" and ")} reached no topic for 30 days: ${advice}.`);
}
