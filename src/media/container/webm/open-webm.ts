import type { ByteWindow } from "../byte-window.ts";
import type { MediaPacket, MediaTrack, OpenMedia, PacketRange } from "../media-track.ts";
import { webmFrames } from "./webm-blocks.ts";
import { readWebmHeader, type WebmHeader, type WebmTrack } from "./webm-header.ts";

/** Opens a WebM. Throws NodeError with a code of docs/contract/media.md. */
export async function openWebm(window: ByteWindow): Promise<OpenMedia> {
  const header = await readWebmHeader(window);
  const timeScale = 1e9 / header.tick;
  const tracks = header.tracks.map((track): MediaTrack => ({
    ...track,
    timeScale,
    prepare: () => Promise.resolve(),
    packets: (range) => webmPackets(window, header, track, range),
  }));
  return { container: "webm", sizeBytes: window.sizeBytes, tracks, seconds: header.seconds };
}

async function* webmPackets(
  window: ByteWindow,
  header: WebmHeader,
  { id, sound }: WebmTrack,
  { from = 0 }: PacketRange = {},
): AsyncGenerator<MediaPacket> {
  // Without an index, packets before the last key packet are known only when the next one is: all are returned for video.
  const isSkipping = sound !== null;
  for await (const { data, time, duration, isKey, discardNs } of webmFrames(window, header, id)) {
    if (isSkipping && from > 0 && time < from) {
      continue;
    }
    const discardFrames = Math.round((discardNs * (sound?.sampleRate ?? 0)) / 1e9);
    yield {
      data,
      pts: time,
      dts: time,
      duration,
      isKey,
      ...(discardFrames > 0 && { discardFrames }),
    };
  }
}
