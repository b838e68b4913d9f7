import { readOpusHead, OPUS_RATE } from "../../codec/opus-head.ts";
import { AAC_PACKET_FRAMES, readAacConfig } from "../adts/audio-specific-config.ts";
import { viewOf } from "../byte-window.ts";
import { readStreamInfo } from "../flac/stream-info.ts";
import { unreadableMedia } from "../media-error.ts";
import type { SoundTrack } from "../media-track.ts";
import { PCM_BYTES, type PcmCodec, type PcmLayout } from "../wav/pcm.ts";
import { readElementaryStream } from "./elementary-stream.ts";
import type { SampleEntry } from "./sample-entry.ts";

/** What an entry says about the sound of its track. */
export interface SoundEntry {
  /** Null for a codec that is not read. */
  readonly codec: string | null;
  /** Four letters, with the object type where it decides. */
  readonly codecId: string;
  readonly config: Uint8Array;
  readonly sound: Omit<SoundTrack, "trim">;
  readonly pcm: PcmLayout | null;
}

/** The fields of every sound's entry. */
interface Fields {
  readonly channels: number;
  readonly bits: number;
  readonly sampleRate: number;
  /** Flags of `lpcm` in version 2, else undefined. */
  readonly flags: number | undefined;
}

const AAC_TYPES = new Set([0x40, 0x66, 0x67, 0x68]);
const MP3_TYPES = new Set([0x69, 0x6b]);
const NOTHING = new Uint8Array(0);

/** Throws NodeError `MEDIA_UNREADABLE` and those of the codecs' headers. */
export function readSoundEntry(entry: SampleEntry): SoundEntry {
  const fields = fieldsOf(entry.bytes);
  const { channels, sampleRate } = fields;
  const plain = { sampleRate, channels, bitDepth: null, packetFrames: 0 };
  const unread: SoundEntry = {
    codec: null,
    codecId: entry.type,
    config: NOTHING,
    sound: plain,
    pcm: null,
  };
  const pcm = pcmOf(entry, fields);
  if (pcm !== undefined) {
    return {
      ...unread,
      codec: pcm.codec,
      sound: { ...plain, bitDepth: PCM_BYTES[pcm.codec] * 8 },
      pcm,
    };
  }
  switch (entry.type) {
    case "mp4a":
      return readMpeg4(entry, unread);
    case ".mp3":
    case "ms\u0000U":
      return { ...unread, codec: "mp3" };
    case "alac":
      return readAlac(entry, unread);
    case "Opus":
      return readOpus(entry, unread);
    case "fLaC":
      return readFlac(entry, unread);
    default:
      return unread;
  }
}

function fieldsOf(entry: Uint8Array): Fields {
  const view = viewOf(entry);
  const version = view.getUint16(16);
  if (version === 2 && entry.byteLength >= 72) {
    return {
      sampleRate: view.getFloat64(40),
      channels: view.getUint32(48),
      bits: view.getUint32(56),
      flags: view.getUint32(60),
    };
  }
  return {
    channels: view.getUint16(24),
    bits: view.getUint16(26),
    sampleRate: view.getUint16(32),
    flags: undefined,
  };
}

function readMpeg4(entry: SampleEntry, unread: SoundEntry): SoundEntry {
  const esds = entry.boxes.get("esds");
  if (esds === undefined) {
    throw unreadableMedia('has no box "esds" for its sound. Export it again.');
  }
  const { objectType, config } = readElementaryStream(esds);
  const codecId = `mp4a.${objectType.toString(16)}`;
  if (MP3_TYPES.has(objectType)) {
    return { ...unread, codec: "mp3", codecId };
  }
  if (!AAC_TYPES.has(objectType)) {
    return { ...unread, codecId };
  }
  const aac = readAacConfig(config);
  return {
    ...unread,
    codec: "aac",
    codecId,
    config,
    sound: {
      sampleRate: aac.sampleRate,
      channels: aac.channels === 0 ? unread.sound.channels : aac.channels,
      bitDepth: null,
      packetFrames: (AAC_PACKET_FRAMES * aac.sampleRate) / aac.coreRate,
    },
  };
}

const ALAC_BYTES = 28;

