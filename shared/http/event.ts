import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller, Operation } from "../contract/operation.ts";
import { forbiddenNames, Refusal } from "../contract/refusals.ts";
import type { Account } from "../people/users.ts";
import type { Change } from "../run/change.ts";
import { count, faultFields, log, sentSoFar, takeStartMilliseconds, uptimeMs } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { edgeSecrets } from "../tokens/secrets.ts";

/** API Gateway's event of a request. */
export type GatewayEvent = APIGatewayProxyEventV2;

/** A request between the middlewares: API Gateway's event, and the results of earlier middlewares. */
export interface HttpEvent extends GatewayEvent {
  /** In milliseconds of `uptimeMs`. */
  readonly startedAt: number;
  /** The change that the request begins; authentication says who makes it. */
  change: Change;
  /** Set by authentication. */
  caller?: Caller;
  /** The account of a caller with an API key, set by authentication. */
  holder?: Account;
  /** The outer object of the body as sent, set once it is parsed. */
  sent?: Readonly<Record<string, unknown>>;
  /** Set by validation. */
  input?: { readonly parameters: unknown; readonly query: unknown; readonly body: unknown };
}

/** The answer API Gateway gets. */
export type HttpAnswer = APIGatewayProxyStructuredResultV2;

/** A step of the chain that every request takes. */
export type Step = MiddlewareObj<HttpEvent, HttpAnswer>;

/** A request as a step gets it. */
export interface HttpRequest {
  event: HttpEvent;
  context: Context;
  response: HttpAnswer | null | undefined;
  error: Error | null | undefined;
}

/**
 * Throws an error that says what is expected for any other event: of a REST API, a load balancer or a schedule, or a test
 * event of the console. A function URL sends the same as an HTTP API.
 */
export function requireHttpEvent(operation: string, event: unknown): asserts event is GatewayEvent {
  const { version, rawPath, rawQueryString, headers, requestContext } = (event ?? {}) as Partial<GatewayEvent>;
  const isOfHttpApi = version === "2.0" && requestContext?.http !== undefined && Boolean(headers);
  if (isOfHttpApi && typeof rawPath === "string" && typeof rawQueryString === "string") return;
  throw new Error(`${operation} expects an event of API Gateway's HTTP API, payload 2.0`);
}

/** Id that a caller can quote and an engineer can find in the logs. */
export function requestIdOf({ requestContext }: GatewayEvent): string {
  return requestContext.requestId;
}

/** The caller of a signed-in operation, as set by authentication. */
export function requireCaller({ caller }: HttpEvent): Caller {
  if (!caller) throw new Error("A signed-in operation ran without a caller");
  return caller;
}

/** Header with the edge's secret; its value is never logged. CloudFront reserves names that begin with x-edge-. */
export const edgeSecretHeader = "x-origin-secret";

/** Header in which CloudFront sends the caller's address: address, colon, port. */
export const viewerAddressHeader = "CloudFront-Viewer-Address";

/** The parts of a request that say who sent it, as they came in. */
export type Sender = Pick<HttpEvent, "headers" | "requestContext">;

/** The header `Known-Client` of a request, which proves an earlier session of a login, if it was sent (D10). */
export function clientProofOf({ headers }: Sender): string | undefined {
  return headers["known-client"] || undefined;
}

/** The address of a client: as the stage's edge sends it with a valid secret, or else as API Gateway saw it. */
export async function clientAddressOf(sender: Sender): Promise<string> {
  const viewerAddress = (await isFromEdge(sender)) ? viewerAddressOf(sender) : undefined;
  return viewerAddress ?? sender.requestContext.http.sourceIp;
}

async function isFromEdge({ headers }: Sender): Promise<boolean> {
  const [given, arn] = [headers[edgeSecretHeader], settings.edgeSecretArn()];
  if (given === undefined || arn === undefined) return false;
  const { current, previous } = await edgeSecrets(arn);
  // Compares both, so that the time does not depend on the first.
  const matches = [isSame(given, current), previous !== "" && isSame(given, previous)].includes(true);
  // The edge may still send a replaced secret. All its clients would then count as one, by the edge's own address.
  if (!matches) log("warn", "edge not recognised", { code: "edge_secret_unknown" });
  return matches;
}

/** Takes the same time for any input. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** Undefined if CloudFront sends no valid address. */
function viewerAddressOf({ headers }: Sender): string | undefined {
  const header = headers[viewerAddressHeader.toLowerCase()] ?? "";
  const address = header.slice(0, Math.max(0, header.lastIndexOf(":"))).replace(/^\[(.*)\]$/, "$1");
  return isIP(address) > 0 ? address : undefined;
}

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
      key_id: event.caller?.key?.id,
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
