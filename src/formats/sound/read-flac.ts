import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

/** The duration of a FLAC from its STREAMINFO (RFC 9639, section 8.2), which begins at `start`. */
export async function readFlac(file: HeaderWindow, start: number): Promise<ReadMetadata> {
  const info = await file.take(start + 4, 38);
  // The first block is STREAMINFO; the highest bit says whether it is the last.
  if (tagAt(await file.take(start, 4), 0) !== "fLaC" || (info.getUint8(0) & 0x7f) !== 0) {
    throw new UnreadableSoundFile("has no FLAC header.");
  }
  return readStreamInfo(info, 4);
}

/** The block's own bytes begin at `at`. */
export function readStreamInfo(view: DataView, at: number): ReadMetadata {
  const packed = view.getUint32(at + 10);
  const samples = (view.getUint8(at + 13) & 0x0f) * 2 ** 32 + view.getUint32(at + 14);
  if (samples === 0) {
    throw new UnreadableSoundFile("does not say how long it is. Encode it again into a file.");
  }
  return checkedMetadata(samples, packed >>> 12, ((packed >>> 9) & 0b111) + 1);
}