/** The box inside has version and flags, then the configuration that Apple's source describes. */
function readAlac(entry: SampleEntry, unread: SoundEntry): SoundEntry {
  const content = entry.boxes.get("alac");
  if (content === undefined || content.byteLength < ALAC_BYTES) {
    throw unreadableMedia('has no box "alac" for its sound. Export it again.');
  }
  const view = viewOf(content);
  const config = new Uint8Array(8 + ALAC_BYTES);
  viewOf(config).setUint32(0, config.byteLength);
  config.set([0x61, 0x6c, 0x61, 0x63], 4);
  config.set(content.subarray(0, ALAC_BYTES), 8);
  return {
    ...unread,
    codec: "alac",
    config,
    sound: {
      sampleRate: view.getUint32(24),
      channels: view.getUint8(13),
      bitDepth: view.getUint8(9),
      packetFrames: view.getUint32(4),
    },
  };
}

/** A box `dOps` has the fields of OpusHead with their bytes the other way round. */
function readOpus(entry: SampleEntry, unread: SoundEntry): SoundEntry {
  const content = entry.boxes.get("dOps");
  if (content === undefined || content.byteLength < 11) {
    throw unreadableMedia('has no box "dOps" for its sound. Export it again.');
  }
  const config = new Uint8Array(8 + content.byteLength);
  config.set(new TextEncoder().encode("OpusHead"));
  config.set(content, 8);
  const [from, to] = [viewOf(content), viewOf(config)];
  to.setUint8(8, 1);
  to.setUint16(10, from.getUint16(2), true);
  to.setUint32(12, from.getUint32(4), true);
  to.setInt16(16, from.getInt16(8), true);
  const { channels } = readOpusHead(config);
  return {
    ...unread,
    codec: "opus",
    config,
    sound: { sampleRate: OPUS_RATE, channels, bitDepth: null, packetFrames: 0 },
  };
}

function readFlac(entry: SampleEntry, unread: SoundEntry): SoundEntry {
  // Version and flags, then the head of the first block.
  const info = readStreamInfo((entry.boxes.get("dfLa") ?? NOTHING).subarray(8));
  const { sampleRate, channels, bitDepth, bytes } = info;
  return {
    ...unread,
    codec: "flac",
    config: bytes,
    sound: { sampleRate, channels, bitDepth, packetFrames: 0 },
  };
}

const BIG_INTEGERS: Readonly<Record<number, PcmCodec>> = {
  8: "pcm_s8",
  16: "pcm_s16",
  24: "pcm_s24",
  32: "pcm_s32",
};
const FLOATS: Readonly<Record<number, PcmCodec>> = { 32: "pcm_f32", 64: "pcm_f64" };
/** Entries of QuickTime whose letters name the samples; the little-endian ones have a box `enda` that says so. */
const NAMED: Readonly<Record<string, PcmCodec>> = {
  in24: "pcm_s24",
  in32: "pcm_s32",
  fl32: "pcm_f32",
  fl64: "pcm_f64",
  alaw: "pcm_alaw",
  ulaw: "pcm_mulaw",
};

/** Undefined for entries that are not PCM or have other samples. */
function pcmOf(entry: SampleEntry, fields: Fields): PcmLayout | undefined {
  const { channels, bits } = fields;
  const named = NAMED[entry.type];
  if (named !== undefined) {
    return { codec: named, channels, isBigEndian: entry.boxes.get("enda")?.[1] !== 1 };
  }
  const layout = (codec: PcmCodec | undefined, isBigEndian: boolean) =>
    codec === undefined ? undefined : { codec, channels, isBigEndian };
  switch (entry.type) {
    case "sowt":
      return layout(BIG_INTEGERS[bits], false);
    case "twos":
      return layout(BIG_INTEGERS[bits], true);
    case "raw ":
    case "NONE":
      return layout(bits === 8 ? "pcm_u8" : BIG_INTEGERS[bits], true);
    case "lpcm":
      return linearPcm(fields);
    case "ipcm":
    case "fpcm": {
      // ISO/IEC 23003-5: flags, whose lowest bit is "little endian", and the bits of a sample.
      const [, , , , order = 0, stated = 0] = entry.boxes.get("pcmC") ?? NOTHING;
      const codecs = entry.type === "fpcm" ? FLOATS : BIG_INTEGERS;
      return layout(codecs[stated], (order & 1) === 0);
    }
    default:
      return undefined;
  }
}

/** Version 2 of QuickTime's entry states the samples by flags: float, big endian, signed. */
function linearPcm({ channels, bits, flags = 0b110 }: Fields): PcmLayout | undefined {
  const isFloat = (flags & 0b1) !== 0;
  const isUnsigned = bits === 8 && (flags & 0b100) === 0;
  const codec = isFloat ? FLOATS[bits] : isUnsigned ? "pcm_u8" : BIG_INTEGERS[bits];
  return codec === undefined ? undefined : { codec, channels, isBigEndian: (flags & 0b10) !== 0 };
}
