import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Every IPv4 block that IANA's registry of special addresses excludes from the public internet, and blocks without
 * hosts.
 */
const notPublic = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** Public IPv6. Outside of it are IPv4-mapped, translated (NAT64), local and multicast addresses. */
const unicast = listOf(["2000::/3"], "ipv6");

/** Exceptions inside of it: protocols such as Teredo, examples, and 6to4, which leads to any IPv4 address. */
const notUnicast = listOf(["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"], "ipv6");

const notPublicList = listOf(notPublic, "ipv4");

/** Whether an address may be dialled: a public one, in the form of a DNS answer. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublicList.check(address, "ipv4");
  return isIPv6(address) && unicast.check(address, "ipv6") && !notUnicast.check(address, "ipv6");
}

function listOf(blocks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [start = "", bits] = block.split("/");
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}
