import type { Role } from "../../contract/operation.ts";

/** The facts about a user that decide whether the pin of the test logins is valid for them. */
export interface TestUser {
  readonly role: Role;
  readonly financial_company_id: number | null;
}

/**
 * True for a driver or client of the test logins' company. Many people know their pin, so it is valid for nobody else
 * (D9).
 */
export function isTestUser(companyId: number, { role, financial_company_id }: TestUser): boolean {
  return financial_company_id === companyId && (role === "driver" || role === "client");
}
