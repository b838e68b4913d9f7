import { Buffer } from "node:buffer";
import type { NodeErrorCode } from "../../../src/lib/errors/node-error-guides.ts";
import { box, editedBox, parseBoxes, table, writeBoxes } from "./box-file.ts";
import { cluster, element, simpleBlock, webmFile } from "./ebml-file.ts";
import { hostileMp4s, hostileWebms } from "./hostile-containers.ts";
import { OPUS_SILENCE, opusFile } from "./ogg-file.ts";
import { mediaFixture } from "./read-codecs.ts";
import { chunk, wavFile } from "./wav-file.ts";

export interface HostileSound {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly outcome: NodeErrorCode | "read";
}

const [UNREADABLE, TRUNCATED, EMPTY] = [
  "MEDIA_UNREADABLE",
  "MEDIA_TRUNCATED",
  "MEDIA_EMPTY",
] as const;
const [PARAMETERS, CODEC, LONG] = [
  "MEDIA_PARAMETERS_UNSUPPORTED",
  "MEDIA_CODEC_UNSUPPORTED",
  "MEDIA_TOO_LONG",
] as const;
const ENCRYPTED = "MEDIA_ENCRYPTED" as const;

type Case = readonly [name: string, bytes: Uint8Array, outcome: HostileSound["outcome"]];

function wavs(): readonly Case[] {
  return [
    ["no bytes", new Uint8Array(0), EMPTY],
    ["one byte", Uint8Array.of(0x52), UNREADABLE],
    ["a WAV that states 4 GiB", wavFile({ dataSize: 0xffff_fff0 }), TRUNCATED],
    ["a WAV of unknown length", wavFile({ dataSize: 0xffff_ffff }), "read"],
    ["a WAV of length 0 with samples", wavFile({ dataSize: 0 }), "read"],
    ["a WAV without a sample", wavFile({ samples: new Uint8Array(0) }), EMPTY],
    ["a WAV of 0 channels", wavFile({ channels: 0 }), PARAMETERS],
    ["a WAV of 200 channels", wavFile({ channels: 200 }), PARAMETERS],
    ["a WAV of 1 Hz", wavFile({ rate: 1 }), PARAMETERS],
    ["a WAV of 4 GHz", wavFile({ rate: 4_000_000_000 }), PARAMETERS],
    ["a WAV of frames without bytes", wavFile({ blockAlign: 0 }), UNREADABLE],
    ["a WAV with samples before the format", wavFile({ order: "samples first" }), UNREADABLE],
    ["a WAV without samples", wavFile({ order: "no samples" }), UNREADABLE],
    ["a WAV of two formats", wavFile({ before: [chunk("fmt ", new Uint8Array(16))] }), UNREADABLE],
    [
      "a WAV with a chunk of 4 GiB",
      wavFile({ before: [chunk("LIST", new Uint8Array(4), 0xffff_fff0)] }),
      TRUNCATED,
    ],
    [
      "a WAV with a chunk that overlaps the format",
      wavFile({ before: [chunk("LIST", new Uint8Array(4), 12)] }),
      TRUNCATED,
    ],
    [
      "a WAV with a chunk that overlaps its samples",
      wavFile({ before: [chunk("LIST", new Uint8Array(4), 4 + 24 + 8 + 100)] }),
      TRUNCATED,
    ],
    [
      "a WAV with a chunk of -8 bytes, which would begin again",
      wavFile({ before: [chunk("LIST", new Uint8Array(4), 0xffff_fff8)] }),
      TRUNCATED,
    ],
    ["a WAV of ADPCM", wavFile({ tag: 2, bits: 4 }), CODEC],
    ["a WAV of 64-bit integers", wavFile({ bits: 64 }), CODEC],
    ["an RF64 that states 2^60 bytes", wavFile({ form: "RF64", longSize: 2 ** 60 }), TRUNCATED],
    ["a BW64", wavFile({ form: "BW64" }), "read"],
  ];
}

/** 10,000 boxes, each in the one before. */
function nested(): Uint8Array {
  let inner: Uint8Array = Buffer.alloc(0);
  for (let depth = 0; depth < 10_000; depth++) {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + depth * 8, 0);
    head.write("udta", 4, "latin1");
    inner = depth === 0 ? head : inner;
  }
  const heads = Buffer.alloc(10_000 * 8);
  for (let i = 0; i < 10_000; i++) {
    heads.writeUInt32BE((10_000 - i) * 8, i * 8);
    heads.write("udta", i * 8 + 4, "latin1");
  }
  return heads;
}

