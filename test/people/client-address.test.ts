import { describe, expect, test } from "vitest";
import { clientOf, isLoopback, siteOf } from "../../shared/people/limits.ts";

describe("D10: one client", () => {
  test.each(["203.0.113.7", "203.0.113.8", "10.0.0.1"])("is an IPv4 address: %s", (address) => {
    expect(clientOf(address)).toBe(address);
  });

  test.each([
    ["2001:db8:1:200::1", "2001:db8:1:200::/56"],
    ["2001:db8:1:2ff:ffff:ffff:ffff:ffff", "2001:db8:1:200::/56"],
    ["2001:db8:1:300::1", "2001:db8:1:300::/56"],
    ["2001:0DB8:0001:0002:0000:0000:0000:0001", "2001:db8:1:0::/56"],
    ["2001:db8::1", "2001:db8:0:0::/56"],
    ["2001:db8:1:f2a3:3:4:5::", "2001:db8:1:f200::/56"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:0::/56"],
    ["fe80::1%eth0", "fe80:0:0:0::/56"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/56"],
    ["::1", "0:0:0:0::/56"],
    ["::", "0:0:0:0::/56"],
  ])("is the /56 of an IPv6 address, in whatever spelling: %s", (address, client) => {
    expect(clientOf(address)).toBe(client);
  });

  test.each([
    "::ffff:203.0.113.7",
    "::FFFF:203.0.113.7",
    "::ffff:cb00:7107",
    "0:0:0:0:0:ffff:203.0.113.7",
  ])("is the IPv4 address behind one in IPv6 form: %s", (address) => {
    expect(clientOf(address)).toBe("203.0.113.7");
  });
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["2001:db8:1:200::1", "2001:db8:1::/48"],
  ["2001:db8:1:ffff:ffff::", "2001:db8:1::/48"],
  ["2001:db8:2::1", "2001:db8:2::/48"],
])("D11: one client of messages is an IPv4 address, also in IPv6 form, or the /48 of an IPv6 address: %s", (address, site) => {
  expect(siteOf(address)).toBe(site);
});

test("only the machine's own address is its loopback: others of 127.0.0.0/8 are clients like any", () => {
  expect(["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.2", "10.0.0.1"].map(isLoopback)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
