/** An event pattern of EventBridge, or a filter of a Lambda event source mapping: both have the same rules. */
export type Pattern = Readonly<Record<string, unknown>>;

/**
 * True if an event matches one of the patterns: every field that a pattern names has one of the listed values. Throws
 * on an unknown operator, as AWS refuses to create such a filter.
 */
export function matchesAny(event: unknown, patterns: readonly Pattern[]): boolean {
  return patterns.some((pattern) => matches(event, pattern));
}

function matches(event: unknown, pattern: Pattern): boolean {
  return Object.entries(pattern).every(([name, wanted]) => {
    if (name === "$or") return matchesAny(event, wanted as Pattern[]);
    const value = fieldOf(event, name);
    if (Array.isArray(wanted)) return wanted.some((each) => holds(value, each));
    if (isMap(wanted))
      return Array.isArray(value) ? value.some((each) => matches(each, wanted)) : matches(value, wanted);
    throw new Error(`A pattern lists what it wants of ${name}: ${JSON.stringify(wanted)}`);
  });
}

/** Whether a field, which may have several values, has one that meets the condition. */
function holds(value: unknown, condition: unknown): boolean {
  if (isMap(condition) && typeof condition.exists === "boolean") {
    // `exists` is about values: a field that contains only other fields has none.
    return condition.exists === (value !== undefined && !isMap(value));
  }
  const values = Array.isArray(value) ? value : [value];
  return values.some((each) => each !== undefined && meets(each, condition));
}

function meets(value: unknown, condition: unknown): boolean {
  if (!isMap(condition)) return value === condition;
  const [operator = "", operand] = Object.entries(condition)[0] ?? [];
  const text = typeof value === "string" ? value : undefined;
  switch (operator) {
    case "prefix":
      return text?.startsWith(String(operand)) ?? false;
    case "suffix":
      return text?.endsWith(String(operand)) ?? false;
    case "equals-ignore-case":
      return text?.toLowerCase() === String(operand).toLowerCase();
    case "anything-but":
      return !isMap(value) && ![operand].flat().some((each) => meets(value, each));
    case "numeric":
      return isWithin(value, operand as (string | number)[]);
    default:
      throw new Error(`The local machine does not know the pattern ${JSON.stringify(condition)}`);
  }
}

/** Bounds such as `[">", 0, "<=", 5]`. */
function isWithin(value: unknown, bounds: readonly (string | number)[]): boolean {
  if (typeof value !== "number") return false;
  const [operator, bound, ...rest] = bounds;
  const limit = Number(bound);
  const order: Record<string, boolean> = {
    "=": value === limit,
    "<": value < limit,
    "<=": value <= limit,
    ">": value > limit,
    ">=": value >= limit,
  };
  return (order[String(operator)] ?? false) && (rest.length === 0 || isWithin(value, rest));
}

function fieldOf(event: unknown, name: string): unknown {
  return isMap(event) && Object.hasOwn(event, name) ? event[name] : undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
