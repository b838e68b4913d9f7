/** MP4 and WebM files whose boxes, tables, edits, elements and laces lie. */
import { Buffer } from "node:buffer";
import type { NodeErrorCode } from "../../../src/lib/errors/node-error-guides.ts";
import { box, editedBox, parseBoxes, table, withBox, writeBoxes } from "./box-file.ts";
import { cluster, element, simpleBlock, uint, webmFile } from "./ebml-file.ts";
import { OPUS_SILENCE } from "./ogg-file.ts";
import { mediaFixture } from "./read-codecs.ts";

type Case = readonly [name: string, bytes: Uint8Array, outcome: NodeErrorCode | "read"];

const [UNREADABLE, TRUNCATED] = ["MEDIA_UNREADABLE", "MEDIA_TRUNCATED"] as const;
const STBL = "moov/trak/mdia/minf/stbl";
const EDITS = "moov/trak/edts/elst";
const MANY = 10_000;
/** Packets of `aac.m4a`. */
const SAMPLES = 18;

export function hostileMp4s(): readonly Case[] {
  const file = mediaFixture("aac.m4a");
  const edited = (path: string, change: (content: Buffer) => Buffer | undefined) =>
    editedBox(file, path, change);
  const withTable = (type: string, count: number, ...values: readonly number[]) =>
    edited(`${STBL}/${type}`, () => table(count, ...values));
  const added = (type: string, count: number, ...values: readonly number[]) =>
    edited(STBL, (content) => Buffer.concat([content, box(type, table(count, ...values))]));
  const edits = (count: number, ...values: readonly number[]) =>
    edited(EDITS, () => table(count, ...values));
  const unity = 0x1_0000;
  return [
    ["an MP4 with a box of 4 GiB", headed(file, 0xffff_ffff), TRUNCATED],
    ["an MP4 with a box of a negative size", headed(file, -8), TRUNCATED],
    // What follows the movie does not belong to it and promises nothing.
    ["an MP4 with a last box of 2^63 bytes", longHeaded(file, 2n ** 63n), "read"],
    ["an MP4 with a last box of 3 bytes", longHeaded(file, 3n), "read"],
    ["an MP4 with a box that is larger than its parent", tooLargeInside(file), UNREADABLE],
    ["an MP4 with 10,000 tracks", withTracks(file, MANY), UNREADABLE],
    ["an MP4 with edits that it does not have", edits(0xffff_ffff, 393, 1_024, unity), UNREADABLE],
    ["an MP4 with an edit behind its end", edits(1, 393, 0x7fff_ffff, unity), "MEDIA_EMPTY"],
    // A pause, as with -1.
    ["an MP4 with an edit before its start", edits(1, 393, -2, unity), "read"],
    ["an MP4 with an edit beyond its end", edits(1, 0x7fff_ffff, 1_024, unity), "read"],
    ["an MP4 with a pause alone", edits(1, 393, -1, unity), "read"],
    ["an MP4 with 2^32 durations", withTable("stts", 0xffff_ffff, 1, 1_024), UNREADABLE],
    ["an MP4 with a duration for 2^32 samples", withTable("stts", 1, 0xffff_ffff, 1), UNREADABLE],
    ["an MP4 with negative durations", withTable("stts", 1, 18, -1_024), UNREADABLE],
    ["an MP4 with chunks that run backwards", withTable("stsc", 2, 2, 1, 1, 1, 1, 1), UNREADABLE],
    ["an MP4 with chunks from 2^32 on", withTable("stsc", 1, 0xffff_ffff, 1, 1), UNREADABLE],
    ["an MP4 with chunks of 2^32 samples", withTable("stsc", 1, 1, 0xffff_ffff, 1), "read"],
    ["an MP4 with chunks that overlap", chunksAt(file, () => 0), "read"],
    ["an MP4 with chunks that point backwards", chunksAt(file, (i) => -i), "read"],
    [
      "an MP4 whose chunks overlap to more bytes than it has",
      editedBox(
        chunksAt(file, () => 0),
        `${STBL}/stsz`,
        () => table(1_000, SAMPLES),
      ),
      UNREADABLE,
    ],
    ["a fragment of another track with 2^32 packets", withForeignRun(0xffff_ffff), "read"],
    ["fragments that overlap to more bytes than the file has", overlapping(), UNREADABLE],
    // Of several lists the first one counts.
    ["an MP4 with 64 edit lists", withEditLists(file, 64), "read"],
    ["an MP4 with a second description", withTable("stsc", 1, 1, 18, 2), UNREADABLE],
    ["an MP4 with a key sample that is not there", added("stss", 2, 1, 99), UNREADABLE],
    ["an MP4 with key samples that fall", added("stss", 2, 3, 2), UNREADABLE],
    ["an MP4 with fewer offsets than samples", added("ctts", 1, 3, 0), UNREADABLE],
    ["an MP4 with the largest offsets", added("ctts", 1, 100, 0x7fff_ffff), "read"],
  ];
}

