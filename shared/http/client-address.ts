import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { AnonymousOperation, Operation } from "../contract/operation.ts";
import { log } from "../logger.ts";
import { edgeSecrets } from "../secrets.ts";
import { settings } from "../settings.ts";
import type { Reply } from "./answer.ts";
import { type AnonymousOptions, type AnonymousRequest, anonymousWith, type HttpHandler } from "./endpoint.ts";
import type { HttpEvent } from "./request.ts";

/** Header in which the edge proves itself; its value is never logged. CloudFront takes no name that begins with x-edge-. */
export const edgeSecretHeader = "x-origin-secret";

/** Header in which CloudFront says who called it: address, colon, port. */
export const viewerAddressHeader = "CloudFront-Viewer-Address";

/** What an operation's function gets that limits its clients by their address. */
export interface AddressedRequest<O extends Operation> extends AnonymousRequest<O> {
  /** Address the request came from: as API Gateway saw it or, where the stage's edge proves itself, as that says. */
  readonly clientAddress: string;
  /** What the header `Known-Client` proves an earlier session of a login with, if it was sent (D10). */
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
    clientProof: event.headers["known-client"] || undefined,
  });
  return anonymousWith(operation, find, handle, options);
}

async function findClientAddress(event: HttpEvent): Promise<string> {
  const named = (await isFromEdge(event)) ? viewerAddressOf(event) : undefined;
  return named ?? event.requestContext.http.sourceIp;
}

async function isFromEdge({ headers }: HttpEvent): Promise<boolean> {
  const [given, arn] = [headers[edgeSecretHeader], settings.edgeSecretArn()];
  if (given === undefined || arn === undefined) return false;
  const { current, previous } = await edgeSecrets(arn);
  // Both are compared, whatever comes of the first.
  const matches = [isSame(given, current), previous !== "" && isSame(given, previous)].includes(true);
  // The edge may send a secret that was replaced: its clients would then count as one, by the edge's own address.
  if (!matches) log("warn", "edge not recognised", { code: "edge_secret_unknown" });
  return matches;
}

/** Takes the same time whatever is given. */
function isSame(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** Undefined where CloudFront says no address. */
function viewerAddressOf({ headers }: HttpEvent): string | undefined {
  const named = headers[viewerAddressHeader.toLowerCase()] ?? "";
  const address = named.slice(0, Math.max(0, named.lastIndexOf(":"))).replace(/^\[(.*)\]$/, "$1");
  return isIP(address) > 0 ? address : undefined;
}
