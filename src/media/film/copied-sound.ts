import { OPUS_RATE, readOpusHead } from "../codec/opus-head.ts";
import { opusPacketFrames } from "../codec/packet-frames.ts";
import { presentedParts } from "../container/decode-track.ts";
import { viewOf } from "../container/byte-window.ts";
import type { Edit, MediaPacket, MediaTrack, PacketHead } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import { copiedTrack } from "../container/movie-writer.ts";
import { AAC_PACKET_FRAMES } from "../container/adts/audio-specific-config.ts";
import {
  OPUS_TAIL_FRAMES,
  type OpusCodecs,
  type OpusTail,
  opusTail,
  readOpusEnding,
} from "./opus-tail.ts";
import { type AacCodecs, type SilentTail, silentTail } from "./silent-tail.ts";

/** What a track presents, as edits in its own ticks, also where the container states it in frames. */
export function editsOf({ edits, sound, timeScale }: MediaTrack): readonly Edit[] {
  const trim = sound?.trim ?? null;
  if (trim === null || sound === null) {
    return edits;
  }
  const ticks = (frames: number) => Math.round((frames * timeScale) / sound.sampleRate);
  const { skip, frames } = trim;
  return skip === 0 && frames === null
    ? []
    : [{ start: ticks(skip), duration: frames === null ? null : ticks(frames) }];
}

/** Sizes and times of all packets, from the packets themselves where the container has no tables. */
export async function* headsOf(track: MediaTrack): AsyncGenerator<PacketHead> {
  if (track.heads !== undefined) {
    yield* track.heads();
    return;
  }
  for await (const { data, dts, pts, duration, isKey } of track.packets()) {
    yield { bytes: data.byteLength, dts, pts, duration, isKey };
  }
}

/**
 * AAC as the sound of an MP4 or MOV that lasts for so many seconds: packets are copied up to its end, and edits cut it to the tick. Where
 * the sound ends before, silence follows (`silentTail`). Undefined where it must be encoded again because it cannot be continued so.
 */
export async function copiedAac(
  track: MediaTrack,
  seconds: number,
  codecs: AacCodecs,
): Promise<MovieTrack | undefined> {
  await track.prepare();
  let end = 0;
  for await (const { pts, duration } of headsOf(track)) {
    end = Math.max(end, pts + duration);
  }
  const given = editsOf(track);
  const edits: Edit[] = [];
  let left = Math.round(seconds * track.timeScale);
  for (const { start, duration } of given.length === 0 ? [{ start: 0, duration: null }] : given) {
    const whole = duration ?? Math.max(0, end - (start ?? 0));
    const part = Math.min(left, start === null ? whole : Math.min(whole, Math.max(0, end - start)));
    if (part > 0) {
      edits.push({ start, duration: part });
    }
    left -= part;
  }
  const needed = edits.reduce((last, edit) => Math.max(last, endOf(edit)), 0);
  if (left > 0) {
    return await continuedAac(track, { edits, needed, left }, codecs);
  }
  return copiedTrack(track, {
    edits,
    heads: () => until(headsOf(track), needed),
    packets: () => until(track.packets(), needed),
  });
}

/** What is presented of a track, up to the tick `needed`, and the ticks of silence that follow. */
interface ShortSound {
  readonly edits: readonly Edit[];
  readonly needed: number;
  readonly left: number;
}

async function continuedAac(
  track: MediaTrack,
  { edits, needed, left }: ShortSound,
  codecs: AacCodecs,
): Promise<MovieTrack | undefined> {
  const last = edits.at(-1);
  // Silence stands in the track itself: players do not agree on pauses at the end of an edit list.
  if (last === undefined || last.start === null || endOf(last) !== needed) {
    return undefined;
  }
  const tail = await silentTail(track, needed, codecs);
  if (tail === undefined) {
    return undefined;
  }
  const end = needed + left;
  const longer = { start: last.start, duration: end - last.start };
  return copiedTrack(track, {
    edits: [...edits.slice(0, -1), longer],
    heads: async function* () {
      yield* until(headsOf(track), tail.from);
      for (const { data, ...head } of tailPackets(tail, end)) {
        yield { ...head, bytes: data.byteLength };
      }
    },
    packets: async function* () {
      yield* until(track.packets(), tail.from);
      yield* tailPackets(tail, end);
    },
  });
}

