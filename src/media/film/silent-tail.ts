import type { AudioBlock, SoundShape } from "../audio-block.ts";
import type { PacketDecoder, PacketEncoder } from "../codec/codec.ts";
import type { DecodedTrack } from "../codec/sound-codecs.ts";
import { AAC_PACKET_FRAMES, readAacConfig } from "../container/adts/audio-specific-config.ts";
import type { MediaPacket, MediaTrack } from "../container/media-track.ts";
import { bestJoint, difference } from "./packet-joint.ts";

/** What is needed to continue AAC with silence. */
export interface AacCodecs {
  decoder(track: DecodedTrack): PacketDecoder;
  encoder(shape: SoundShape, bitrateKbps: number): PacketEncoder;
}

/** Packets that follow a sound, so that it is silent from a tick on. */
export interface SilentTail {
  /** Tick of the first packet. Those of the source from there on are left out. */
  readonly from: number;
  /** The end of the sound and the start of the silence, each of 1,024 ticks. */
  readonly packets: readonly Uint8Array[];
  /** The packet of silence that follows as often as is wanted. */
  readonly silent: Uint8Array;
}

/** Packets before the end that are decoded and encoded, so that both codecs have settled. */
const LEAD_PACKETS = 24;
/** Packets of which one becomes the first that is encoded. */
const JOINTS = 8;
/** The first packets that are decoded lack the packets before them. */
const UNSETTLED = 3;
/** Packets after the end until an encoder has nothing left but silence. */
const SETTLING = 4;
const KBPS_OF_CHANNEL = 160;

/**
 * Continues AAC-LC of one or two channels with silence from the tick `end` on, to the tick: a packet cannot be cut, so that the last
 * ones before the end are encoded again with zeros from there. Where those begin, the halves of two packets of different
 * encoders overlap; of some places the last one is taken at which that adds no more than the error of the encoder.
 * Undefined for HE-AAC, other channels and other lengths of packets, for a sound of a few packets, and for packets that do
 * not decode.
 */
export async function silentTail(
  track: MediaTrack,
  end: number,
  codecs: AacCodecs,
): Promise<SilentTail | undefined> {
  const shape = plainShape(track);
  if (shape === undefined) {
    return undefined;
  }
  const packets = await lastPackets(track, end);
  const first = packets[0]?.pts ?? 0;
  const places = packets.map(({ data }) => data);
  const last = Math.floor((end - first) / AAC_PACKET_FRAMES);
  const isEven = packets.every(({ pts }, index) => pts === first + index * AAC_PACKET_FRAMES);
  if (!isEven || last <= UNSETTLED || places.length < last) {
    return undefined;
  }
  const decode = (all: readonly Uint8Array[]) => decoded(all, track, shape, codecs);
  const sound = decode(places);
  if (sound === undefined) {
    return undefined;
  }
  const made = encoded(sound, { shape, end: end - first, packets: last + SETTLING }, codecs);
  const own = decode(made);
  const silent = made.at(-1);
  if (own === undefined || silent === undefined || !isSilent(own.at(-1))) {
    return undefined;
  }
  const joints = Array.from({ length: JOINTS }, (_, i) => last - 1 - i);
  const at = bestJoint(
    joints.filter((joint) => joint >= UNSETTLED),
    (joint) => {
      const joined = decode([...places.slice(0, joint), ...made.slice(joint)]);
      const alone = difference(own[joint], sound[joint]);
      return difference(joined?.[joint], sound[joint]) / (alone + 1e-12);
    },
  );
  return at === undefined
    ? undefined
    : { from: first + at * AAC_PACKET_FRAMES, packets: made.slice(at), silent };
}

/** Rate and channels of AAC-LC with a tick for each sample. */
function plainShape({ config, sound, timeScale }: MediaTrack): SoundShape | undefined {
  const { coreRate, sampleRate, channels } = readAacConfig(config);
  const isPlain =
    coreRate === sampleRate &&
    timeScale === sampleRate &&
    (channels === 1 || channels === 2) &&
    sound?.packetFrames === AAC_PACKET_FRAMES;
  return isPlain ? { sampleRate, channels } : undefined;
}

/** Copies of the packets before a tick, up to the one that holds it. */
async function lastPackets(
  track: MediaTrack,
  end: number,
): Promise<readonly Pick<MediaPacket, "data" | "pts">[]> {
  const kept: Pick<MediaPacket, "data" | "pts">[] = [];
  const from = Math.max(0, end - LEAD_PACKETS * AAC_PACKET_FRAMES);
  for await (const { data, pts, isDamaged } of track.packets({ from })) {
    if (pts >= end) {
      break;
    }
    // An empty packet does not decode.
    kept.push({ data: isDamaged === true ? new Uint8Array() : data.slice(), pts });
    if (kept.length > LEAD_PACKETS + 1) {
      kept.shift();
    }
  }
  return kept;
}

/** A block for each packet; undefined if one does not decode as the shape says. */
function decoded(
  packets: readonly Uint8Array[],
  { config }: MediaTrack,
  shape: SoundShape,
  codecs: AacCodecs,
): readonly AudioBlock[] | undefined {
  const decoder = codecs.decoder({ codec: "aac", config, ...shape });
  try {
    const blocks: AudioBlock[] = [];
    for (const packet of packets) {
      const block = decoder.decode(packet);
      if (block?.length !== shape.channels || block[0]?.length !== AAC_PACKET_FRAMES) {
        return undefined;
      }
      blocks.push(block.map((samples) => samples.slice()));
    }
    return blocks;
  } finally {
    decoder.close();
  }
}

interface Ending {
  readonly shape: SoundShape;
  /** Frames of the sound that are kept. */
  readonly end: number;
  readonly packets: number;
}

/** Packets for the places of the blocks, and after them, with zeros from `end` on. The first one stands for silence. */
function encoded(
  sound: readonly AudioBlock[],
  { shape, end, packets }: Ending,
  codecs: AacCodecs,
): readonly Uint8Array[] {
  const encoder = codecs.encoder(shape, shape.channels * KBPS_OF_CHANNEL);
  try {
    const made: Uint8Array[] = [];
    // The first packet of the encoder is its priming, and stands where the first block was.
    for (let index = 1; made.length < packets; index++) {
      const kept = Math.max(0, end - index * AAC_PACKET_FRAMES);
      const block = Array.from({ length: shape.channels }, (_, channel) => {
        const samples = new Float32Array(AAC_PACKET_FRAMES);
        samples.set(sound[index]?.[channel]?.subarray(0, kept) ?? []);
        return samples;
      });
      made.push(...encoder.encode(block).map(({ data }) => data));
    }
    return made.slice(0, packets);
  } finally {
    encoder.close();
  }
}

function isSilent(block: AudioBlock | undefined): boolean {
  return block?.every((samples) => samples.every((sample) => sample === 0)) ?? false;
}
