/** The largest prime below 2^16. */
const MODULUS = 65_521;
/** So many bytes cannot carry the sums past 2^32. */
const STEP = 3_800;

/** The checksum at the end of a zlib stream (RFC 1950 §8.2), going on from that of the bytes before; 1 before the first. */
export function adler32(bytes: Uint8Array, before: number): number {
  let low = before & 0xffff;
  let high = before >>> 16;
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + STEP, bytes.length);
    for (; at < end; at++) {
      low += bytes[at] as number;
      high += low;
    }
    low %= MODULUS;
    high %= MODULUS;
  }
  return ((high << 16) | low) >>> 0;
}
