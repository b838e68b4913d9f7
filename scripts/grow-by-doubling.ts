/** How the single segment of Miniflare's encoder grows: by the requested size, copying everything. */
const GROWTH = "s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);";
/** Grows to at least twice the size, so that each byte is copied about once. Unused space is not sent. */
const DOUBLED =
  "s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));";

/**
 * Returns Miniflare's source with an encoder that doubles its buffer; returns a source of a different form unchanged.
 */
export function growByDoubling(source: string): string {
  return source.replace(GROWTH, DOUBLED);
}
