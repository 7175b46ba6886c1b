import type { Role } from "../../contract/operation.ts";

/** The facts of a user that say whether the pin of test logins may let them in. */
export interface TestUser {
  readonly role: Role;
  readonly financial_company_id: number | null;
}

/** True for a driver or client of the company of the stage's test logins. Many people know their pin: nobody else gets it (D9). */
export function isTestUser(companyId: number, { role, financial_company_id }: TestUser): boolean {
  return financial_company_id === companyId && (role === "driver" || role === "client");
}
