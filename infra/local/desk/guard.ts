import type { IncomingMessage } from "node:http";

export interface GuardOptions {
  /** True if other computers of the network may use the desk. */
  lan: boolean;
  /** The value that changes must send as `x-desk-token`; undefined if they need none. */
  token: string | undefined;
}

const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * The reason why a request may not use the desk; undefined if it may. A browser's own headers give away a page of
 * another site. The Host gives away a name that somebody pointed at this machine (DNS rebinding).
 */
export function refusalOf(request: IncomingMessage, { lan, token }: GuardOptions): string | undefined {
  const { host = "", origin, "sec-fetch-site": site = "none", "x-desk-token": given } = request.headers;
  if (!lan && !loopback.test(request.socket.remoteAddress ?? "")) return "only this computer may use it";
  if (!hostsOf(request, lan).includes(host)) return "the Host is another one";
  if (!["none", "same-origin"].includes(String(site))) return "another site asks";
  if (origin !== undefined && origin !== `http://${host}`) return "another origin asks";
  const isChange = !["GET", "HEAD"].includes(request.method ?? "");
  if (isChange && token !== undefined && given !== token) return "the token of this start is missing";
  return undefined;
}

function hostsOf({ socket }: IncomingMessage, lan: boolean): string[] {
  const { localPort = 0, localAddress = "" } = socket;
  const names = ["localhost", "127.0.0.1", ...(lan ? [localAddress.replace("::ffff:", "")] : [])];
  return names.map((name) => (localPort === 80 ? name : `${name}:${localPort}`));
}
