import { type ByteWindow, textAt } from "../byte-window.ts";
import { PacketBudget } from "../media-caps.ts";
import { unreadableMedia, unsupportedCodec } from "../media-error.ts";
import type { MediaPacket, MediaTrack, PacketRange } from "../media-track.ts";
import { type FrameFormat, frameStream } from "../frame-stream.ts";
import { id3Bytes } from "../mp3/open-mp3.ts";
import {
  AAC_PACKET_FRAMES,
  aacRate,
  readAacConfig,
  writeAacConfig,
} from "./audio-specific-config.ts";

const HEAD_BYTES = 7;
const GARBAGE_MAX = 64 * 1024;

/** The header of a frame (ISO/IEC 14496-3, section 1.A.3). */
interface AdtsHead {
  readonly profile: number;
  readonly rateIndex: number;
  readonly channelConfig: number;
  readonly bytes: number;
  readonly headBytes: number;
  readonly blocks: number;
}

/** Undefined for bytes that begin no frame. */
function parseHead(bytes: Uint8Array): AdtsHead | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = bytes;
  // Twelve ones, then the version, and two bits of the layer, which are 0.
  if (a !== 0xff || (b & 0xf6) !== 0xf0) {
    return undefined;
  }
  const headBytes = (b & 1) === 0 ? 9 : HEAD_BYTES;
  const length = ((d & 0b11) << 11) | (e << 3) | (f >> 5);
  const rateIndex = (c >> 2) & 0b1111;
  if (length < headBytes || aacRate(rateIndex) === undefined) {
    return undefined;
  }
  return {
    profile: c >> 6,
    rateIndex,
    channelConfig: ((c & 1) << 2) | (d >> 6),
    bytes: length,
    headBytes,
    blocks: (g & 0b11) + 1,
  };
}

/** Finds the first frame at or after a position. Undefined if there is none within 64 KiB. */
export async function findAdts(window: ByteWindow, from: number): Promise<number | undefined> {
  const bytes = await window.read(from, GARBAGE_MAX + 2 * 8_192);
  for (
    let at = bytes.indexOf(0xff);
    at >= 0 && at <= GARBAGE_MAX;
    at = bytes.indexOf(0xff, at + 1)
  ) {
    const head = parseHead(bytes.subarray(at));
    if (head !== undefined) {
      const next = at + head.bytes;
      const isLast = from + next >= window.sizeBytes;
      if (isLast || parseHead(bytes.subarray(next))?.rateIndex === head.rateIndex) {
        return from + at;
      }
    }
  }
  return undefined;
}

/** Opens AAC in ADTS whose first frame begins at `at`. Throws NodeError with a code of docs/contract/media.md. */
export async function openAdts(window: ByteWindow, at: number): Promise<MediaTrack> {
  const first = parseHead(await window.read(at, HEAD_BYTES));
  if (first === undefined) {
    throw unreadableMedia("has no frame of AAC. Encode it again.");
  }
  if (first.profile !== 1) {
    throw unsupportedCodec("sound", `mp4a.40.${first.profile + 1}`);
  }
  const config = writeAacConfig(first.rateIndex, first.channelConfig);
  const { coreRate, channels } = readAacConfig(config);
  return {
    id: 1,
    kind: "sound",
    codec: "aac",
    codecId: "mp4a.40.2",
    timeScale: coreRate,
    duration: null,
    packetCount: null,
    language: "und",
    config,
    sound: {
      sampleRate: coreRate,
      channels,
      bitDepth: null,
      trim: { skip: 0, frames: null },
      packetFrames: AAC_PACKET_FRAMES,
    },
    picture: null,
    edits: [],
    description: null,
    prepare: () => Promise.resolve(),
    packets: (range) => adtsPackets(window, at, first, range),
  };
}

async function* adtsPackets(
  window: ByteWindow,
  start: number,
  first: AdtsHead,
  range: PacketRange = {},
): AsyncGenerator<MediaPacket> {
  const budget = new PacketBudget();
  const from = range.from ?? 0;
  let number = 0;
  const headOf = (bytes: Uint8Array) => {
    const head = parseHead(bytes);
    const isLike =
      head?.rateIndex === first.rateIndex && head.channelConfig === first.channelConfig;
    return isLike ? head : undefined;
  };
  const format: FrameFormat = {
    headBytes: HEAD_BYTES,
    lengthAt: (head) => headOf(head)?.bytes,
    tagBytes(head, left) {
      const mark = textAt(head, 0, 3);
      return mark === "TAG" && left === 128 ? left : mark === "ID3" ? id3Bytes(head) : 0;
    },
  };
  for await (const { data, lostBytes, isCut } of frameStream(window, start, format)) {
    const head = isCut ? undefined : headOf(data);
    if (head === undefined) {
      // One packet that was cut at the end is dropped.
      return;
    }
    if (head.blocks !== 1) {
      throw unsupportedCodec("sound", "ADTS with several blocks of AAC in a frame");
    }
    const lost =
      lostBytes === 0 ? 0 : Math.max(1, Math.round(lostBytes / Math.max(data.byteLength, 1)));
    number += lost;
    budget.add(lost + 1);
    const pts = number * AAC_PACKET_FRAMES;
    number++;
    if (pts + AAC_PACKET_FRAMES > from) {
      yield {
        data: data.subarray(head.headBytes),
        pts,
        dts: pts,
        duration: AAC_PACKET_FRAMES,
        isKey: true,
        ...(lost > 0 && { lost: { packets: lost, frames: lost * AAC_PACKET_FRAMES } }),
      };
    }
  }
}