function mp4s(): readonly Case[] {
  const file = mediaFixture("aac.m4a");
  const stbl = "moov/trak/mdia/minf/stbl/";
  const edited = (path: string, change: (content: Buffer) => Buffer | undefined) =>
    editedBox(file, path, change);
  const patched = (path: string, at: number, value: number) =>
    edited(path, (content) => {
      content.writeUInt32BE(value, at);
      return content;
    });
  const boxes = parseBoxes(file);
  const moov = boxes.find(({ type }) => type === "moov");
  const withMoov = (content: Buffer) =>
    writeBoxes([...boxes.slice(0, -1), { type: "moov", content }]);
  const inside = writeBoxes((moov?.content ?? []) as never);
  const trak = parseBoxes(inside).find(({ type }) => type === "trak");
  const manyEdits = (count: number) =>
    edited("moov/trak/edts/elst", () =>
      table(count, ...Array.from({ length: count }, () => [100, 1_024, 0x1_0000]).flat()),
    );
  return [
    ["an MP4 with 2^32 sizes", patched(`${stbl}stsz`, 8, 0xffff_ffff), UNREADABLE],
    ["an MP4 with chunks after the end", patched(`${stbl}stco`, 8, 0x7fff_0000), TRUNCATED],
    ["an MP4 with a box of 3 bytes", patched("moov", 0, 3), UNREADABLE],
    ["an MP4 whose last box has the size 0", sizeZero(file), "read"],
    ["an MP4 with a box of 64-bit size", longBox(file), "read"],
    ["an MP4 with 10,000 nested boxes", withMoov(Buffer.concat([inside, nested()])), UNREADABLE],
    ["an MP4 with two movies", Buffer.concat([file, box("moov", inside)]), UNREADABLE],
    ["an MP4 without a movie", writeBoxes(boxes.slice(0, -1)), UNREADABLE],
    ["an MP4 with 64 edits", manyEdits(64), "read"],
    ["an MP4 with 1,001 edits", manyEdits(1_001), UNREADABLE],
    ["an MP4 with an edit at half speed", patched("moov/trak/edts/elst", 16, 0x8000), UNREADABLE],
    ["an MP4 that plays 100 hours", longEdit(file), LONG],
    ["an MP4 with the time scale 0", patched("moov/mvhd", 12, 0), UNREADABLE],
    ["a track with the time scale 0", patched("moov/trak/mdia/mdhd", 12, 0), UNREADABLE],
    [
      "an MP4 with fewer durations than sizes",
      edited(`${stbl}stts`, () => table(1, 3, 1_024)),
      UNREADABLE,
    ],
    ["an MP4 with fewer chunks", edited(`${stbl}stco`, () => table(0)), UNREADABLE],
    ["an MP4 without sizes", edited(`${stbl}stsz`, () => undefined), UNREADABLE],
    [
      "an MP4 with negative composition offsets",
      edited(stbl.slice(0, -1), (content) =>
        Buffer.concat([content, box("ctts", table(1, 100, -5))]),
      ),
      "read",
    ],
    ["an MP4 without samples", withoutSamples(file), EMPTY],
    [
      "an MP4 of 17 tracks",
      withMoov(
        Buffer.concat([inside, ...Array(16).fill(writeBoxes(trak === undefined ? [] : [trak]))]),
      ),
      UNREADABLE,
    ],
    ["an encrypted MP4", renamed(file, "mp4a", "enca"), ENCRYPTED],
    [
      "an MP4 with a scheme of encryption",
      edited(`${stbl}stsd`, (content) => withScheme(content)),
      ENCRYPTED,
    ],
    ["an MP4 with AC-3", renamed(file, "mp4a", "ac-3"), CODEC],
    ["an MP4 without sound", mediaFixture("h264.mp4"), "AUDIO_TRACK_MISSING"],
  ];
}

/** The last box reaches to the end. */
function sizeZero(file: Uint8Array): Uint8Array {
  const boxes = parseBoxes(file);
  const last = boxes.at(-1);
  const bytes = writeBoxes(boxes);
  bytes.writeUInt32BE(0, bytes.length - box(last?.type ?? "", last?.content ?? []).length);
  return Uint8Array.from(bytes);
}

