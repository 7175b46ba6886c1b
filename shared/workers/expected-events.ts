import { settings } from "../run/settings.ts";

/**
 * The records of an event. Throws an error that says what is expected if there is none, or one of another source, as in a
 * test event of the console: such an event must not pass for one that was processed.
 */
export function recordsOf<R extends { readonly eventSource?: string }>(
  event: { readonly Records?: readonly R[] } | null,
  source: "aws:sqs" | "aws:dynamodb",
): readonly R[] {
  const records: unknown = event?.Records;
  if (Array.isArray(records) && records.length > 0 && records.every((each) => each?.eventSource === source)) {
    return records;
  }
  throw unexpected(`Records of ${source}`);
}

/** Throws for an event that is neither a schedule's nor empty, as in a call by a deploy or by a person. */
export function requireScheduled(event: unknown): void {
  const isEmpty = event == null || (typeof event === "object" && Object.keys(event).length === 0);
  if (isEmpty || (event as { readonly "detail-type"?: unknown })["detail-type"] === "Scheduled Event") return;
  throw unexpected("the event of a schedule, or an empty one");
}

/** The error for an event that is not what the function is called with. */
function unexpected(expected: string): Error {
  return new Error(`${settings.operation()} expects ${expected}`);
}
