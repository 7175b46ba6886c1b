import type { Operation } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import { log } from "../logger.ts";
import { type HttpRequest, requestIdOf } from "./request.ts";

/** Middleware: one line when a request starts and one when it is answered; ids and codes only (house rule 11). */
export function logRequests(operation: Pick<Operation, "name">) {
  const startedAt = new WeakMap<object, number>();
  const end = (request: HttpRequest) => {
    log("info", "answered", {
      operation: operation.name,
      request_id: requestIdOf(request),
      status: request.response?.statusCode,
      code: request.error instanceof Refusal ? request.error.code : undefined,
      user_id: request.event.caller?.userId,
      duration_ms: Math.round(performance.now() - (startedAt.get(request.event) ?? performance.now())),
    });
  };
  return {
    before(request: HttpRequest): void {
      startedAt.set(request.event, performance.now());
      log("info", "started", { operation: operation.name, request_id: requestIdOf(request) });
    },
    after: end,
    onError: end,
  };
}