/** A box with a size of 64 bits at the end. */
function longBox(file: Uint8Array): Uint8Array {
  const free = Buffer.alloc(24);
  free.writeUInt32BE(1, 0);
  free.write("free", 4, "latin1");
  free.writeBigUInt64BE(24n, 8);
  return Uint8Array.from(Buffer.concat([file, free]));
}

function longEdit(file: Uint8Array): Uint8Array {
  const pause = [360_000_000, -1, 0x1_0000];
  return editedBox(file, "moov/trak/edts/elst", () => table(2, ...pause, 393, 1_024, 0x1_0000));
}

function withoutSamples(file: Uint8Array): Uint8Array {
  return ["stts", "stsc", "stco"].reduce(
    (bytes, type) => editedBox(bytes, `moov/trak/mdia/minf/stbl/${type}`, () => table(0)),
    editedBox(file, "moov/trak/mdia/minf/stbl/stsz", () => Buffer.alloc(12)),
  );
}

function renamed(file: Uint8Array, from: string, to: string): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.write(to, bytes.lastIndexOf(from, undefined, "latin1"), "latin1");
  return Uint8Array.from(bytes);
}

function withScheme(stsd: Buffer): Buffer {
  const entry = Buffer.concat([stsd.subarray(8), box("sinf", Buffer.alloc(8))]);
  entry.writeUInt32BE(entry.length, 0);
  return Buffer.concat([stsd.subarray(0, 8), entry]);
}

function webms(): readonly Case[] {
  const blocks = Array.from({ length: 10 }, (_, i) => simpleBlock(OPUS_SILENCE, 20 * i));
  const usual = cluster(0, blocks);
  const open = cluster(0, blocks, "unknown");
  const lacing = simpleBlock(Uint8Array.of(255, ...Array<number>(300).fill(255)), 0, 1);
  const fixed = simpleBlock(Uint8Array.of(255, 1, 2, 3), 0, 2);
  const empty = simpleBlock(Uint8Array.of(255, ...Array<number>(255).fill(0)), 0, 1);
  const encryption = element(0x6240, element(0x5035, new Uint8Array(0)));
  const compression = element(0x6240, element(0x5034, new Uint8Array(0)));
  return [
    ["a WebM", webmFile({ clusters: [usual] }), "read"],
    ["a WebM without sizes", webmFile({ clusters: [open, open], segmentSize: "unknown" }), "read"],
    [
      "a WebM that states 2^50 bytes",
      webmFile({ clusters: [usual], segmentSize: 2 ** 50 }),
      TRUNCATED,
    ],
    [
      "a WebM that states too few bytes",
      webmFile({ clusters: [usual], segmentSize: 300 }),
      UNREADABLE,
    ],
    [
      "a WebM whose times run backwards",
      webmFile({ clusters: [cluster(5_000, blocks), usual] }),
      UNREADABLE,
    ],
    [
      "a WebM with laces beyond their block",
      webmFile({ clusters: [cluster(0, [lacing])] }),
      UNREADABLE,
    ],
    [
      "a WebM with 256 frames in 3 bytes",
      webmFile({ clusters: [cluster(0, [fixed])] }),
      UNREADABLE,
    ],
    [
      "a WebM with frames without bytes",
      webmFile({ clusters: [cluster(0, Array(50).fill(empty))] }),
      UNREADABLE,
    ],
    ["a WebM without packets", webmFile({ clusters: [] }), EMPTY],
    ["an encrypted WebM", webmFile({ clusters: [usual], encodings: encryption }), ENCRYPTED],
    [
      "a WebM with compressed packets",
      webmFile({ clusters: [usual], encodings: compression }),
      UNREADABLE,
    ],
    ["a WebM with AAC", webmFile({ clusters: [usual], codec: "A_AAC" }), CODEC],
    ["a Matroska", webmFile({ clusters: [usual], docType: "matroska" }), UNREADABLE],
    [
      "a WebM with an element beyond its cluster",
      webmFile({ clusters: [cluster(0, [...blocks, element(0xa3, OPUS_SILENCE, 10_000)])] }),
      UNREADABLE,
    ],
  ];
}

