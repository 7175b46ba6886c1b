import { isDeepStrictEqual } from "node:util";
import type { LocalStack } from "./template.ts";

/** The differences between two synthesised stacks in one line; undefined if this machine would run both alike. */
export function describeChanges(before: LocalStack, after: LocalStack): string | undefined {
  const [routes, functions] = [keysOf(before, after, "routes"), keysOf(before, after, "functions")];
  const kept = after.functions.flatMap((each) => {
    const former = before.functions.find(({ name }) => name === each.name);
    return former && !isDeepStrictEqual(former, each) ? [each.name] : [];
  });
  const rest = Object.keys(after).filter((part) => !["routes", "functions"].includes(part)) as (keyof LocalStack)[];
  const parts = [
    ...routes.added.map((key) => `+ ${key}`),
    ...routes.gone.map((key) => `- ${key}`),
    ...functions.added.map((name) => `+ ${name}`),
    ...functions.gone.map((name) => `- ${name}`),
    ...(kept.length > 0 ? [`settings of ${kept.join(", ")}`] : []),
    ...rest.filter((part) => !isDeepStrictEqual(before[part], after[part])),
  ];
  return parts.length > 0 ? parts.join(", ") : undefined;
}

/** Whether the workers of both stacks have the same work from the same sources. */
export function haveSameWork(before: LocalStack, after: LocalStack): boolean {
  const parts = ["mappings", "streamMappings", "schedules"] as const;
  return parts.every((part) => isDeepStrictEqual(before[part], after[part]));
}

function keysOf(before: LocalStack, after: LocalStack, part: "routes" | "functions") {
  const keys = (stack: LocalStack) =>
    stack[part].map((each) => ("routeKey" in each ? `${each.routeKey} (${each.functionName})` : each.name));
  const [old, current] = [keys(before), keys(after)];
  return { added: current.filter((key) => !old.includes(key)), gone: old.filter((key) => !current.includes(key)) };
}
