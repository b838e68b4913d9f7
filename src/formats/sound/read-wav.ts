import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

const CHUNKS_MAX = 1_000;
const FORMAT_BYTES = 16;
/** Programs that write to a pipe do not know the length and leave one of these. */
const UNKNOWN_FROM = 0xffff_ff00;
/** PCM, float, A-law, µ-law: as many bytes for each frame as the header says. */
const FIXED_FRAMES: ReadonlySet<number> = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;

/** The duration of a WAV (RIFF), from the length of its samples. */
export async function readWav(file: HeaderWindow): Promise<ReadMetadata> {
  let at = 12;
  let format: DataView | undefined;
  let counted: number | undefined;
  for (let chunk = 0; chunk < CHUNKS_MAX; chunk++) {
    // oxlint-disable no-await-in-loop -- where a chunk begins follows from the one before
    const head = await file.take(at, 8);
    const [name, size] = [tagAt(head, 0), head.getUint32(4, true)];
    at += 8;
    if (name === "data") {
      return metadataOf(format, counted, dataBytes(file.sizeBytes - at, size));
    }
    if (name === "fmt ") {
      format = await file.take(at, Math.min(size, 40));
    } else if (name === "fact" && size >= 4) {
      counted = (await file.take(at, 4)).getUint32(0, true);
    }
    // oxlint-enable no-await-in-loop
    at += size + (size % 2);
  }
  throw new UnreadableSoundFile("has no samples.");
}

function dataBytes(left: number, size: number): number {
  if (size === 0 || size >= UNKNOWN_FROM) {
    return left;
  }
  if (size > left) {
    throw new UnreadableSoundFile("ends before its samples do.");
  }
  return size;
}

function metadataOf(
  format: DataView | undefined,
  counted: number | undefined,
  bytes: number,
): ReadMetadata {
  if (format === undefined || format.byteLength < FORMAT_BYTES) {
    throw new UnreadableSoundFile("has samples without their format.");
  }
  const coded = format.getUint16(0, true);
  const tag = coded === EXTENSIBLE && format.byteLength >= 26 ? format.getUint16(24, true) : coded;
  const channels = format.getUint16(2, true);
  const rate = format.getUint32(4, true);
  const [byteRate, frameBytes] = [format.getUint32(8, true), format.getUint16(12, true)];
  if (FIXED_FRAMES.has(tag)) {
    return checkedMetadata(Math.floor(bytes / frameBytes), rate, channels);
  }
  return checkedMetadata(counted ?? (bytes / byteRate) * rate, rate, channels);
}
