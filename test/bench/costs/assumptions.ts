import type { OperationName } from "../../../shared/contract/operations.ts";

/** Operations that hash a password, which takes most of their time. */
const hashing: readonly string[] = ["sign-in", "register-user", "set-password"];

/** The duration of a warm call in Lambda, in milliseconds: assumed, as it depends on the region's load. */
export function assumedMilliseconds(name: string, writeUnits: number): number {
  if (hashing.includes(name)) return 150;
  return writeUnits > 0 ? 25 : 12;
}

/** Requests that a message costs: to send, to receive, to delete it. */
export const queueRequestsPerMessage = 3;

/** The calls of a user in a month. */
export const callsPerUser: Partial<Record<OperationName, number>> = {
  "get-profile": 30,
  "get-unread-counts": 120,
  "list-notifications": 60,
  "list-invoices": 20,
  "list-timesheets": 20,
  "list-jobs": 20,
  "list-companies": 1,
  "bulk-update-timesheets": 2,
  "mark-notifications": 20,
  "refresh-token": 120,
  "sign-in": 1,
  "register-device-token": 1,
};

/** Pins that a user asks for in a month, and how many of them go out by SMS. */
export const pinsPerUser = 0.3;
export const shareOfSms = 0.3;

/** Records of a user's that change in a month, each of which is counted and notified to somebody. */
export const changesPerUser = 30;

/** Share of the changes whose transaction meets another on the same item, and the write units that it has used up then. */
export const cancelledShare = 0.02;
export const unitsPerTransaction = 16;

/** Bytes of an answer on its way out, headers among them. */
export const answerBytes = 2_800;

/** Bytes of a request's line in the access log. */
export const accessLogBytes = 330;

/** Calls that an environment of a function answers before Lambda ends it, and minutes between its reads of a secret. */
export const callsPerEnvironment = 2_000;
export const minutesBetweenReads = 5;
export const environmentMinutes = 120;

/** The billed milliseconds of a start. */
export const startMilliseconds = 500;

/** Receives of an empty queue a month, by Lambda's own pollers. */
export const emptyReceivesPerQueue = 500_000;

/** Calls of get-health in a month by the check from outside: two checkers in each of three regions, every 30 seconds. */
export const outsideCalls = 3 * 2 * 2 * 60 * 24 * 30;

/** Share of the changes that come as events of other systems. */
export const eventsPerChange = 1;

/** Events that go out for a change: its own, and that of a notification of it. */
export const eventsOutPerChange = 2;

/** Numbers of users in the example. */
export const userCounts = [100, 10_000, 1_000_000] as const;

/** Metrics that Lambda sends, at most, of a mapping of a stream whose events it counts. */
export const metricsPerMapping = 6;
