/** How the one segment of Miniflare's encoder grows: by what is asked for, and all of it copied. */
const GROWTH = "s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);";
/** At least doubled, so that a byte is copied about once. What is not used is not sent. */
const DOUBLED =
  "s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));";

/** Miniflare's text with an encoder that doubles its buffer; a text that reads differently as it is. */
export function growByDoubling(source: string): string {
  return source.replace(GROWTH, DOUBLED);
}