/** Its first box states another size. */
function headed(file: Uint8Array, size: number): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.writeInt32BE(size | 0, 0);
  return bytes;
}

/** Each sample in a chunk of its own, which begins at this distance from the place of the first. */
function chunksAt(file: Uint8Array, distance: (index: number) => number): Uint8Array {
  const mdat = Buffer.from(file).indexOf("mdat", undefined, "latin1") + 4;
  const alone = editedBox(file, `${STBL}/stsc`, () => table(1, 1, 1, 1));
  const places = Array.from({ length: SAMPLES }, (_none, i) => Math.max(8, mdat + distance(i)));
  return editedBox(alone, `${STBL}/stco`, () => table(SAMPLES, ...places));
}

/** As many boxes of edits as this, each with the edits of the file. */
function withEditLists(file: Uint8Array, count: number): Uint8Array {
  return editedBox(file, "moov/trak/edts", (edits) =>
    Buffer.concat(Array.from({ length: count }, () => edits)),
  );
}

/** Fragments whose packets all lie at the same place. */
function overlapping(): Uint8Array {
  const bytes = Buffer.from(mediaFixture("fragments.mp4"));
  const data = bytes.indexOf("mdat", undefined, "latin1") + 4;
  for (
    let moof = bytes.indexOf("moof") - 4;
    moof >= 0;
    moof = bytes.indexOf("moof", moof + 5) - 4
  ) {
    const run = bytes.indexOf("trun", moof, "latin1") + 4;
    bytes.writeInt32BE(data - moof, run + 8);
    // The flags that say that packets have durations; those of the last fragment have.
    const step = (bytes[run + 2] ?? 0) & 1 ? 8 : 4;
    for (let i = 0; i < bytes.readUInt32BE(run + 4); i++) {
      bytes.writeUInt32BE(600, run + 12 + i * step + step - 4);
    }
  }
  return bytes;
}

/** Before the fragments another one, whose only run is of a track that the file does not have. */
function withForeignRun(count: number): Uint8Array {
  const bytes = Buffer.from(mediaFixture("fragments.mp4"));
  const words = (...values: readonly number[]) => {
    const content = Buffer.alloc(values.length * 4);
    values.forEach((value, i) => content.writeUInt32BE(value, i * 4));
    return content;
  };
  const traf = [
    // From the start of the fragment, with a size for all packets.
    { type: "tfhd", content: words(0x2_0010, 99, 0) },
    { type: "trun", content: words(0, count) },
  ];
  const moof = box("moof", [
    { type: "mfhd", content: words(0, 1) },
    { type: "traf", content: traf },
  ]);
  const at = bytes.indexOf("moof", undefined, "latin1") - 4;
  return Buffer.concat([bytes.subarray(0, at), moof, bytes.subarray(at)]);
}

/** A box at the end with a size of 64 bits. */
function longHeaded(file: Uint8Array, size: bigint): Uint8Array {
  const free = Buffer.alloc(24);
  free.writeUInt32BE(1, 0);
  free.write("free", 4, "latin1");
  free.writeBigUInt64BE(size, 8);
  return Buffer.concat([file, free]);
}

function tooLargeInside(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file);
  const at = bytes.indexOf("mdia", undefined, "latin1") - 4;
  bytes.writeUInt32BE(bytes.readUInt32BE(at) + 100_000, at);
  return bytes;
}

