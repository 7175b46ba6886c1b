import { BlockList, isIPv4 } from "node:net";

const notPublic = new BlockList();

// Every IPv4 block that IANA's registry of special addresses excludes from the public internet, and blocks without hosts.
for (const block of [
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
]) {
  const [start = "", bits] = block.split("/");
  notPublic.addSubnet(start, Number(bits));
}

/** Whether an address may be dialled: a public one of IPv4, in the form of a DNS answer. */
export function isPublicAddress(address: string): boolean {
  return isIPv4(address) && !notPublic.check(address);
}
