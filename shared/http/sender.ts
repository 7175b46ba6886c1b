import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { log } from "../run/log.ts";
import { settings } from "../run/settings.ts";
import { edgeSecrets } from "../tokens/secrets.ts";
import type { HttpEvent } from "./http-event.ts";

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
