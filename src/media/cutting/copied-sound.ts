import type { SoundShape } from "../audio-block.ts";
import type { PresentedPart } from "../container/decode-track.ts";
import type { MediaPacket, MediaTrack, PacketHead } from "../container/media-track.ts";
import { copiedTrack } from "../container/movie-writer.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import { cutParts, mediaSpan } from "./cut-parts.ts";
import { headsOf } from "./packet-heads.ts";

/** A decoder of AAC needs the packet before the first one that is presented, and one of HE-AAC some more for its highs. */
const LEAD_PACKETS = 4;
/** Where packets vary: Opus settles within 80 ms, and MP3 takes bytes from several packets before. */
const LEAD_SECONDS = 0.25;

/** What is cut out of a track of sound. */
export interface SoundCut {
  /** Rate of the decoded samples, of which the result has one in each tick. */
  readonly shape: SoundShape;
  /** All parts of the track that are presented, in frames. */
  readonly parts: readonly PresentedPart[];
  /** In frames of the presentation. */
  readonly from: number;
  readonly to: number;
}

/**
 * A track with the packets of a part of a sound, and packets before it that a player decodes and an edit list hides: the
 * result is exact to the sample. Each packet is copied.
 */
export function copiedSound(track: MediaTrack, { shape, parts, from, to }: SoundCut): MovieTrack {
  const ratio = shape.sampleRate / track.timeScale;
  const cut = cutParts(parts, from, to);
  const span = mediaSpan(cut);
  const { packetFrames = 0 } = track.sound ?? {};
  const lead = packetFrames > 0 ? LEAD_PACKETS * packetFrames : LEAD_SECONDS * shape.sampleRate;
  const range = { from: Math.max(0, Math.floor(((span?.from ?? 0) - lead) / ratio)) };
  /** Packets up to the last one that is presented; at least one, which a track must have. */
  async function* wanted<P extends PacketHead | MediaPacket>(
    packets: AsyncIterable<P>,
  ): AsyncGenerator<P> {
    let count = 0;
    for await (const packet of packets) {
      const pts = Math.round(packet.pts * ratio);
      if (count > 0 && pts >= (span?.to ?? 0)) {
        return;
      }
      count++;
      const dts = Math.round(packet.dts * ratio);
      yield { ...packet, dts, pts, duration: Math.round(packet.duration * ratio) };
    }
  }
  return copiedTrack(track, {
    timeScale: shape.sampleRate,
    edits: cut.map(({ start, frames }) => ({ start, duration: frames })),
    heads: () => wanted(track.heads?.(range) ?? headsOf(track.packets(range))),
    packets: () => wanted(track.packets(range)),
  });
}
