import type { Operation } from "../contract/operation.ts";
import { Refusal } from "../domain/refusal.ts";
import { log } from "../logger.ts";
import { count } from "../metrics.ts";
import { settings } from "../settings.ts";
import { type HttpRequest, requestIdOf } from "./request.ts";

/**
 * Middleware: one line when a request starts and one when it is answered; ids and codes only (house rule 11). An answer
 * with a 5xx counts as a fault: to Lambda it is a success like any other.
 */
export function logRequests(operation: Pick<Operation, "name">) {
  const startedAt = new WeakMap<object, number>();
  const end = (request: HttpRequest) => {
    const code = request.error instanceof Refusal ? request.error.code : undefined;
    countFault(operation.name, request.response?.statusCode ?? 0, code);
    log("info", "answered", {
      operation: operation.name,
      request_id: requestIdOf(request),
      status: request.response?.statusCode,
      code,
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

/** `busy` is an answer by design (D18), which any caller can provoke: it says nothing of a release. */
function countFault(operation: string, status: number, code: string | undefined): void {
  if (status < 500) return;
  count("Faults", { operation });
  const version = settings.functionVersion();
  if (version !== undefined && code !== "busy") count("VersionFaults", { operation, version });
}
