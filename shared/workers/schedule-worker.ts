import type { Context } from "aws-lambda";
import { settings } from "../settings.ts";
import { actAs, carryOut } from "../work.ts";
import { logEnd } from "./log-end.ts";

/** The handler of what a schedule or a deploy calls: one line at its end; a fault is logged and thrown on, to be retried. */
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
