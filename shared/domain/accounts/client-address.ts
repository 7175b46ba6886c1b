/**
 * The client of an address: an IPv4 address, also in IPv6 form, or the /56 of an IPv6 address, which providers assign to
 * one subscriber (D10).
 */
export function clientOf(address: string): string {
  return ipv4Of(address) ?? prefixOf(address, 56);
}

/**
 * The site of an address: an IPv4 address, also in IPv6 form, or the /48 of an IPv6 address, which providers assign to one
 * customer at most (D11).
 */
export function siteOf(address: string): string {
  return ipv4Of(address) ?? prefixOf(address, 48);
}

/** True for a client on the service's own machine, such as a laptop. */
export function isLoopback(address: string): boolean {
  return clientOf(address) === "127.0.0.1" || address === "::1";
}

function ipv4Of(address: string): string | undefined {
  if (!address.includes(":")) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : undefined;
}

function prefixOf(address: string, bits: 48 | 56): string {
  const [a = 0, b = 0, c = 0, d = 0] = groupsOf(address);
  const groups = bits === 48 ? [a, b, c] : [a, b, c, d & 0xff00];
  return `${groups.map((group) => group.toString(16)).join(":")}::/${bits}`;
}

/** The eight groups of an IPv6 address, in any of its spellings. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const [left, right] = [numbersOf(head), numbersOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: zeros }, () => 0), ...right];
}

function numbersOf(text: string): number[] {
  const parts = text === "" ? [] : text.split(":");
  return parts.flatMap((part) => (part.includes(".") ? dottedOf(part) : [Number.parseInt(part, 16)]));
}

function dottedOf(part: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}
