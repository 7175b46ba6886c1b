import type { SignedInOperation } from "../contract/operation.ts";
import { byUser, type Caller, scopeOf } from "../contract/operation.ts";
import { Refusal } from "../contract/refusals.ts";
import { verifyAccessToken } from "../tokens/access.ts";
import type { HttpRequest } from "./http-event.ts";

/** Middleware: finds the caller behind the bearer token and refuses roles the operation does not name (D2–D4). */
export function authenticate(operation: SignedInOperation) {
  return {
    async before({ event }: HttpRequest): Promise<void> {
      const caller = await verifyAccessToken(bearerToken(event.headers.authorization), new Date());
      // Before the check, so that the log says who was refused.
      event.caller = caller;
      authorize(operation, caller);
      event.change = byUser(event.change, caller.userId);
    },
  };
}

function bearerToken(authorization: string | undefined): string {
  if (!authorization) throw new Refusal("token_missing", "Send an access token: Authorization: Bearer <ACCESS_TOKEN>");
  const [, token] = /^Bearer {1,2}([^ ]+)$/i.exec(authorization) ?? [];
  if (!token) throw new Refusal("token_invalid", "The Authorization header must read: Bearer <ACCESS_TOKEN>");
  return token;
}

function authorize(operation: SignedInOperation, caller: Caller): void {
  if (!operation.access.includes(caller.role)) {
    throw new Refusal("role_not_allowed", `Requires one of the roles: ${operation.access.join(", ")}`);
  }
  if (operation.companyBound && caller.role !== "driver" && scopeOf(caller) === null) {
    throw new Refusal("company_required", "Requires a user who belongs to a company");
  }
}
