import type { Context } from "aws-lambda";
import { beginChange } from "../contract/operation.ts";
import { carryOut } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import type { WriteContext } from "../table/plans.ts";
import { requireScheduled } from "./expected-events.ts";
import { logEnd } from "./log-end.ts";

/** The handler of calls by a schedule or a deploy. It logs one line at the end; a fault is logged and rethrown for a retry. */
export function forSchedule<T>(
  work: (context: WriteContext) => Promise<T>,
): (event?: unknown, context?: Pick<Context, "awsRequestId">) => Promise<T> {
  return (event, context) => {
    const [operation, request] = [settings.operation(), context?.awsRequestId];
    const change = beginChange({ operation, request, by: `schedule#${operation}` });
    const run = async () => {
      requireScheduled(event);
      return work({ now: new Date(), change });
    };
    return carryOut({ operation, request_id: request }, () => logEnd(run));
  };
}
