import type { Role } from "../contract/operation.ts";

/** The user of a request, from the access token's claims (D4). */
export interface Caller {
  readonly userId: number;
  readonly role: Role;
  /** The tenant; null for users without a company. */
  readonly companyId: number | null;
  /** The session family the token belongs to. */
  readonly sessionId: string;
}

/** The companies whose records a caller may see and change: `all`, or one company's id (D2). */
export type Scope = "all" | number;

/** The scope of a caller of a company-bound operation; null when the caller has none (D2, D3). */
export function scopeOf(caller: Pick<Caller, "role" | "companyId">): Scope | null {
  return caller.role === "admin" ? "all" : caller.companyId;
}

/** The scope of an authenticated caller of a company-bound operation. */
export function requireScope(caller: Caller): Scope {
  const scope = scopeOf(caller);
  if (scope === null) throw new Error("A company-bound operation ran for a caller without a company");
  return scope;
}

/** The part of a scope that belongs to one company; null if the company is outside of it (D22). */
export function narrowScope(scope: Scope, companyId: number | undefined): Scope | null {
  if (companyId === undefined) return scope;
  return isWithin(scope, companyId) ? companyId : null;
}

/** True if a company's records are within the scope. */
export function isWithin(scope: Scope, companyId: number | null): boolean {
  return scope === "all" || scope === companyId;
}
