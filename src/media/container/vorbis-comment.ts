const VENDOR = "Edgeloom";

/** A comment of Vorbis, FLAC and Opus without entries: the name of the program that wrote the file. */
export function vorbisComment(): Uint8Array<ArrayBuffer> {
  const vendor = new TextEncoder().encode(VENDOR);
  const comment = new Uint8Array(4 + vendor.byteLength + 4);
  new DataView(comment.buffer).setUint32(0, vendor.byteLength, true);
  comment.set(vendor, 4);
  return comment;
}
