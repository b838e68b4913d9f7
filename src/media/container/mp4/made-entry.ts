import { NodeError } from "../../../lib/errors/node-error.ts";
import { viewOf } from "../byte-window.ts";
import type { SoundTrack } from "../media-track.ts";
import type { MovieTrack } from "../movie-track.ts";
import { aacEntry, type AacTrack, quickTimeAacEntry, soundFields } from "./aac-entry.ts";
import type { PacketPlan } from "./packet-plan.ts";
import { box, fullBox, joinBytes, u16, u32 } from "./write-box.ts";

/** How a box `stsd` describes a track. */
export interface EntryDescription {
  readonly entry: Uint8Array;
  readonly stsdVersion: number;
}

/**
 * The sample entry of a track: that of its source if this is a file of the same kind, else one that is made from the codec's
 * configuration. Throws NodeError `MEDIA_CODEC_UNSUPPORTED` for codecs that have none here.
 */
export function sampleEntryFor(
  track: MovieTrack,
  isQuickTime: boolean,
  plan: PacketPlan,
): EntryDescription {
  const { description, kind } = track;
  if (description !== null && description.container !== "webm") {
    const isSame = (description.container === "mov") === isQuickTime;
    // Entries of pictures and of text are the same in both.
    if (isSame || kind !== "sound") {
      return {
        entry: firstReference(description.sampleEntry),
        stsdVersion: description.stsdVersion,
      };
    }
  }
  const entry = kind === "sound" ? soundEntry(track, isQuickTime, plan) : pictureEntry(track);
  if (entry === undefined) {
    throw new NodeError(
      "MEDIA_CODEC_UNSUPPORTED",
      `The file's ${kind} has the codec "${track.codec}", which cannot be copied into ${isQuickTime ? "a MOV" : "an MP4"}. Convert the file first.`,
    );
  }
  return { entry, stsdVersion: 0 };
}

/** The same entry for the only data reference of the file that is written. */
function firstReference(entry: Uint8Array): Uint8Array {
  const copy = entry.slice();
  viewOf(copy).setUint16(14, 1);
  return copy;
}

function soundEntry(
  { codec, config, sound }: MovieTrack,
  isQuickTime: boolean,
  plan: PacketPlan,
): Uint8Array | undefined {
  if (sound === null) {
    return undefined;
  }
  switch (codec) {
    case "aac": {
      const track = aacTrack(config, sound, plan);
      return isQuickTime ? quickTimeAacEntry(track) : aacEntry(track);
    }
    case "alac":
      // The configuration is the box, with its head.
      return box("alac", soundFields(sound), config);
    case "opus":
      return box("Opus", soundFields(sound), opusBox(config));
    case "flac":
      return box("fLaC", soundFields(sound), flacBox(config));
    default:
      return undefined;
  }
}

function aacTrack(config: Uint8Array, sound: SoundTrack, plan: PacketPlan): AacTrack {
  const { count } = plan.sizes;
  let largest = 0;
  for (const size of plan.sizes.values()) {
    largest = Math.max(largest, size);
  }
  const packetFrames = sound.packetFrames || 1_024;
  const perPacket = (bytes: number) => Math.round((bytes * 8 * sound.sampleRate) / packetFrames);
  const averageBitRate = count === 0 ? 0 : perPacket(plan.bytes / count);
  const maxBitRate = Math.max(averageBitRate, perPacket(largest));
  const { sampleRate, channels } = sound;
  return { sampleRate, channels, config, largest, averageBitRate, maxBitRate };
}

const OPUS_MAGIC_BYTES = 8;

/** `dOps`: the fields of OpusHead with their bytes the other way round, and version 0. */
function opusBox(head: Uint8Array): Uint8Array {
  const content = head.slice(OPUS_MAGIC_BYTES);
  const [from, to] = [viewOf(head.subarray(OPUS_MAGIC_BYTES)), viewOf(content)];
  to.setUint8(0, 0);
  to.setUint16(2, from.getUint16(2, true));
  to.setUint32(4, from.getUint32(4, true));
  to.setInt16(8, from.getInt16(8, true));
  return box("dOps", content);
}

/** `dfLa`: STREAMINFO as the only block of metadata. */
function flacBox(streamInfo: Uint8Array): Uint8Array {
  return fullBox("dfLa", 0, 0, u32(0x8000_0000 | streamInfo.byteLength), streamInfo);
}

const PICTURE_ENTRIES: Readonly<Record<string, readonly [type: string, box: string]>> = {
  h264: ["avc1", "avcC"],
  hevc: ["hvc1", "hvcC"],
  vp9: ["vp09", "vpcC"],
  av1: ["av01", "av1C"],
};
/** 72 dots per inch, which nobody reads. */
const DOTS = 0x48_0000;
const DEPTH = 24;
const NAME_BYTES = 32;

/** `config` is the content of the codec's box. */
function pictureEntry({ codec, config, picture }: MovieTrack): Uint8Array | undefined {
  const [type, name] = PICTURE_ENTRIES[codec] ?? [];
  if (type === undefined || name === undefined || picture === null || config.byteLength === 0) {
    return undefined;
  }
  const { width, height, pixelAspect } = picture;
  const [horizontal, vertical] = pixelAspect;
  const aspect = horizontal === vertical ? [] : [box("pasp", u32(horizontal, vertical))];
  return box(
    type,
    joinBytes(
      u16(0, 0, 0, 1, 0, 0),
      u32(0, 0, 0),
      u16(width, height),
      u32(DOTS, DOTS, 0),
      u16(1),
      new Uint8Array(NAME_BYTES),
      u16(DEPTH, -1),
    ),
    box(name, config),
    ...aspect,
  );
}
