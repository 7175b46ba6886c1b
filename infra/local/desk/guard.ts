import type { IncomingMessage } from "node:http";

/** What a request must show to be answered under `/_local/`. */
export interface GuardOptions {
  /** True where other computers of the network may use the desk. */
  lan: boolean;
  /** What changes take as `x-desk-token`; undefined where they take none. */
  token: string | undefined;
}

const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Why a request may not use the desk; undefined where it may. A page of another site shows itself by what browsers say of it, one
 * behind a name that was led to this machine by its Host.
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
