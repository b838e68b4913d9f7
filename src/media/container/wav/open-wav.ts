import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../audio-block.ts";
import type { ByteWindow } from "../byte-window.ts";
import type { PassCounts } from "../decode-track.ts";
import { truncatedMedia } from "../media-error.ts";
import { PcmConverter } from "./pcm.ts";
import type { WavHeader } from "./wav-header.ts";

/** Reads the samples of a WAV from the first to the last. */
export async function* wavBlocks(
  window: ByteWindow,
  header: WavHeader,
  counts: PassCounts,
): AsyncGenerator<AudioBlock> {
  const converter = new PcmConverter({ ...header, isBigEndian: false });
  const { frameBytes, dataStart, frames } = header;
  for (let done = 0; done < frames;) {
    const wanted = Math.min(BLOCK_FRAMES_MAX, frames - done);
    const at = dataStart + done * frameBytes;
    const length = wanted * frameBytes;
    // oxlint-disable-next-line no-await-in-loop -- one block after another
    const bytes = window.peek(at, length) ?? (await window.read(at, length));
    if (bytes.byteLength < length) {
      throw truncatedMedia("is a WAV that became shorter while it was read.");
    }
    const block = converter.convert(bytes);
    counts.packets += wanted;
    counts.failed = converter.badFrames;
    yield block;
    done += wanted;
  }
}
