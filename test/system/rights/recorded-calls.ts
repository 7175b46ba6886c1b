import { AsyncLocalStorage } from "node:async_hooks";
import { watchCalls } from "../../support/faults/aws-calls.ts";
import { neededRights } from "./needed-rights.ts";
import { record } from "./recordings.ts";

const callers = new AsyncLocalStorage<string | undefined>();

/**
 * The handler of a function, with what rights its AWS calls need recorded under the function's name. What a process keeps
 * once it was read, such as keys, counts for the function that reads it first: in some test file that has to be each.
 */
export function recordCallsOf<P extends unknown[], R>(caller: string, handler: (...parameters: P) => R) {
  return (...parameters: P): R => callers.run(caller, () => handler(...parameters));
}

/** Does what a test does itself while a handler waits for it: that is no call of the function's. */
export function besideHandlers<T>(work: () => T): T {
  return callers.run(undefined, work);
}

watchCalls((call, send) => {
  const caller = callers.getStore();
  if (caller !== undefined) for (const need of neededRights(call)) record({ caller, ...need });
  return send();
});
