import { endedAt } from "../../shared/people/sessions.ts";
import { tombstoneMark } from "../../shared/table/table.ts";
import type { ServiceFunctionName } from "./worker-rows.ts";

const written = ["INSERT", "MODIFY"];
const pushed = { Keys: { sk: { S: [{ prefix: "NOTIFICATION#" }] } }, NewImage: { push: { BOOL: [true] } } };

/**
 * The records that each consumer of the stream receives, as Lambda's event filters: those that match one of the
 * patterns. Consumers' own writes are in the stream too. Naming the items they read keeps them from triggering
 * themselves.
 */
export const streamFilters = {
  "keep-history": [
    { dynamodb: { Keys: { sk: { S: ["INVOICE", "TIMESHEET", "JOB", "USER"] } } } },
    // Ended sessions, for the history. Each refresh of a session changes it too.
    {
      eventName: ["MODIFY"],
      dynamodb: { Keys: { sk: { S: [{ prefix: "SESSION#" }] } }, NewImage: { valid_to: { S: [endedAt] } } },
    },
  ],
  notify: [
    // Records whose change may notify somebody, unless it was written silently.
    {
      eventName: written,
      dynamodb: {
        Keys: { sk: { S: ["INVOICE", "TIMESHEET", "JOB", "USER", "APIKEYS"] } },
        NewImage: { silent: { BOOL: [{ exists: false }] } },
      },
    },
    // New notifications to push to their users' devices, also in the place of one that was removed.
    { eventName: ["INSERT"], dynamodb: pushed },
    { eventName: ["MODIFY"], dynamodb: { ...pushed, OldImage: { [tombstoneMark]: { S: [{ exists: true }] } } } },
  ],
} satisfies Partial<Record<ServiceFunctionName, readonly Readonly<Record<string, unknown>>[]>>;

export type StreamConsumerName = keyof typeof streamFilters;

export const streamConsumers = Object.keys(streamFilters) as StreamConsumerName[];
