import * as accounts from "./accounts.ts";
import * as apiKeys from "./api-keys.ts";
import * as changes from "./changes.ts";
import * as companies from "./companies.ts";
import * as devices from "./devices.ts";
import * as finance from "./finance.ts";
import * as jobs from "./jobs.ts";
import * as notifications from "./notifications.ts";
import type { Method, Operation } from "./operation.ts";
import * as service from "./service.ts";
import * as sessions from "./sessions.ts";

const areas = {
  finance,
  jobs,
  companies,
  notifications,
  devices,
  sessions,
  history: changes,
  account: accounts,
  keys: apiKeys,
  service,
} as const;

/** The tag of an area's operations in the OpenAPI document. */
export type Tag = keyof typeof areas;

type Exports<Module> = Module extends unknown ? Module[keyof Module] : never;

/** Every operation that an area exports, sorted by area and path. No other list of endpoints exists. */
export const operations: readonly Operation[] = Object.values(areas).flatMap((area) =>
  // Sorted, because the order of a module's exports differs between loaders.
  Object.values<unknown>(area).filter(isOperation).sort(byAddress),
);

/** The tag of an operation; undefined if the contract does not contain it. */
export function tagOf(operation: Operation): Tag | undefined {
  const tags = Object.keys(areas) as Tag[];
  return tags.find((name) => Object.values<unknown>(areas[name]).includes(operation));
}

/** The name of an operation. */
export type OperationName = Extract<Exports<(typeof areas)[Tag]>, Operation>["name"];

/** The methods of the operations at a path that are not `closed`, each once; empty for an unknown path. */
export function methodsOf(path: string, closed: readonly string[] = []): (Method | "HEAD")[] {
  const taking = operations.filter((each) => !closed.includes(each.name) && isAddress(each.path, path));
  const methods = taking.flatMap(({ method, answersHead }) => [method, ...(answersHead ? (["HEAD"] as const) : [])]);
  return [...new Set(methods)].sort();
}

/** Whether a path matches. A placeholder such as `{id}` takes one part that is not empty, as in API Gateway. */
function isAddress(template: string, path: string): boolean {
  const parts = path.split("/");
  const expected = template.split("/");
  const isPart = (part: string, at: number) => (part.startsWith("{") ? parts[at] !== "" : part === parts[at]);
  return parts.length === expected.length && expected.every(isPart);
}

function isOperation(exported: unknown): exported is Operation {
  return typeof exported === "object" && exported !== null && "method" in exported && "path" in exported;
}

function byAddress(one: Operation, other: Operation): number {
  return `${one.path} ${one.method}` < `${other.path} ${other.method}` ? -1 : 1;
}
