import { expect, test } from "vitest";
import { isPublicAddress } from "../../shared/webhooks/public-address.ts";

const refused = {
  "this network": ["0.0.0.0", "0.255.255.255"],
  private: ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  "link-local, and the metadata of AWS": ["169.254.0.1", "169.254.169.254", "169.254.170.2", "fe80::1", "fe80::1%eth0"],
  "metadata of AWS in IPv6": ["fd00:ec2::254"],
  "protocol assignments": ["192.0.0.1", "192.0.0.192", "2001:1::1", "2001:20::1"],
  examples: ["192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::1", "3fff::1"],
  "6to4": ["192.88.99.1", "2002:7f00:1::", "2002:a9fe:a9fe::1"],
  benchmarks: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  "for many, kept and broadcast": ["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1"],
  unspecified: ["::"],
  "mapped from IPv4": ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "0:0:0:0:0:ffff:a00:1"],
  "compatible with IPv4": ["::127.0.0.1", "::7f00:1"],
  "translated to IPv4": ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
  Teredo: ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  "unique local": ["fc00::1", "fdff:ffff::1"],
  "site-local, discard and segment routing": ["fec0::1", "100::1", "5f00::1"],
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
  const furthest = ["198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::1", "2001:200::1", "2606:4700::1111"];
  const all = [...near, ...nearer, ...furthest, "2003::1", "3ffe::1"];
  expect(all.filter((each) => !isPublicAddress(each))).toEqual([]);
});
