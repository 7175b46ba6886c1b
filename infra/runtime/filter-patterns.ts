/** An event pattern of EventBridge, or a filter of a Lambda event source mapping: both have the same rules. */
export type Pattern = Readonly<Record<string, unknown>>;

/** True if an event matches one of the patterns. Throws on an unknown operator, as AWS refuses to create such a filter. */
export function matchesAny(event: unknown, patterns: readonly Pattern[]): boolean {
  return patterns.some((pattern) => matches(event, pattern));
}

function matches(event: unknown, pattern: Pattern): boolean {
  return Object.entries(pattern).every(([name, wanted]) => {
    const value = fieldOf(event, name);
    return isMap(wanted)
      ? [value].flat().some((each) => matches(each, wanted))
      : (wanted as unknown[]).some((each) => holds(value, each));
  });
}

/** Whether a field, which may have several values, has one that meets the condition. */
function holds(value: unknown, condition: unknown): boolean {
  const values = [value].flat();
  if (!isMap(condition)) return values.includes(condition);
  // `exists` is about values: a field that contains only other fields has none.
  if (typeof condition.exists === "boolean") return condition.exists === (value !== undefined && !isMap(value));
  const { prefix } = condition;
  if (typeof prefix === "string") return values.some((each) => typeof each === "string" && each.startsWith(prefix));
  throw new Error(`The local machine does not know the pattern ${JSON.stringify(condition)}`);
}

function fieldOf(event: unknown, name: string): unknown {
  return isMap(event) && Object.hasOwn(event, name) ? event[name] : undefined;
}

/** Whether a value is an object of named fields. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
