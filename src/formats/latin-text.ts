/**
 * Decodes bytes to text with one character per byte, so that positions in the text are positions in
 * the bytes.
 */
export function latinText(bytes: Uint8Array): string {
  // The decoder reads this label as Windows-1252, which differs only above 0x7F.
  return new TextDecoder("latin1").decode(bytes);
}
