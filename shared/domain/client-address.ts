/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is what one subscriber has (D10).
 * IPv4 addresses in IPv6 form count as what they are.
 */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = address.includes("::") ? Array.from({ length: 8 - left.length - right.length }, () => "0") : [];
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
