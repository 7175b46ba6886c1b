import { registerUser } from "../../shared/contract/accounts.ts";
import { createApiKey, deleteApiKey, listApiKeys } from "../../shared/contract/api-keys.ts";
import { methodsOf } from "../../shared/contract/operations.ts";
import { methodNotAllowed, routeNotFound } from "../../shared/contract/refusals.ts";
import { forUnrouted } from "../../shared/http/endpoint.ts";
import { settings } from "../../shared/run/settings.ts";

/**
 * Refuses requests without a route: another method of a known path with 405, an unknown path with 404, which names the known
 * path that it is without its spare slashes (D31).
 */
export const handler = forUnrouted("refuse-unrouted", (method, path) => {
  const closed = closedOperations();
  const allowedMethods = methodsOf(path, closed);
  if (allowedMethods.length > 0) throw methodNotAllowed(method, allowedMethods);
  const meant = path.replaceAll(/\/+/g, "/").replace(/\/$/, "");
  throw routeNotFound(methodsOf(meant, closed).length > 0 ? meant : undefined);
});

/** The operations that the stage has not (D16, D46). */
function closedOperations(): string[] {
  return [
    ...(settings.registration() === "closed" ? [registerUser.name] : []),
    ...(settings.oidcIssuer() === undefined ? [] : [createApiKey.name, listApiKeys.name, deleteApiKey.name]),
  ];
}
