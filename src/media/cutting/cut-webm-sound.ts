import { frameCounter } from "../codec/packet-frames.ts";
import type { MediaPacket, MediaTrack, PacketRange } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import { copiedTrack } from "../container/movie-writer.ts";

/** Opus settles within 80 ms, and Vorbis needs one packet. In seconds. */
const LEAD_SECONDS = 0.1;

/** A track of a WebM whose times count frames: its own ones are rounded to milliseconds. */
export function countedSound(track: MediaTrack): MediaTrack {
  const { sound } = track;
  if (sound === null) {
    throw new RangeError("Only sound is counted in frames.");
  }
  return {
    ...track,
    timeScale: sound.sampleRate,
    duration: null,
    async *packets({ from = 0 }: PacketRange = {}): AsyncGenerator<MediaPacket> {
      const frames = frameCounter(track.codec, track.config, sound.packetFrames);
      let pts = 0;
      for await (const packet of track.packets()) {
        const duration = frames(packet.data);
        if (pts + duration > from) {
          yield { ...packet, pts, dts: pts, duration };
        }
        pts += duration;
      }
    },
  };
}

/**
 * The part of a counted track in a WebM, in presented frames: packets before it are hidden by the delay of the codec, what follows it in the
 * last packet by the frames that are discarded. A sound that begins later than its part has a `from` below 0, and its packets that much
 * later times.
 */
export async function copiedWebmSound(
  track: MediaTrack,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<MovieTrack> {
  const { sound } = track;
  if (sound === null) {
    throw new RangeError("Only sound is cut here.");
  }
  const skip = sound.trim?.skip ?? 0;
  const pause = Math.max(0, -from);
  const [first, end] = [skip + Math.max(0, from), skip + to];
  const range = {
    from: Math.max(0, Math.floor(first - LEAD_SECONDS * sound.sampleRate)),
  };
  const { value } = await track.packets(range).next();
  const base = value === undefined ? 0 : (value as MediaPacket).pts;
  // A decoder of Vorbis returns nothing for its first packet.
  const lost =
    track.codec === "vorbis" && value !== undefined ? (value as MediaPacket).duration : 0;
  return copiedTrack(track, {
    edits: [],
    heads: undefined,
    sound: { ...sound, trim: { skip: Math.max(0, first - base - lost), frames: null } },
    async *packets() {
      for await (const packet of track.packets(range)) {
        if (packet.pts >= end) {
          return;
        }
        const discard = Math.max(packet.discardFrames ?? 0, packet.pts + packet.duration - end);
        yield {
          ...packet,
          pts: packet.pts - base + pause,
          dts: packet.dts - base + pause,
          ...(discard > 0 && { discardFrames: discard }),
        };
      }
    },
  });
}