function streams(): readonly Case[] {
  const opus = opusFile(300);
  const flac = mediaFixture("stereo.flac");
  const mp3 = mediaFixture("cbr.mp3");
  const id3 = Buffer.concat([Buffer.from("49443304000060000000", "hex"), mp3]);
  return [
    ["an Ogg", opus, "read"],
    [
      "an Ogg of two streams, one after another",
      Buffer.concat([opus, opusFile(300, undefined, 8)]),
      UNREADABLE,
    ],
    ...([300, 200, 400] as const).map((packets): Case => [
      `an Ogg of two streams with one number, the second of ${packets} packets`,
      Buffer.concat([opus, opusFile(packets)]),
      UNREADABLE,
    ]),
    [
      "an Ogg of two streams side by side",
      besideEachOther(opus, opusFile(200, undefined, 8)),
      "read",
    ],
    ["an Ogg whose positions run backwards", granuleAt(150, 10), "read"],
    ["an Ogg with a negative position", granuleAt(150, -7), "read"],
    ["an Ogg that ends at 2^50", granuleAt(299, 2 ** 50), LONG],
    ["an Ogg without a last page", opusFile(300, (page) => ({ ...page, flags: 0 })), "read"],
    ["an Ogg with ten pages twice", repeated(opus), "read"],
    ["an Ogg with one wrong checksum", opusFile(300, wrong(1)), "read"],
    ["an Ogg with ten wrong checksums", opusFile(300, wrong(10)), UNREADABLE],
    ["an Ogg with a hole", opusFile(300, (page, i) => (i === 99 ? undefined : page)), "read"],
    [
      "an Ogg with a large hole",
      opusFile(300, (page, i) => (i > 50 && i < 99 ? undefined : page)),
      UNREADABLE,
    ],
    ["an Ogg without a packet", opusFile(0), EMPTY],
    [
      "an Ogg whose pages all have a wrong checksum",
      opusFile(50, (page) => ({ ...page, isWrong: true })),
      UNREADABLE,
    ],
    ["an Ogg of Speex", speex(), CODEC],
    ["a FLAC that states 2^36 samples", lyingFlac(flac, 2 ** 36 - 1), LONG],
    ["a FLAC that states more samples", lyingFlac(flac, 20_000), TRUNCATED],
    ["a FLAC that states another rate", flacRate(flac, 192_000), TRUNCATED],
    ["a FLAC that states blocks of 16 samples", blocksOf(flac, 16), TRUNCATED],
    ["a FLAC that states blocks of no sample", blocksOf(flac, 0), UNREADABLE],
    [
      "a FLAC that states frames of one byte",
      patch(patch(patch(flac, 15, 0), 16, 0), 17, 1),
      "read",
    ],
    ["a FLAC of unknown length", lyingFlac(flac, 0), "read"],
    ["an MP3 that counts no frame", noted(mp3, 0), EMPTY],
    ["a FLAC that states other channels", patch(flac, 20, 0x06), TRUNCATED],
    ["a FLAC with a seek table that lies", withSeekTable(flac), "read"],
    ["a FLAC without a rate", patch(patch(patch(flac, 18, 0), 19, 0), 20, 0x02), UNREADABLE],
    ["an MP3 with a fake count of frames", noted(mp3, 0xffff_fff0), LONG],
    ["an MP3 with more frames counted", noted(mp3, 40), TRUNCATED],
    ["a tag of 200 MB", id3, UNREADABLE],
    ["an MP3 of layer II", layerTwo(), CODEC],
    [
      "a text",
      Buffer.from("Not a sound at all, but long enough to be searched for one."),
      UNREADABLE,
    ],
    ["zeros", new Uint8Array(100_000), UNREADABLE],
  ];
}

function granuleAt(number: number, granule: number): Uint8Array {
  return opusFile(300, (page, i) => (i === number ? { ...page, granule } : page));
}

/** The pages of a file with one packet of at most 254 bytes on each. */
function pagesOf(file: Uint8Array): readonly Uint8Array[] {
  const pages: Uint8Array[] = [];
  for (let at = 0; at < file.length;) {
    const end = at + 28 + (file[at + 27] as number);
    pages.push(file.subarray(at, end));
    at = end;
  }
  return pages;
}