function* tailPackets({ from, packets, silent }: SilentTail, end: number): Generator<MediaPacket> {
  let index = 0;
  for (let pts = from; pts < end; pts += AAC_PACKET_FRAMES, index++) {
    const data = packets[index] ?? silent;
    yield { data, pts, dts: pts, duration: AAC_PACKET_FRAMES, isKey: true };
  }
}

function endOf({ start, duration }: Edit): number {
  return (start ?? 0) + (duration ?? 0);
}

async function* until<T extends Pick<PacketHead, "pts">>(
  packets: AsyncIterable<T>,
  end: number,
): AsyncGenerator<T> {
  for await (const packet of packets) {
    if (packet.pts < end) {
      yield packet;
    }
  }
}

/**
 * Opus as the sound of a WebM that lasts for so many seconds, cut to the frame. Where the sound ends before, silence follows
 * (`opusTail`). Undefined where it must be encoded again because it cannot be continued so, or pauses, or presents several parts,
 * which a WebM cannot state.
 */
export async function copiedOpus(
  track: MediaTrack,
  seconds: number,
  codecs: OpusCodecs,
): Promise<MovieTrack | undefined> {
  const { sound } = track;
  const [part, ...others] = presentedParts(track, OPUS_RATE / track.timeScale);
  if (sound === null || part === undefined || part.start === null || others.length > 0) {
    return undefined;
  }
  const skip = part.start;
  const wanted = skip + Math.round(seconds * OPUS_RATE);
  const shown = Math.min(wanted, skip + (part.frames ?? Number.POSITIVE_INFINITY));
  const source = withPreSkip(track.config, skip);
  const ending = await readOpusEnding(opusPackets(track, shown));
  if (source === undefined || ending.isCut) {
    return undefined;
  }
  const tail = ending.end < wanted ? opusTail(track, ending, codecs) : undefined;
  if (ending.end < wanted && tail === undefined) {
    return undefined;
  }
  return copiedTrack(track, {
    config: source,
    description: null,
    sound: { ...sound, trim: { skip, frames: null } },
    timeScale: OPUS_RATE,
    edits: [],
    heads: undefined,
    packets: () =>
      tail === undefined ? opusPackets(track, wanted) : continuedOpus(track, tail, wanted),
  });
}

async function* continuedOpus(
  track: MediaTrack,
  { from, packets, silent }: OpusTail,
  end: number,
): AsyncGenerator<MediaPacket> {
  yield* opusPackets(track, from);
  let index = 0;
  for (let pts = from; pts < end; pts += OPUS_TAIL_FRAMES, index++) {
    const data = packets[index] ?? silent;
    const packet = { data, pts, dts: pts, duration: OPUS_TAIL_FRAMES, isKey: true };
    const discardFrames = pts + OPUS_TAIL_FRAMES - end;
    yield discardFrames > 0 ? { ...packet, discardFrames } : packet;
  }
}

/** The packets at the places that their own lengths give them, up to a frame. Damaged and missing ones leave a gap. */
export async function* opusPackets(track: MediaTrack, end: number): AsyncGenerator<MediaPacket> {
  let at = 0;
  for await (const { data, discardFrames = 0, isDamaged, lost } of track.packets()) {
    at += lost?.frames ?? 0;
    if (at >= end) {
      return;
    }
    const frames = opusPacketFrames(data);
    const pts = at;
    at += frames;
    if (frames > 0 && isDamaged !== true) {
      const discard = Math.max(discardFrames, at - end);
      const packet = { data, pts, dts: pts, duration: frames, isKey: true };
      yield discard > 0 ? { ...packet, discardFrames: discard } : packet;
    }
  }
}

const PRE_SKIP_MAX = 65_535;

/** An OpusHead with this pre-skip. Undefined for more than it can state. */
export function withPreSkip(head: Uint8Array, skip: number): Uint8Array | undefined {
  readOpusHead(head);
  if (skip > PRE_SKIP_MAX) {
    return undefined;
  }
  const copy = head.slice();
  viewOf(copy).setUint16(10, skip, true);
  return copy;
}
