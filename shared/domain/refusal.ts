import { type FieldCode, type FieldFault, pointerTo } from "../contract/field-faults.ts";
import type { RefusalCode } from "../contract/refusal-codes.ts";

/** One refused field: `pointer` into the body (RFC 6901), or name of the query `parameter` or `header`. */
export interface FieldRefusal {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: FieldCode;
  readonly detail: string;
}

/** The facts of a refusal besides its code. `retryAfterSeconds` is in seconds. */
export interface RefusalFacts {
  readonly errors?: readonly FieldRefusal[];
  readonly changedIds?: readonly number[];
  readonly missingIds?: readonly number[];
  readonly allowedMethods?: readonly string[];
  readonly retryAfterSeconds?: number;
  /** The name of the error that it follows from, for the log. */
  readonly cause?: string;
}

/** The one error for a request that is understood and refused. Any other error is a fault. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly facts: RefusalFacts;

  constructor(code: RefusalCode, detail: string, facts: RefusalFacts = {}) {
    super(detail);
    this.name = "Refusal";
    this.code = code;
    this.facts = facts;
  }
}

/** Others' transactions end within a second, and a throttle lasts little longer. */
const busySeconds = 1;

/** The refusal of what others keep from being done at this moment: the same request succeeds later (D18). */
export function busy(detail: string, cause?: string): Refusal {
  return new Refusal("busy", detail, { retryAfterSeconds: busySeconds, ...(cause && { cause }) });
}

/** The refusal of a path that no operation has, or that the stage closes. `meant` is a path that one has. */
export function routeNotFound(meant?: string): Refusal {
  return new Refusal("route_not_found", meant ? `Not found: a slash is too many, the path is ${meant}` : "Not found");
}

/** The refusal of a method that a path does not take. */
export function methodNotAllowed(method: string, allowedMethods: readonly string[]): Refusal {
  return new Refusal("method_not_allowed", `Method ${method} is not allowed for this path`, { allowedMethods });
}
/** The refusal of a record with invalid fields, each with a JSON pointer into the line, a code and a detail. */

export function fieldsInvalid(faults: readonly FieldFault[]): Refusal {
  const errors = faults.map(({ path, ...fault }) => ({ pointer: pointerTo(path), ...fault }));
  return new Refusal("fields_invalid", `Invalid: ${errors.map(({ pointer }) => pointer).join(", ")}`, { errors });
}
