import type { ByteWindow } from "../container/byte-window.ts";
import { truncatedMedia } from "../container/media-error.ts";
import type { MediaSink } from "../container/media-sink.ts";
import type { WavHeader } from "../container/wav/wav-header.ts";

const PIECE_BYTES = 256 * 1024;
const PCM = 1;
const FACT_BYTES = 12;

/**
 * Writes frames `from` up to `to` of a WAV as a WAV of the same sample format, byte by byte. Throws NodeError
 * `MEDIA_TRUNCATED`, and the errors of the source and of the sink.
 */
export async function cutWav(
  window: ByteWindow,
  header: WavHeader,
  { from, to }: { readonly from: number; readonly to: number },
  sink: MediaSink,
  signal?: AbortSignal,
): Promise<void> {
  const { dataStart, frameBytes } = header;
  const dataBytes = (to - from) * frameBytes;
  await sink.append(wavHead(header.format, to - from, dataBytes));
  const start = dataStart + from * frameBytes;
  for (let done = 0; done < dataBytes;) {
    signal?.throwIfAborted();
    const length = Math.min(PIECE_BYTES, dataBytes - done);
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const bytes = await window.read(start + done, length);
    if (bytes.byteLength < length) {
      throw truncatedMedia("is a WAV that became shorter while it was read.");
    }
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    await sink.append(bytes);
    done += length;
  }
  if (dataBytes % 2 === 1) {
    await sink.append(new Uint8Array(1));
  }
}

/** RIFF, the format as it is, for formats other than PCM the number of frames, and the head of `data`. */
function wavHead(format: Uint8Array, frames: number, dataBytes: number): Uint8Array {
  const formatBytes = format.byteLength + (format.byteLength % 2);
  const isPcm = new DataView(format.buffer, format.byteOffset).getUint16(0, true) === PCM;
  const factBytes = isPcm ? 0 : FACT_BYTES;
  const head = new Uint8Array(12 + 8 + formatBytes + factBytes + 8);
  const view = new DataView(head.buffer);
  const tag = (at: number, name: string) => head.set(new TextEncoder().encode(name), at);
  tag(0, "RIFF");
  view.setUint32(4, head.byteLength - 8 + dataBytes + (dataBytes % 2), true);
  tag(8, "WAVEfmt ");
  view.setUint32(16, format.byteLength, true);
  head.set(format, 20);
  if (!isPcm) {
    const at = 20 + formatBytes;
    tag(at, "fact");
    view.setUint32(at + 4, 4, true);
    view.setUint32(at + 8, frames, true);
  }
  tag(head.byteLength - 8, "data");
  view.setUint32(head.byteLength - 4, dataBytes, true);
  return head;
}
