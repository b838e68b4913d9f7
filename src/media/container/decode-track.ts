import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import type { PacketDecoder } from "../codec/codec.ts";
import { frameCounter } from "../codec/packet-frames.ts";
import { silentBlocks } from "../silent-blocks.ts";
import { unreadableMedia } from "./media-error.ts";
import type { MediaPacket, MediaTrack } from "./media-track.ts";

/** Counts of one pass over a track. */
export interface PassCounts {
  /** Packets, or frames of PCM. */
  packets: number;
  /** Those that became silence. */
  failed: number;
}

/** A part of a track that is presented, in frames at the decoded rate. */
export interface PresentedPart {
  /** Null for silence. */
  readonly start: number | null;
  /** Null up to the end of the track. */
  readonly frames: number | null;
}

/** More than this share of failed packets is not a damaged file but another one. */
const FAILED_MAX = 0.01;
/** Seconds before a part from which packets are decoded, so that decoders have settled. */
const PREROLL_S = 1;

/** The parts of a track in their order, by its trim or its edit list. `ratio`: frames in a tick. */
export function presentedParts(track: MediaTrack, ratio: number): readonly PresentedPart[] {
  const trim = track.sound?.trim ?? null;
  if (trim !== null) {
    return [{ start: trim.skip, frames: trim.frames }];
  }
  if (track.edits.length === 0) {
    const frames = track.duration === null ? null : Math.round(track.duration * ratio);
    return [{ start: 0, frames }];
  }
  return track.edits.map(({ start, duration }) => ({
    start: start === null ? null : Math.round(start * ratio),
    frames: duration === null ? null : Math.round(duration * ratio),
  }));
}

/** Throws NodeError `MEDIA_UNREADABLE` if more than 1 % of the packets did not decode. */
export function checkFailures({ packets, failed }: PassCounts): void {
  if (failed > packets * FAILED_MAX) {
    throw unreadableMedia(
      `has ${failed} of ${packets} packets of sound that do not decode; at most 1 % may. Send an undamaged file.`,
    );
  }
}

/**
 * Decodes what is presented of a track. A packet that does not decode becomes silence of its length. `ratio`: frames of the
 * decoder's output in a tick of the track.
 */
export async function* decodeTrack(
  track: MediaTrack,
  shape: SoundShape,
  ratio: number,
  openDecoder: () => PacketDecoder,
  counts: PassCounts,
  signal?: AbortSignal,
): AsyncGenerator<AudioBlock> {
  const parts = presentedParts(track, ratio);
  for (const part of parts) {
    if (part.start === null) {
      yield* silentBlocks(shape.channels, part.frames ?? 0);
      continue;
    }
    const decoder = openDecoder();
    try {
      // oxlint-disable-next-line no-await-in-loop -- one part after another
      yield* decodePart(
        track,
        shape,
        ratio,
        { ...part, start: part.start },
        decoder,
        counts,
        signal,
      );
    } finally {
      decoder.close();
    }
  }
}

async function* decodePart(
  track: MediaTrack,
  shape: SoundShape,
  ratio: number,
  part: { readonly start: number; readonly frames: number | null },
  decoder: PacketDecoder,
  counts: PassCounts,
  signal: AbortSignal | undefined,
): AsyncGenerator<AudioBlock> {
  const early = part.start - PREROLL_S * shape.sampleRate;
  const from = track.edits.length > 0 && early > 0 ? Math.floor(early / ratio) : 0;
  const frames = frameCounter(track.codec, track.config, track.sound?.packetFrames ?? 0);
  const usual = (packet: MediaPacket) => frames(packet.data) || Math.round(packet.duration * ratio);
  let cutter: Cutter | undefined;
  let packetFrames = 0;
  for await (const packet of track.packets({ from })) {
    signal?.throwIfAborted();
    cutter ??= new Cutter(
      shape.channels,
      part.start - (from === 0 ? 0 : Math.round(packet.dts * ratio)),
      part.frames,
    );
    const stated = usual(packet);
    packetFrames = Math.max(packetFrames, stated);
    if (packet.lost !== undefined) {
      counts.packets += packet.lost.packets;
      counts.failed += packet.lost.packets;
      yield* cutter.silence(packet.lost.frames);
    }
    counts.packets++;
    const block = packet.isDamaged === true ? null : decoder.decode(packet.data);
    const planes = block === null ? null : fittedPlanes(block, shape.channels);
    if (planes === null) {
      counts.failed++;
      yield* cutter.silence(stated);
    } else {
      yield* cutter.cut(planes, packet.discardFrames ?? 0);
    }
    if (cutter.isDone) {
      return;
    }
  }
  if (cutter !== undefined) {
    const rest = fittedPlanes(decoder.flush(), shape.channels);
    yield* cutter.cut(rest ?? [], 0);
    yield* fill(cutter, packetFrames, counts);
  }
}

/** What the container promises and the decoder did not return is silence; much of it counts as failed packets. */
function* fill(cutter: Cutter, packetFrames: number, counts: PassCounts): Generator<AudioBlock> {
  const { missing } = cutter;
  if (missing === null || missing === 0) {
    return;
  }
  counts.failed += packetFrames === 0 ? 0 : Math.max(0, Math.floor(missing / packetFrames) - 1);
  yield* cutter.silence(missing);
}

/** The planes of a block with the channels of the track, or null. Mono stands for two equal channels. */
function fittedPlanes(block: AudioBlock, channels: number): AudioBlock | null {
  const [first] = block;
  if (block.length === channels || first === undefined || first.length === 0) {
    return block;
  }
  return block.length === 1 && channels === 2 ? [first, first] : null;
}

/** Leaves out frames at the start and after the end, and makes blocks of the accepted length. */
class Cutter {
  readonly #channels: number;
  #skip: number;
  #left: number;

  constructor(channels: number, skip: number, frames: number | null) {
    this.#channels = channels;
    this.#skip = skip;
    this.#left = frames ?? Number.POSITIVE_INFINITY;
  }

  get isDone(): boolean {
    return this.#left <= 0;
  }

  /** Frames up to the stated end; null if none is stated. */
  get missing(): number | null {
    return Number.isFinite(this.#left) ? Math.max(0, this.#left) : null;
  }

  /** `discard`: frames at the block's end that are left out. */
  *cut(block: AudioBlock, discard: number): Generator<AudioBlock> {
    const length = Math.max(0, (block[0]?.length ?? 0) - discard);
    const start = Math.min(Math.max(0, this.#skip), length);
    this.#skip -= start;
    const end = Math.min(length, start + this.#left);
    this.#left -= end - start;
    for (let from = start; from < end; from += BLOCK_FRAMES_MAX) {
      const to = Math.min(end, from + BLOCK_FRAMES_MAX);
      yield block.map((plane) => plane.subarray(from, to));
    }
  }

  *silence(frames: number): Generator<AudioBlock> {
    const start = Math.min(Math.max(0, this.#skip), frames);
    this.#skip -= start;
    const length = Math.min(frames - start, this.#left);
    this.#left -= length;
    yield* silentBlocks(this.#channels, length);
  }
}
