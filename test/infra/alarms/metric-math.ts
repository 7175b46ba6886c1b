/** A point for each period of a window, undefined where the metric has none. */
export type Series = readonly (number | undefined)[];
type Value = number | Series | readonly Series[];
type Scope = (id: string) => Value;
type Reading = (scope: Scope, window: Window) => Value;

/** The time of each period, in seconds, by which `EPOCH` goes. */
interface Window {
  readonly epochs: readonly number[];
}

/**
 * CloudWatch's metric math, as far as alarms of this project use it, by its user guide: a missing point counts as 0 beside one
 * that is there, a division by zero drops the point, and IF drops the points that its condition lacks.
 */
export function evaluate(expression: string, scope: Scope, window: Window): Series {
  const read = parsed.get(expression) ?? parse(expression);
  parsed.set(expression, read);
  const result = read(scope, window);
  if (!isSeries(result)) throw new Error(`No single time series: ${expression}`);
  return result;
}

/** A model of hours evaluates each expression thousands of times. */
const parsed = new Map<string, Reading>();

function parse(expression: string): Reading {
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(?:\.\d+)?|[<>=]=|[-+*/<>()[\],]/g) ?? [];
  let at = 0;
  const take = () => tokens[at++] ?? "";
  const lists = (end: string): Reading[] => {
    const found: Reading[] = [];
    while (tokens[at] !== end) {
      found.push(level(0));
      if (tokens[at] === ",") take();
    }
    take();
    return found;
  };
  const operators = [["AND"], ["==", "<=", ">=", "<", ">"], ["+", "-"], ["*", "/"]];
  const level = (depth: number): Reading => {
    const own = operators[depth];
    if (!own) return atom();
    let read = level(depth + 1);
    while (own.includes(tokens[at] ?? "")) {
      const [left, operator, right] = [read, take(), level(depth + 1)];
      read = (...given) => combine(operator, left(...given), right(...given));
    }
    return read;
  };
  const atom = (): Reading => {
    const token = take();
    if (/^\d/.test(token)) return () => Number(token);
    if (token === "(") return lists(")")[0] ?? atom();
    const isCall = tokens[at] === "(";
    if (token !== "[" && !isCall) return (scope) => scope(token);
    if (isCall) take();
    const parts = lists(isCall ? ")" : "]");
    return (...given) => {
      const values = parts.map((each) => each(...given));
      return isCall ? call(token, values, given[1]) : (values as Series[]);
    };
  };
  const read = level(0);
  if (at !== tokens.length) throw new Error(`Not read to its end: ${expression}`);
  return read;
}

function isSeries(value: Value | undefined): value is Series {
  return Array.isArray(value) && !Array.isArray(value[0]);
}

function combine(operator: string, left: Value, right: Value): Value {
  const of = (one: number | undefined, other: number | undefined) => {
    if (one === undefined && other === undefined) return undefined;
    return operations[operator]?.(one ?? 0, other ?? 0);
  };
  if (typeof left === "number" && typeof right === "number") return of(left, right) ?? Number.NaN;
  const points = (isSeries(left) ? left : right) as Series;
  return points.map((_, each) => {
    const [one, other] = [left, right].map((side) => (isSeries(side) ? side[each] : (side as number)));
    // A scalar has no point of its own.
    if (!isSeries(left) || !isSeries(right))
      return (isSeries(left) ? one : other) === undefined ? undefined : of(one, other);
    return of(one, other);
  });
}

const operations: Readonly<Record<string, (one: number, other: number) => number | undefined>> = {
  "+": (one, other) => one + other,
  "-": (one, other) => one - other,
  "*": (one, other) => one * other,
  "/": (one, other) => (other === 0 ? undefined : one / other),
  "==": (one, other) => Number(one === other),
  "<": (one, other) => Number(one < other),
  ">": (one, other) => Number(one > other),
  "<=": (one, other) => Number(one <= other),
  ">=": (one, other) => Number(one >= other),
  AND: (one, other) => Number(one !== 0 && other !== 0),
};

function call(name: string, [first = 0, second, third]: readonly Value[], { epochs }: Window): Value {
  const present = (points: Series) => points.filter((each) => each !== undefined);
  const reduced = (points: Series) =>
    name === "SUM" ? present(points).reduce((sum, each) => sum + each, 0) : Math.max(...present(points));
  switch (name) {
    case "EPOCH":
      return epochs;
    case "TIME_SERIES":
      return epochs.map(() => first as number);
    case "FILL":
      return (first as Series).map((each) => each ?? (second as number));
    case "SERVICE_QUOTA":
      return (first as Series).map(() => 1_000);
    case "SUM":
    case "MAX": {
      if (isSeries(first)) return reduced(first);
      const all = first as readonly Series[];
      return epochs.map((_, at) =>
        all.some((each) => each[at] !== undefined) ? reduced(all.map((each) => each[at])) : undefined,
      );
    }
    case "IF":
      return (first as Series).map((condition, at) => {
        const [chosen, isTrue] = condition === 0 ? [third, false] : [second, true];
        if (condition === undefined || chosen === undefined) return undefined;
        return isSeries(chosen) ? (chosen[at] ?? (isTrue ? 0 : undefined)) : (chosen as number);
      });
    default:
      throw new Error(`The model does not know ${name}`);
  }
}
