import type { Role } from "../../contract/operation.ts";

/** What of a user decides whether they may have the pin of a sandbox. */
export interface SandboxMember {
  readonly role: Role;
  readonly financial_company_id: number | null;
}

/** True for a driver or client of a sandbox's company: nobody else gets its pin, whatever the stage lists (D9). */
export function isOfSandbox(companyId: number, { role, financial_company_id }: SandboxMember): boolean {
  return financial_company_id === companyId && (role === "driver" || role === "client");
}

/**
 * True where something was given out for the pin of a sandbox, whose company it names, and its user has become another's or
 * another role's since: a pin that many know must not lead there (D9).
 */
export function hasLeftSandbox(companyId: number | undefined, user: SandboxMember): boolean {
  return companyId !== undefined && !isOfSandbox(companyId, user);
}
