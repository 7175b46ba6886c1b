import type { Operation } from "../contract/operation.ts";
import { forbiddenNames, Refusal } from "../contract/refusals.ts";
import { count, faultFields, log, sentSoFar, takeStartMilliseconds, uptimeMs } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import type { HttpRequest } from "./http-event.ts";

/**
 * Middleware: one line for each answered request, with ids, codes and figures only (house rule 11). A 5xx counts as a
 * fault, because Lambda regards it as a success.
 */
export function logRequests(operation: Pick<Operation, "name">) {
  const end = ({ event, error, response }: HttpRequest) => {
    const isFault = error != null && !(error instanceof Refusal);
    const code = error instanceof Refusal ? error.code : undefined;
    countForRelease(operation.name, response?.statusCode ?? 0, code);
    log(isFault ? "error" : "info", isFault ? "fault" : "answered", {
      status: response?.statusCode,
      code,
      error: error instanceof Refusal ? error.facts.cause : undefined,
      fields: code === "fields_invalid" ? namesOf(error) : undefined,
      user_id: event.caller?.userId,
      duration_ms: Math.round(uptimeMs() - event.startedAt),
      init_ms: takeStartMilliseconds(),
      ...sentSoFar(),
      ...(isFault && faultFields(error)),
    });
  };
  return { after: end, onError: end };
}

/** The names that the contract gives to refused fields. A caller's own, as those around a forbidden name, may be secrets. */
function namesOf(error: unknown): string[] | undefined {
  if (!(error instanceof Refusal)) return undefined;
  return error.facts.errors?.map(({ pointer, parameter, header }) => {
    const forbidden = forbiddenNames.find((name) => pointer?.endsWith(`/${name}`));
    return forbidden ?? pointer ?? parameter ?? header ?? "";
  });
}

/**
 * `busy` is a designed answer (D18) that any caller can provoke, as well as a burst on a throttled table, so it does not
 * count against a release.
 */
function countForRelease(operation: string, status: number, code: string | undefined): void {
  const version = settings.functionVersion();
  if (status >= 500) count("Faults", { operation });
  if (version === undefined) return;
  if (status >= 500 && code !== "busy") count("VersionFaults", { operation, version });
  if (status !== 401 && status !== 403) return;
  count("VersionRefusals", { operation, version });
  count("Refusals", { operation });
}
