import { methodsOf } from "../../shared/contract/operations.ts";
import { Refusal } from "../../shared/domain/refusal.ts";
import { forUnrouted } from "../../shared/http/endpoint.ts";

/** Refuses what no route takes: another method of a known path with 405, an unknown path with 404 (D31). */
export const handler = forUnrouted("refuse-unrouted", (method, path) => {
  const allowedMethods = methodsOf(path);
  if (allowedMethods.length === 0) throw new Refusal("route_not_found", "The service has no such path");
  throw new Refusal("method_not_allowed", `The path does not take ${method}`, { allowedMethods });
});
