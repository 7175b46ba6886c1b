import { expect, test } from "vitest";
import { isPublicAddress } from "../../shared/webhooks/public-address.ts";

const refused = {
  "this network": ["0.0.0.0", "0.255.255.255"],
  private: ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.255.255.254"],
  "link-local, and the metadata of AWS": ["169.254.0.1", "169.254.169.254", "169.254.170.2"],
  "protocol assignments": ["192.0.0.1", "192.0.0.192", "192.31.196.1", "192.52.193.1", "192.175.48.1"],
  examples: ["192.0.2.1", "198.51.100.7", "203.0.113.9"],
  "6to4": ["192.88.99.1"],
  benchmarks: ["198.18.0.1", "198.19.255.255"],
  "for many, kept and broadcast": ["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  "of IPv6, mapped from IPv4 or not": ["::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "fd00:ec2::254", "2606:4700::1111"],
  "no address": ["", "localhost", "8.8.8", "010.0.0.1", "0x7f000001", "2130706433", "8.8.8.8 ", "[2606:4700::1]"],
};

test.each(Object.entries(refused))("D42: no address is dialled that is %s", (_, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test("D42: those of the public internet are, up to the borders of what is not", () => {
  const near = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
  ];
  const nearer = ["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"];
  const furthest = ["198.17.255.255", "198.20.0.0", "223.255.255.255"];
  expect([...near, ...nearer, ...furthest].filter((each) => !isPublicAddress(each))).toEqual([]);
});
