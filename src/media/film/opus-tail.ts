import type { AudioBlock } from "../audio-block.ts";
import type { PacketDecoder, PacketEncoder } from "../codec/codec.ts";
import { OPUS_RATE, readOpusHead } from "../codec/opus-head.ts";
import type { MediaPacket, MediaTrack } from "../container/media-track.ts";
import { bestJoint, difference } from "./packet-joint.ts";

/** What is needed to continue Opus with silence. */
export interface OpusCodecs {
  decoder(config: Uint8Array): PacketDecoder;
  encoder(channels: number, bitrateKbps: number): PacketEncoder;
}

/** Packets of 20 ms that follow a sound, so that it is silent from a frame on. Frames count from the first packet of the track. */
export interface OpusTail {
  /** Frame of the first packet. Those of the source from there on are left out. */
  readonly from: number;
  /** The end of the sound and the start of the silence. */
  readonly packets: readonly Uint8Array[];
  /** The packet of silence that follows as often as is wanted. */
  readonly silent: Uint8Array;
}

/** Frames of a packet that libopus makes. */
export const OPUS_TAIL_FRAMES = 960;
/** Frames before the end that are decoded and encoded. */
const LEAD_FRAMES = 24 * OPUS_TAIL_FRAMES;
/** Frames until a decoder that begins within a track has settled (RFC 7845, section 4.6). */
const SETTLED_FRAMES = 3_840;
/** Packets of which one becomes the first that is encoded. */
const JOINTS = 12;
/** Packets after the end, until the decoder has nothing left but silence. */
const SETTLING = 4;
const KBPS_OF_CHANNEL = 255;
/** libopus takes off a mean that it follows by this share for each frame (`dc_reject`, 3 Hz); without that mean in the input, a tail would follow the end. */
const DC_STEP = (6.3 * 3) / OPUS_RATE;
/**
 * Stands for silence after the end, with the sign of every second sample turned, which is a tone that Opus leaves out. For zeros
 * libopus writes a packet of silence, and then the decoder does not get the last part of the sound before them out of its filters.
 */
const FAINT = 2 ** -21;
/** Half a step of 24 bits. */
const SILENT_MAX = 2 ** -24;
/** Place of the output gain in an OpusHead (RFC 7845, section 5.1). */
const GAIN_AT = 16;

type Packet = Pick<MediaPacket, "data" | "pts" | "duration">;

/** How the packets of a track end. */
export interface OpusEnding {
  /** Copies of the packets of the last half second. */
  readonly packets: readonly Packet[];
  /** Frame after the last one that is presented. */
  readonly end: number;
  /** Frames before the end are left out too. */
  readonly isCut: boolean;
}

/** Reads packets to their end. `packets`: at the places that their lengths give them. */
export async function readOpusEnding(packets: AsyncIterable<MediaPacket>): Promise<OpusEnding> {
  const kept: Packet[] = [];
  let [end, discarded, isCut] = [0, 0, false];
  for await (const { data, pts, duration, discardFrames = 0 } of packets) {
    isCut ||= discarded > 0;
    discarded = discardFrames;
    end = pts + duration - discardFrames;
    kept.push({ data: data.slice(), pts, duration });
    while ((kept[0]?.pts ?? 0) + LEAD_FRAMES < pts) {
      kept.shift();
    }
  }
  return { packets: kept, end, isCut };
}

/**
 * Continues Opus of one or two channels with silence from its end on, to the frame: a packet cannot be cut, so that the last
 * ones before the end are encoded again with zeros from there. Of some places at which those may begin, the last one is taken at
 * which the change of the encoder adds no more than the error of the new one. Undefined for other channels, for a sound of less
 * than some tenths of a second, for gaps near its end, and for packets that do not decode.
 */
