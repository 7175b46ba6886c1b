import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { edgeSecrets } from "../secrets.ts";
import { settings } from "../settings.ts";
import type { HttpEvent, HttpRequest } from "./request.ts";

/** Header in which the edge proves itself; its value is never logged. CloudFront takes no name that begins with x-edge-. */
export const edgeSecretHeader = "x-origin-secret";

/** Header in which CloudFront says who called it: address, colon, port. */
export const viewerAddressHeader = "CloudFront-Viewer-Address";

/**
 * Middleware: finds the address that a request came from. Behind the stage's edge it is what CloudFront says, but only where
 * the request has the secret that CloudFront alone knows; else it is what API Gateway saw.
 */
export function findClientAddress() {
  return {
    async before({ event }: HttpRequest): Promise<void> {
      event.clientAddress = (await isFromEdge(event)) ? viewerAddressOf(event) : undefined;
    },
  };
}

/** The address that a request came from. */
export function clientAddressOf(event: HttpEvent): string {
  return event.clientAddress ?? event.requestContext.http.sourceIp;
}

async function isFromEdge({ headers }: HttpEvent): Promise<boolean> {
  const [given, arn] = [headers[edgeSecretHeader], settings.edgeSecretArn()];
  if (given === undefined || arn === undefined) return false;
  const { current, previous } = await edgeSecrets(arn);
  // Both are compared, whatever comes of the first.
  const matches = [isSame(given, current), previous !== "" && isSame(given, previous)];
  return matches.includes(true);
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
