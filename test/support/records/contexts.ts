import type { Caller } from "../../../shared/contract/operation.ts";
import type { ChangeContext } from "../../../shared/records/changes.ts";
import { beginChange, type Change } from "../../../shared/run/change.ts";
import type { WriteContext } from "../../../shared/table/plans.ts";

/** A change that begins now, of nobody in particular unless `by` says whose it is. */
export function testChange(by = "service#test", request?: string): Change {
  return beginChange({ operation: "test", by, request });
}

/** The context of a write by a worker or a tool, in a change of its own. */
export function testContext(now = new Date(), by?: string): WriteContext {
  return { now, change: testChange(by) };
}

/** The context of a caller's request that may do what it asks for, without an Idempotency-Key, in a change of its own. */
export function callerContext(caller: Caller, now = new Date()): ChangeContext {
  return { caller, now, change: testChange(`user#${caller.userId}`), key: undefined };
}

/** The context of a driver's request, with all the time that it takes. */
export function driverContext(userId: number, now = new Date()) {
  const caller = { userId, role: "driver", companyId: null, sessionId: "s" } as const;
  return { ...callerContext(caller, now), remainingMs: () => Number.POSITIVE_INFINITY };
}
