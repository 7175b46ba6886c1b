import { Resolver } from "node:dns/promises";
import { isPublicAddress } from "./public-address.ts";

/** An address that a name leads to. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Name servers as `host:port`, those of the system where they are left out, and how long they are asked. */
export interface ResolveOptions {
  readonly servers?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * The address that a host is dialled at: its first public one, of IPv6 where it has none of IPv4; undefined where no address
 * of it is public. Throws the resolver's error where the host is unknown or no server answers. Servers that never answer take
 * none of the threads that `dns.lookup` would, and are asked no longer than the signal says.
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

/** What the one family lacks, the other may have. */
async function answerOf(asked: Promise<string[]>): Promise<string[]> {
  return asked.catch(() => []);
}
