import type { SoundShape } from "../../audio-block.ts";
import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { HeaderBudget } from "../media-caps.ts";
import { emptyMedia, truncatedMedia, unreadableMedia, unsupportedCodec } from "../media-error.ts";
import { PCM_BYTES, type PcmCodec } from "./pcm.ts";

/** The samples of a WAV and their place in the file. */
export interface WavHeader extends SoundShape {
  readonly codec: PcmCodec;
  readonly frameBytes: number;
  readonly dataStart: number;
  readonly frames: number;
  /** Content of the chunk `fmt `, which a copy of samples keeps. */
  readonly format: Uint8Array;
}

const CHUNKS_MAX = 1_000;
const FORMAT_BYTES_MIN = 16;
const FORMAT_BYTES_MAX = 1_024;
const EXTENSIBLE = 0xfffe;
/** The last 14 bytes of the GUID of a format that has a number (KSDATAFORMAT_SUBTYPE). */
const SUBTYPE_TAIL = "0000000000001000800000aa00389b71".slice(4);
/** Programs that write to a pipe do not know the size. */
const UNKNOWN_SIZE = 0xffff_ffff;

/**
 * Reads the header of a RIFF, RF64 or BW64 file (EBU Tech 3306, ITU-R BS.2088). Chunks after the samples are not read.
 * Throws NodeError with a code of docs/contract/media.md.
 */
export async function readWavHeader(window: ByteWindow): Promise<WavHeader> {
  const budget = new HeaderBudget();
  const form = textAt(await window.read(0, 4), 0);
  let at = 12;
  let format: Uint8Array | undefined;
  let longData: number | undefined;
  for (let chunk = 0; chunk < CHUNKS_MAX; chunk++) {
    // oxlint-disable no-await-in-loop -- where a chunk begins follows from the one before
    const head = await window.read(at, 8);
    if (head.byteLength === 0 && at <= window.sizeBytes) {
      throw unreadableMedia("is a WAV without a chunk of samples. Export it again.");
    }
    if (head.byteLength < 8) {
      throw truncatedMedia("is a WAV that ends before its samples.");
    }
    const name = textAt(head, 0);
    const size = viewOf(head).getUint32(4, true);
    at += 8;
    if (name === "data") {
      if (format === undefined) {
        throw unreadableMedia("is a WAV whose samples stand before their format. Export it again.");
      }
      const isLong = form !== "RIFF" && size === UNKNOWN_SIZE;
      return headerOf(format, at, isLong ? (longData ?? size) : size, window.sizeBytes);
    }
    if (at + size > window.sizeBytes) {
      throw truncatedMedia(`is a WAV that ends within its chunk "${name.trim()}".`);
    }
    budget.add(size);
    if (name === "fmt ") {
      if (format !== undefined || size < FORMAT_BYTES_MIN || size > FORMAT_BYTES_MAX) {
        throw unreadableMedia("is a WAV with a damaged format. Export it again.");
      }
      format = (await window.read(at, size)).slice();
    } else if (name === "ds64" && size >= 16) {
      const view = viewOf(await window.read(at, 16));
      longData = view.getUint32(8, true) + view.getUint32(12, true) * 2 ** 32;
    }
    // oxlint-enable no-await-in-loop
    at += size + (size % 2);
  }
  throw unreadableMedia(
    "is a WAV with more than 1,000 chunks before its samples. Export it again.",
  );
}

function headerOf(
  format: Uint8Array,
  dataStart: number,
  size: number,
  sizeBytes: number,
): WavHeader {
  const view = viewOf(format);
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  const codec = codecOf(format);
  if (frameBytes !== PCM_BYTES[codec] * channels) {
    throw unreadableMedia(
      `is a WAV whose frames of ${channels} channels have ${frameBytes} bytes, not ${PCM_BYTES[codec] * channels}. Export it again.`,
    );
  }
  const left = sizeBytes - dataStart;
  const isOpen = size === 0 || size === UNKNOWN_SIZE;
  if (!isOpen && size > left) {
    throw truncatedMedia(`is a WAV with ${left} of ${size} bytes of samples.`);
  }
  // Without a channel there are no frames, and the caller rejects the number of channels.
  const frames = channels === 0 ? 1 : Math.floor((isOpen ? left : size) / frameBytes);
  if (frames === 0) {
    throw emptyMedia("sound");
  }
  return { codec, channels, sampleRate, frameBytes, dataStart, frames, format };
}

const FLOATS = new Map<number, PcmCodec>([
  [32, "pcm_f32"],
  [64, "pcm_f64"],
]);
const INTEGERS = new Map<number, PcmCodec>([
  [8, "pcm_u8"],
  [16, "pcm_s16"],
  [24, "pcm_s24"],
  [32, "pcm_s32"],
]);

/** The codec by the format's number and the bits of a sample in the file. */
function codecOf(format: Uint8Array): PcmCodec {
  const view = viewOf(format);
  const stated = view.getUint16(0, true);
  let tag = stated;
  if (stated === EXTENSIBLE && format.byteLength >= 40) {
    tag = view.getUint16(24, true);
    const tail = format.subarray(26, 40).reduce((text, byte) => text + hex(byte, 2), "");
    if (tail !== SUBTYPE_TAIL) {
      throw unsupportedCodec("sound", `WAV subtype ${hex(tag, 4)}…${tail}`);
    }
  }
  const bits = view.getUint16(14, true);
  const codec =
    tag === 1
      ? INTEGERS.get(Math.ceil(bits / 8) * 8)
      : tag === 3
        ? FLOATS.get(bits)
        : bits !== 8
          ? undefined
          : tag === 6
            ? "pcm_alaw"
            : tag === 7
              ? "pcm_mulaw"
              : undefined;
  if (codec === undefined) {
    throw unsupportedCodec("sound", `WAV format 0x${hex(tag, 4)} of ${bits} bits`);
  }
  return codec;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
