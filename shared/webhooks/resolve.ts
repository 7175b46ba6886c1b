import { Resolver } from "node:dns/promises";
import { isPublicAddress } from "./public-address.ts";

/** An address of a host. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Name servers as `host:port`, by default the system's, and a signal that ends the query. */
export interface ResolveOptions {
  readonly servers?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * The address to dial for a host: its first public IPv4 address, else its first public IPv6 address; undefined if no
 * address is public. Throws the resolver's error if the host is unknown or no server answers. Unlike `dns.lookup`, a
 * server that never answers occupies no thread, and the signal ends the query.
 */
export async function resolvePublic(host: string, { servers, signal }: ResolveOptions): Promise<Address | undefined> {
  signal.throwIfAborted();
  const resolver = new Resolver();
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const older = await answerOf(resolver.resolve4(host));
    const address = older.find(isPublicAddress);
    if (address !== undefined) return { address, family: 4 };
    signal.throwIfAborted();
    const newer = older.length > 0 ? await answerOf(resolver.resolve6(host)) : await resolver.resolve6(host);
    const other = newer.find(isPublicAddress);
    return other === undefined ? undefined : { address: other, family: 6 };
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** The other family may have an address if this one has none. */
async function answerOf(asked: Promise<string[]>): Promise<string[]> {
  return asked.catch(() => []);
}