export function opusTail(
  { config }: MediaTrack,
  { packets: given, end }: OpusEnding,
  codecs: OpusCodecs,
): OpusTail | undefined {
  const { channels, streams } = readOpusHead(config);
  if (streams !== 1 || channels > 2) {
    return undefined;
  }
  const first = given[0]?.pts ?? 0;
  const places = given.map(({ pts }) => pts);
  const isEven = given.every(
    ({ pts, duration }, i) => pts + duration === (given[i + 1]?.pts ?? pts + duration),
  );
  const last = places.findLast((place) => place <= end - OPUS_TAIL_FRAMES);
  if (!isEven || last === undefined || last - first < 2 * SETTLED_FRAMES) {
    return undefined;
  }
  const decode = (all: readonly Uint8Array[]) => decoded(all, config, channels, codecs);
  const source = decode(given.map(({ data }) => data));
  if (source === undefined || (source[0]?.length ?? 0) < end - first) {
    return undefined;
  }
  const skipped = (last - first) % OPUS_TAIL_FRAMES;
  const count = Math.ceil((end - first - skipped) / OPUS_TAIL_FRAMES) + SETTLING;
  const sound = source.map((samples) => ended(samples, end - first, count));
  const made = encoded(sound, skipped, count, codecs);
  const silent = encoded([], 0, SETTLING, codecs, channels).at(-1);
  if (silent === undefined) {
    return undefined;
  }
  const own = decode([...made, silent, silent]);
  if (own === undefined || !isSilent(partOf(own, (count + 1) * OPUS_TAIL_FRAMES))) {
    return undefined;
  }
  // Two packets: what a decoder remembers of one lasts for the next.
  const measured = 2 * OPUS_TAIL_FRAMES;
  const from = bestJoint(jointsOf(places, first, last), (place) => {
    const at = (place - first - skipped) / OPUS_TAIL_FRAMES;
    const kept = given.filter(({ pts }) => pts < place).map(({ data }) => data);
    const joined = decode([...kept, ...made.slice(at)]);
    const wanted = partOf(sound, place - first, measured);
    const alone = difference(wanted, partOf(own, at * OPUS_TAIL_FRAMES, measured));
    const both = difference(wanted, joined && partOf(joined, place - first, measured));
    return both / (alone + 1e-12);
  });
  return from === undefined
    ? undefined
    : { from, packets: made.slice((from - first - skipped) / OPUS_TAIL_FRAMES), silent };
}

/** Starts of packets that the grid of the encoder has too, the last one first. */
function jointsOf(places: readonly number[], first: number, last: number): readonly number[] {
  return places
    .filter((at) => at <= last && at - first >= SETTLED_FRAMES)
    .filter((at) => (last - at) % OPUS_TAIL_FRAMES === 0)
    .toReversed()
    .slice(0, JOINTS);
}

/** The samples of the packets, without the gain that the header states; undefined if one does not decode. */
function decoded(
  packets: readonly Uint8Array[],
  config: Uint8Array,
  channels: number,
  codecs: OpusCodecs,
): AudioBlock | undefined {
  const head = config.slice().fill(0, GAIN_AT, GAIN_AT + 2);
  const decoder = codecs.decoder(head);
  try {
    const blocks: AudioBlock[] = [];
    for (const packet of packets) {
      const block = decoder.decode(packet);
      if (block?.length !== channels) {
        return undefined;
      }
      blocks.push(block);
    }
    return Array.from({ length: channels }, (_, channel) => joinedPlane(blocks, channel));
  } finally {
    decoder.close();
  }
}

function joinedPlane(blocks: readonly AudioBlock[], channel: number): Float32Array {
  const frames = blocks.reduce((sum, block) => sum + (block[channel]?.length ?? 0), 0);
  const plane = new Float32Array(frames);
  let at = 0;
  for (const block of blocks) {
    plane.set(block[channel] ?? [], at);
    at += block[channel]?.length ?? 0;
  }
  return plane;
}

/** Packets of the samples from `skipped` on, and of zeros after them: packet k decodes to the frames from `skipped + 960 k` on. */
function encoded(
  sound: AudioBlock,
  skipped: number,
  count: number,
  codecs: OpusCodecs,
  channels = sound.length,
): readonly Uint8Array[] {
  const encoder = codecs.encoder(channels, channels * KBPS_OF_CHANNEL);
  try {
    const made: Uint8Array[] = [];
    const offsets = new Float64Array(channels);
    // A decoder returns the input later by the priming.
    for (let at = skipped + encoder.priming; made.length < count; at += OPUS_TAIL_FRAMES) {
      const block = Array.from({ length: channels }, (_, channel) => {
        const samples = new Float32Array(OPUS_TAIL_FRAMES);
        samples.set(sound[channel]?.subarray(at, at + OPUS_TAIL_FRAMES) ?? []);
        return samples.map((sample) => {
          const given = sample + (offsets[channel] ?? 0);
          offsets[channel] = (offsets[channel] ?? 0) + DC_STEP * sample;
          return given;
        });
      });
      made.push(...encoder.encode(block).map(({ data }) => data));
    }
    return made;
  } finally {
    encoder.close();
  }
}

/** The samples up to an end, and what stands for silence until the packets are full. */
function ended(samples: Float32Array, end: number, packets: number): Float32Array {
  const plane = new Float32Array((packets + 2) * OPUS_TAIL_FRAMES).fill(FAINT);
  for (let i = 1; i < plane.length; i += 2) {
    plane[i] = -FAINT;
  }
  plane.set(samples.subarray(0, end));
  return plane;
}

function partOf(planes: AudioBlock, from: number, frames = Number.POSITIVE_INFINITY): AudioBlock {
  return planes.map((plane) => plane.subarray(from, from + frames));
}

function isSilent(planes: AudioBlock): boolean {
  return planes.every((plane) => plane.every((sample) => Math.abs(sample) < SILENT_MAX));
}
