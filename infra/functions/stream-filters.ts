import { endedAt } from "../../shared/db/accounts/sessions.ts";
import type { ServiceFunctionName } from "./worker-rows.ts";

/** The functions that consume the table's stream. */
export const streamConsumers = ["update-totals", "notify"] as const satisfies readonly ServiceFunctionName[];

/** One of them. */
export type StreamConsumerName = (typeof streamConsumers)[number];

const written = ["INSERT", "MODIFY"];

/**
 * The changes each consumer of the stream is given, in the words of Lambda's event filters: those that match one of the
 * patterns. What consumers write themselves is in the stream too: naming the items they read keeps them from feeding
 * themselves.
 */
export const streamFilters: Readonly<Record<StreamConsumerName, readonly Readonly<Record<string, unknown>>[]>> = {
  "update-totals": [
    { dynamodb: { Keys: { sk: { S: ["INVOICE", "TIMESHEET", "JOB", "USER", "HEARTBEAT"] } } } },
    // Sessions that were ended, for the history: each of their refreshes is a change as well.
    {
      eventName: ["MODIFY"],
      dynamodb: { Keys: { sk: { S: [{ prefix: "SESSION#" }] } }, NewImage: { valid_to: { S: [endedAt] } } },
    },
  ],
  notify: [
    // Records that somebody may be notified of, unless they were written silently.
    {
      eventName: written,
      dynamodb: {
        Keys: { sk: { S: ["INVOICE", "TIMESHEET", "JOB", "USER"] } },
        NewImage: { silent: { BOOL: [{ exists: false }] } },
      },
    },
    // New notifications that are to be pushed to their users' devices.
    {
      eventName: ["INSERT"],
      dynamodb: { Keys: { sk: { S: [{ prefix: "NOTIFICATION#" }] } }, NewImage: { push: { BOOL: [true] } } },
    },
    // Exports of users' own data that begin.
    { eventName: ["INSERT"], dynamodb: { Keys: { sk: { S: [{ prefix: "EXPORT#" }] } } } },
  ],
};
