import type { Context } from "aws-lambda";
import { settings } from "../settings.ts";
import { actAs, carryOut } from "../work.ts";
import { logEnd } from "./log-end.ts";

/**
 * The handler of calls by a schedule or a deploy. It logs one line at the end; a fault is logged and rethrown for a
 * retry.
 */
export function forSchedule<T>(
  work: (now: Date, event: unknown) => Promise<T>,
): (event?: unknown, context?: Pick<Context, "awsRequestId">) => Promise<T> {
  return (event, context) =>
    carryOut({ operation: settings.operation(), request_id: context?.awsRequestId }, () =>
      logEnd(() => {
        actAs(`schedule#${settings.operation()}`);
        return work(new Date(), event);
      }),
    );
}
