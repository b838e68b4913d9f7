/** A file as `data:` address, in base64. */
export function dataUri(contentType: string, bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  return `data:${contentType};base64,${Buffer.from(buffer, byteOffset, length).toString("base64")}`;
}