/** Pages of two streams by turns, their first pages before all others. */
function besideEachOther(one: Uint8Array, other: Uint8Array): Uint8Array {
  const [ours, theirs] = [pagesOf(one), pagesOf(other)];
  return Buffer.concat(ours.flatMap((page, i) => [page, ...theirs.slice(i, i + 1)]));
}

function repeated(file: Uint8Array): Uint8Array {
  const pages = pagesOf(file);
  return Buffer.concat([...pages.slice(0, 100), ...pages.slice(90)]);
}

/** Wrong checksums on every 20th page. */
function wrong(count: number): Parameters<typeof opusFile>[1] {
  return (page, number) =>
    number % 20 === 10 && number < count * 20 ? { ...page, isWrong: true } : page;
}

function speex(): Uint8Array {
  const bytes = Buffer.from(opusFile(3));
  return Uint8Array.from(
    Buffer.concat([oggPageOf("Speex   1.2"), bytes.subarray(bytes.indexOf("OggS", 10))]),
  );
}

function oggPageOf(packet: string): Buffer {
  // The page's checksum is not that of its new packet; a first page is read all the same.
  const page = Buffer.alloc(28 + packet.length);
  page.write("OggS\0\u0002", 0, "latin1");
  page.writeUInt32LE(7, 14);
  page[26] = 1;
  page[27] = packet.length;
  page.write(packet, 28, "latin1");
  return page;
}

function patch(file: Uint8Array, at: number, value: number): Uint8Array {
  const bytes = file.slice();
  bytes[at] = value;
  return bytes;
}

function lyingFlac(file: Uint8Array, samples: number): Uint8Array {
  const bytes = Buffer.from(file);
  bytes[21] = ((bytes[21] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32);
  bytes.writeUInt32BE(samples % 2 ** 32, 22);
  return Uint8Array.from(bytes);
}

/** A FLAC with seek points that lead beyond the file, backwards and into frames. */
export function withSeekTable(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file);
  const from = 4 + 4 + 34;
  const points = [
    [0, 2 ** 40, 4_096],
    [2 ** 35, 0, 65_535],
    [10, 17, 1],
    [10, 3, 0],
  ] as const;
  const table = Buffer.alloc(4 + 18 * points.length);
  table[0] = (bytes[4] as number) & 0x80 ? 0x83 : 0x03;
  table.writeUIntBE(18 * points.length, 1, 3);
  for (const [i, [sample, offset, frames]] of points.entries()) {
    table.writeBigUInt64BE(BigInt(sample), 4 + 18 * i);
    table.writeBigUInt64BE(BigInt(offset), 12 + 18 * i);
    table.writeUInt16BE(frames, 20 + 18 * i);
  }
  const head = bytes.subarray(0, from);
  head[4] = (head[4] as number) & 0x7f;
  return Uint8Array.from(Buffer.concat([head, table, bytes.subarray(from)]));
}

function blocksOf(file: Uint8Array, frames: number): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.writeUInt16BE(frames, 8);
  bytes.writeUInt16BE(frames, 10);
  return Uint8Array.from(bytes);
}

function flacRate(file: Uint8Array, rate: number): Uint8Array {
  const bytes = Buffer.from(file);
  bytes.writeUIntBE((rate << 4) | ((bytes[20] as number) & 15), 18, 3);
  return Uint8Array.from(bytes);
}

function noted(file: Uint8Array, frames: number): Uint8Array {
  const bytes = Buffer.from(file);
  const at = Math.max(bytes.indexOf("Info", 0, "latin1"), bytes.indexOf("Xing", 0, "latin1"));
  bytes.writeUInt32BE(frames, at + 8);
  return Uint8Array.from(bytes);
}

/** Frames of MPEG 1, layer II, 128 kbit/s, 44.1 kHz. */
function layerTwo(): Uint8Array {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfd, 0x80, 0x40]);
  return Uint8Array.from(Buffer.concat([frame, frame, frame]));
}

/** Files that are damaged, lie or are not read, each with the outcome of reading it to its end. */
export function hostileSounds(): readonly HostileSound[] {
  const all = [...wavs(), ...mp4s(), ...hostileMp4s(), ...webms(), ...hostileWebms(), ...streams()];
  return all.map(([name, bytes, outcome]) => ({
    name,
    bytes: Uint8Array.from(bytes),
    outcome,
  }));
}
