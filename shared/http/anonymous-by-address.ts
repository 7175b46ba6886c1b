import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { AnonymousOperation, Operation } from "../contract/operation.ts";
import { log } from "../logger.ts";
import { edgeSecrets } from "../secrets.ts";
import { settings } from "../settings.ts";
import type { Reply } from "./answer.ts";
import { type AnonymousOptions, type AnonymousRequest, anonymousWith, type HttpHandler } from "./endpoint.ts";
import type { HttpEvent } from "./http-event.ts";

/** Header with the edge's secret; its value is never logged. CloudFront reserves names that begin with x-edge-. */
export const edgeSecretHeader = "x-origin-secret";

/** Header in which CloudFront sends the caller's address: address, colon, port. */
export const viewerAddressHeader = "CloudFront-Viewer-Address";

/** The request of an operation that limits its clients by their address. */
export interface AddressedRequest<O extends Operation> extends AnonymousRequest<O> {
  /** Address of the client: as the stage's edge sends it with a valid secret, or else as API Gateway saw it. */
  readonly clientAddress: string;
  /** The header `Known-Client`, which proves an earlier session of a login, if it was sent (D10). */
  readonly clientProof: string | undefined;
}

/** The handler of an operation that anyone may call, and that limits its clients by their address. */
export function anonymousByAddress<O extends AnonymousOperation>(
  operation: O,
  handle: (request: AddressedRequest<O>) => Promise<Reply<O>>,
  options?: AnonymousOptions,
): HttpHandler {
  const find = async (event: HttpEvent) => ({
    clientAddress: await findClientAddress(event),
    clientProof: clientProofOf(event),
  });
  return anonymousWith(operation, find, handle, options);
}

/** The header `Known-Client` of a request, if it was sent. */
export function clientProofOf({ headers }: HttpEvent): string | undefined {
  return headers["known-client"] || undefined;
}

async function findClientAddress(event: HttpEvent): Promise<string> {
  const viewerAddress = (await isFromEdge(event)) ? viewerAddressOf(event) : undefined;
  return viewerAddress ?? event.requestContext.http.sourceIp;
}

async function isFromEdge({ headers }: HttpEvent): Promise<boolean> {
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
  const [one, other] = [given, secret].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Undefined if CloudFront sends no valid address. */
function viewerAddressOf({ headers }: HttpEvent): string | undefined {
  const header = headers[viewerAddressHeader.toLowerCase()] ?? "";
  const address = header.slice(0, Math.max(0, header.lastIndexOf(":"))).replace(/^\[(.*)\]$/, "$1");
  return isIP(address) > 0 ? address : undefined;
}
