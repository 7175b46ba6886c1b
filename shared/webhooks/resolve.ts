import { Resolver } from "node:dns/promises";
import { isPublicAddress } from "./public-address.ts";

/** Name servers as `host:port`, by default the system's, and a signal that ends the query. */
export interface ResolveOptions {
  readonly servers?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * The address to dial for a host: its first public one of IPv4, the only family that Lambda's network has; undefined if
 * none is public. Throws the resolver's error if the host is unknown or no server answers. Unlike `dns.lookup`, a server
 * that never answers occupies no thread, and the signal ends the query.
 */
export async function resolvePublic(host: string, { servers, signal }: ResolveOptions): Promise<string | undefined> {
  signal.throwIfAborted();
  const resolver = new Resolver();
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel);
  try {
    return (await resolver.resolve4(host)).find(isPublicAddress);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
