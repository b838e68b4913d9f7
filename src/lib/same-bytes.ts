/**
 * Compares in a time that depends only on the lengths. For digests and other secrets of fixed
 * length.
 */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) {
    return false;
  }
  let difference = 0;
  for (let at = 0; at < a.byteLength; at++) {
    difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  }
  return difference === 0;
}
