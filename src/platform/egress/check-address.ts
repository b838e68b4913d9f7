import ipaddr from "ipaddr.js";

/** All global unicast IPv6 addresses are in this range; reserved ranges within it are refused below. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Reserved ranges within unicast space that the library does not classify. */
const RESERVED = [
  "192.88.99.0/24", // 6to4 relays (RFC 7526)
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // automatic multicast tunnels
  "192.175.48.0/24", // AS112
  "2002::/16", // 6to4: wraps an IPv4 address
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
  "2620:4f:8000::/48", // AS112
].map(parseRange);

/** By its kind: the library's own choice throws and catches an error, for whose stack V8 parses the whole Worker again at its start. */
function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return range.includes(":") ? ipaddr.IPv6.parseCIDR(range) : ipaddr.IPv4.parseCIDR(range);
}

/**
 * Whether a canonical address without brackets belongs to a public host. False for texts that are not addresses and for
 * addresses that wrap another one (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  // Looser spellings (`127.1`, zone ids) are normalized by the URL parser before this check.
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