function withTracks(file: Uint8Array, count: number): Uint8Array {
  const boxes = parseBoxes(file);
  const moov = boxes.find(({ type }) => type === "moov");
  const inner = moov === undefined || Buffer.isBuffer(moov.content) ? [] : moov.content;
  const trak = inner.find(({ type }) => type === "trak");
  const one = writeBoxes(trak === undefined ? [] : [trak]);
  return writeBoxes(
    withBox(boxes, "moov", (content) =>
      Buffer.concat([content, ...Array.from({ length: count }, () => one)]),
    ),
  );
}

const ID = {
  cluster: 0x1f43b675,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cuePositions: 0xb7,
  cueTrack: 0xf7,
  cueCluster: 0xf1,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  tags: 0x1254c367,
} as const;

export function hostileWebms(): readonly Case[] {
  const blocks = Array.from({ length: 10 }, (_, i) => simpleBlock(OPUS_SILENCE, 20 * i));
  const usual = cluster(0, blocks);
  const webm = (...clusters: readonly Uint8Array[]) => webmFile({ clusters });
  const cue = (position: number) =>
    element(ID.cuePoint, [
      uint(ID.cueTime, 0),
      element(ID.cuePositions, [uint(ID.cueTrack, 1), uint(ID.cueCluster, position)]),
    ]);
  const seek = element(ID.seek, [
    element(ID.seekId, Buffer.from(ID.seekHead.toString(16), "hex")),
    uint(ID.seekPosition, 0),
  ]);
  const moreTracks = Array<Buffer>(MANY).fill(
    element(ID.trackEntry, [uint(ID.trackNumber, 7), uint(ID.trackType, 2)]),
  );
  const otherTrack = Buffer.from(simpleBlock(OPUS_SILENCE, 0));
  otherTrack[9] = 0x89;
  const ebmlLace = (...bytes: readonly number[]) =>
    simpleBlock(Uint8Array.from([...bytes, ...OPUS_SILENCE]), 0, 3);
  return [
    [
      "a WebM whose Cues point at themselves",
      webm(element(ID.cues, [cue(0), cue(1)]), usual),
      "read",
    ],
    [
      "a WebM whose Cues point behind the end",
      webm(usual, element(ID.cues, cue(0xffff_fff0))),
      "read",
    ],
    [
      "a WebM whose index of elements is one of itself",
      webm(element(ID.seekHead, seek), usual),
      "read",
    ],
    ["a WebM with 10,000 tracks", webmFile({ clusters: [usual], moreTracks }), UNREADABLE],
    ["a WebM with two lists of tracks", webm(element(ID.tracks, moreTracks), usual), "read"],
    [
      "a WebM with blocks of a track that it does not have",
      webm(cluster(0, [otherTrack, ...blocks])),
      "read",
    ],
    [
      "a WebM with a lace of EBML that is negative",
      webm(cluster(0, [ebmlLace(3, 0x81, 0x80, 0x80)])),
      UNREADABLE,
    ],
    ["a WebM with a lace of EBML without a length", webm(cluster(0, [ebmlLace(3, 0)])), UNREADABLE],
    [
      "a WebM with tags of an unknown size",
      webm(usual, element(ID.tags, new Uint8Array(4), "unknown")),
      UNREADABLE,
    ],
    [
      "a WebM with a cluster in a cluster",
      webm(element(ID.cluster, [uint(0xe7, 0), usual])),
      "read",
    ],
    ["a WebM with an id of zeros", webm(usual, Buffer.alloc(16)), UNREADABLE],
    [
      "a WebM with 10,000 empty clusters",
      webm(...Array<Buffer>(MANY).fill(cluster(0, [])), usual),
      "read",
    ],
    [
      "a WebM with another head than that of Opus",
      webmFile({
        clusters: [usual],
        config: Buffer.from("4f707573546167730102380180bb0000000000", "hex"),
      }),
      UNREADABLE,
    ],
    [
      "a WebM whose cluster has no size and no end",
      webm(cluster(0, [...blocks, element(0xa3, OPUS_SILENCE, 10_000)], "unknown")),
      TRUNCATED,
    ],
    ["a WebM that ends within a size", webm(usual).subarray(0, -1), TRUNCATED],
  ];
}
