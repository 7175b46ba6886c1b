import { UsageError } from "../cli/command.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of events, and the fields that identify each; after `Records` the fields of each record. */
const kinds = [
  { name: "an API Gateway event (payload format 2.0)", fields: ["rawPath", "headers", "requestContext.http"] },
  { name: "a batch of a queue", fields: ["Records.messageId", "Records.body"] },
  { name: "a batch of the table's stream", fields: ["Records.eventName", "Records.dynamodb.Keys"] },
  { name: "an event of a schedule", fields: ["detail-type", "time"] },
  { name: "a call of CodeDeploy", fields: ["DeploymentId", "LifecycleEventHookExecutionId"] },
] as const;

/** Throws `UsageError` if an event is of another kind than the function's sample event. */
export function requireKind(event: object, sample: object, functionName: string): void {
  const kind = kinds.find(({ fields }) => fields.every((field) => has(sample, field)));
  const missing = kind?.fields.find((field) => !has(event, field));
  if (!kind || !missing) return;
  const actual = kinds.find(({ fields }) => fields.every((field) => has(event, field)));
  const instead = actual ? `it is ${actual.name}` : `it has no ${missing.replace("Records.", "Records[].")}`;
  throw new UsageError(`${functionName} takes ${kind.name}, and the event is none: ${instead}.`);
}

/** True if a path leads to a value, for a list in each of its items; false for an empty list. */
function has(value: unknown, path: string): boolean {
  const [name = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.length > 0 && value.every((each) => has(each, path));
  const inner = typeof value === "object" && value !== null ? (value as Fields)[name] : undefined;
  return rest.length === 0 ? inner !== undefined : has(inner, rest.join("."));
}
