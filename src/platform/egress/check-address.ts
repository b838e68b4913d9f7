import ipaddr from "ipaddr.js";

/** All global unicast addresses of IPv6 lie here; what the registries hold back inside it is refused by range. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Reserved within unicast space, and not known to the library under a name. */
const RESERVED = [
  "192.88.99.0/24", // relays of 6to4 (RFC 7526)
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // automatic multicast tunnels
  "192.175.48.0/24", // AS112
  "2002::/16", // 6to4: wraps an IPv4 address
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
  "2620:4f:8000::/48", // AS112
].map((range) => ipaddr.parseCIDR(range));

/**
 * Whether an address, written in its canonical form and without brackets, is one of a public host.
 * What is not an address, or wraps another one (mapped, NAT64, 6to4, Teredo), is not.
 */
export function isPublicAddress(text: string): boolean {
  // Looser spellings (`127.1`, zone ids) are for the URL parser to settle, not for this.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) {
    return false;
  }
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") {
    return false;
  }
  if (RESERVED.some((range) => address.kind() === range[0].kind() && address.match(range))) {
    return false;
  }
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}
