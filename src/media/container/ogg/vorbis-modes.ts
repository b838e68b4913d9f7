import { unreadableMedia } from "../media-error.ts";

const MODES_MAX = 64;
/** Bits of a mode at the end of the setup header: a flag, two times 16 bits that are 0, and a mapping. */
const MODE_BITS = 41;
/** Bits before the modes in the shortest header. */
const SETUP_BITS_MIN = 97;

interface VorbisModes {
  readonly blockSizes: readonly [short: number, long: number];
  /** For each mode, whether its block is long. */
  readonly isLong: readonly boolean[];
}

/**
 * A counter of the samples that packets of Vorbis yield (Vorbis I, section 4.3.8): half of the block before and half of
 * the packet's own; none for the first packet. `config`: the three headers with Xiph's lacing.
 */
export function vorbisFrames(config: Uint8Array): (packet: Uint8Array) => number {
  const modes = readModes(config);
  const modeBits = Math.ceil(Math.log2(Math.max(modes.isLong.length, 1)));
  let before = 0;
  return (packet) => {
    const first = packet[0] ?? 1;
    if ((first & 1) !== 0) {
      return 0;
    }
    const mode = (first >> 1) & ((1 << modeBits) - 1);
    const size = modes.blockSizes[modes.isLong[mode] === true ? 1 : 0];
    const frames = before === 0 ? 0 : (before + size) / 4;
    before = size;
    return frames;
  };
}

/** The header packets of a config with Xiph's lacing, as Matroska has it. Throws NodeError `MEDIA_UNREADABLE`. */
export function splitVorbisConfig(config: Uint8Array): readonly Uint8Array[] {
  const sizes: number[] = [];
  let at = 1;
  for (let packet = 0; packet < 2; packet++) {
    let size = 0;
    let lace = 255;
    while (lace === 255) {
      lace = config[at++] ?? 0;
      size += lace;
    }
    sizes.push(size);
  }
  const [first = 0, second = 0] = sizes;
  const packets = [
    config.subarray(at, at + first),
    config.subarray(at + first, at + first + second),
    config.subarray(at + first + second),
  ];
  const isWhole = config[0] === 2 && packets.every((packet, i) => packet[0] === 2 * i + 1);
  if (!isWhole) {
    throw unreadableMedia("has damaged headers of Vorbis. Encode it again.");
  }
  return packets;
}

export function joinVorbisConfig(packets: readonly Uint8Array[]): Uint8Array {
  const laces = packets
    .slice(0, 2)
    .flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const config = new Uint8Array(
    1 + laces.length + packets.reduce((sum, { length }) => sum + length, 0),
  );
  config.set([2, ...laces]);
  let at = 1 + laces.length;
  for (const packet of packets) {
    config.set(packet, at);
    at += packet.length;
  }
  return config;
}

function readModes(config: Uint8Array): VorbisModes {
  const [identification = config, , setup = config] = splitVorbisConfig(config);
  const sizes = identification[28] ?? 0;
  const blockSizes = [1 << (sizes & 0b1111), 1 << (sizes >> 4)] as const;
  return { blockSizes, isLong: modesAtEnd(setup) };
}

/**
 * The modes are the last part of a setup header, whose earlier parts have no stated length. They are therefore read from
 * the end: a framing bit, then each mode backwards, as long as its fixed bits are those of a mode; the count of modes
 * stands before the first.
 */
function modesAtEnd(setup: Uint8Array): readonly boolean[] {
  const bitAt = (bit: number) => ((setup[bit >> 3] ?? 0) >> (bit & 7)) & 1;
  const bitsAt = (bit: number, count: number) => {
    let value = 0;
    for (let i = count - 1; i >= 0; i--) {
      value = value * 2 + bitAt(bit + i);
    }
    return value;
  };
  let end = setup.byteLength * 8 - 1;
  while (end > SETUP_BITS_MIN && bitAt(end) === 0) {
    end--;
  }
  const found: boolean[] = [];
  let modes: readonly boolean[] = [];
  while (found.length < MODES_MAX && end - MODE_BITS >= SETUP_BITS_MIN) {
    const start = end - MODE_BITS;
    const isMode = bitsAt(start + 1, 16) === 0 && bitsAt(start + 17, 16) === 0;
    if (!isMode || bitsAt(start + 33, 8) > 63) {
      break;
    }
    found.unshift(bitAt(start) === 1);
    if (bitsAt(start - 6, 6) + 1 === found.length) {
      modes = [...found];
    }
    end = start;
  }
  if (modes.length === 0) {
    throw unreadableMedia("has a damaged header of Vorbis. Encode it again.");
  }
  return modes;
}
