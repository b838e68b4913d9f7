import type { SoundShape } from "../../audio-block.ts";
import { aacEntry } from "./aac-entry.ts";
import { box, fullBox, text, u16, u32, UNITY_MATRIX } from "./write-box.ts";

/** One track of AAC as `moov` describes it. */
export interface M4aTrack extends SoundShape {
  /** AudioSpecificConfig. */
  readonly config: Uint8Array;
  readonly packetFrames: number;
  /** Bytes of each packet. */
  readonly sizes: Uint32Array;
  /** Packets of each chunk but the last. */
  readonly chunkPackets: number;
  /** Position of the first packet in the file. */
  readonly dataAt: number;
  /** Frames before and in what a player presents. */
  readonly priming: number;
  readonly frames: number;
}

const LANGUAGE_UND = 0x55c4;
const TRACK_ID = 1;
const ENABLED_IN_MOVIE = 0b11;
const SOUND_VOLUME = 0x0100;

/** The brands of a file with sound only. */
export function m4aFileType(): Uint8Array<ArrayBuffer> {
  return box("ftyp", text("M4A "), u32(0x200), text("M4A isommp42"));
}

/**
 * `moov` of an M4A. Times are in samples throughout, so that the edit list states the presented length exactly. The same
 * number of packets gives the same size. There is no time of creation: equal sounds are equal files.
 */
export function m4aHeader(track: M4aTrack): Uint8Array<ArrayBuffer> {
  const { sampleRate, frames } = track;
  const movie = fullBox(
    "mvhd",
    0,
    0,
    u32(0, 0, sampleRate, frames, 0x10000),
    u16(SOUND_VOLUME, 0),
    u32(0, 0),
    UNITY_MATRIX,
    u32(0, 0, 0, 0, 0, 0, TRACK_ID + 1),
  );
  return box("moov", movie, trackBox(track));
}

function trackBox(track: M4aTrack): Uint8Array {
  const { sampleRate, frames, priming, packetFrames, sizes } = track;
  const head = fullBox(
    "tkhd",
    0,
    ENABLED_IN_MOVIE,
    u32(0, 0, TRACK_ID, 0, frames, 0, 0),
    u16(0, 0, SOUND_VOLUME, 0),
    UNITY_MATRIX,
    u32(0, 0),
  );
  const edits = fullBox("elst", 0, 0, u32(1, frames, priming, 0x10000));
  const mediaHead = fullBox(
    "mdhd",
    0,
    0,
    u32(0, 0, sampleRate, sizes.length * packetFrames),
    u16(LANGUAGE_UND, 0),
  );
  const handler = fullBox("hdlr", 0, 0, u32(0), text("soun"), u32(0, 0, 0), text("Sound\0"));
  const data = box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1)));
  const info = box("minf", fullBox("smhd", 0, 0, u16(0, 0)), data, sampleTable(track));
  return box("trak", head, box("edts", edits), box("mdia", mediaHead, handler, info));
}

function sampleTable(track: M4aTrack): Uint8Array {
  const { sizes, packetFrames, chunkPackets } = track;
  const chunks = Math.ceil(sizes.length / chunkPackets);
  const last = sizes.length - (chunks - 1) * chunkPackets;
  const runs =
    last === chunkPackets || chunks === 1
      ? [1, last === chunkPackets ? chunkPackets : last, 1]
      : [1, chunkPackets, 1, chunks, last, 1];
  const offsets = new Uint8Array(chunks * 4);
  const offsetView = new DataView(offsets.buffer);
  const sizeBytes = new Uint8Array(sizes.byteLength);
  const sizeView = new DataView(sizeBytes.buffer);
  let at = track.dataAt;
  for (let packet = 0; packet < sizes.length; packet++) {
    if (packet % chunkPackets === 0) {
      offsetView.setUint32((packet / chunkPackets) * 4, at);
    }
    sizeView.setUint32(packet * 4, sizes[packet] as number);
    at += sizes[packet] as number;
  }
  return box(
    "stbl",
    fullBox("stsd", 0, 0, u32(1), sampleEntry(track, at - track.dataAt)),
    fullBox("stts", 0, 0, u32(1, sizes.length, packetFrames)),
    fullBox("stsc", 0, 0, u32(runs.length / 3, ...runs)),
    fullBox("stsz", 0, 0, u32(0, sizes.length), sizeBytes),
    fullBox("stco", 0, 0, u32(chunks), offsets),
    // A packet decodes only with the one before it, which a player must decode first after a jump.
    fullBox("sgpd", 1, 0, text("roll"), u32(2, 1), u16(-1)),
    fullBox("sbgp", 0, 0, text("roll"), u32(1, sizes.length, 1)),
  );
}

function sampleEntry(track: M4aTrack, dataBytes: number): Uint8Array {
  const { sampleRate, packetFrames, sizes } = track;
  const largest = sizes.reduce((max, size) => Math.max(max, size), 0);
  const averageBitRate = Math.round((dataBytes * 8 * sampleRate) / (sizes.length * packetFrames));
  const largestRate = Math.round((largest * 8 * sampleRate) / packetFrames);
  const maxBitRate = Math.max(averageBitRate, largestRate);
  return aacEntry({ ...track, largest, averageBitRate, maxBitRate });
}
