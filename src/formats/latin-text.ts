/** Bytes as text of as many characters, whatever they are: places in it are places in the bytes. */
export function latinText(bytes: Uint8Array): string {
  // The decoder's name for it is Windows-1252, which differs above 0x7F alone.
  return new TextDecoder("latin1").decode(bytes);
}
