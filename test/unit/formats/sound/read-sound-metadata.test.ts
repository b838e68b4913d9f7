/** docs/contract/models.md#sounds: how long a sound is, from its headers. */
import { describe, expect, test } from "vitest";
import {
  readSoundMetadata,
  soundFormatOf,
} from "../../../../src/formats/sound/read-sound-metadata.ts";
import { UnreadableSoundFile } from "../../../../src/formats/sound/sound-metadata.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { wavHeader } from "../../../../src/providers/sample/sound/wav-writer.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

const text = (value: string) => Buffer.from(value, "latin1");
const number = (value: number, bytes: number, isLittle = false) => {
  const buffer = Buffer.alloc(bytes);
  if (isLittle) {
    buffer.writeUIntLE(value, 0, bytes);
  } else {
    buffer.writeUIntBE(value, 0, bytes);
  }
  return buffer;
};
const metadataOf = (bytes: Uint8Array) => readSoundMetadata(new MemorySource(bytes, "etag"));

async function refusalOf(bytes: Uint8Array): Promise<string> {
  const error: unknown = await metadataOf(bytes).catch((thrown: unknown) => thrown);
  return error instanceof UnreadableSoundFile ? error.message : `not refused: ${String(error)}`;
}

function wav(samples: number): Buffer {
  return Buffer.concat([wavHeader("pcm16", 8_000, 2, samples), Buffer.alloc(samples * 4)]);
}

/** A frame of MPEG 1, layer 3, 44.1 kHz, 128 kbit/s: 417 bytes without padding. */
function frame(content: Buffer = Buffer.alloc(0), channelBits = 0b01): Buffer {
  const bytes = Buffer.alloc(417);
  bytes.set([0xff, 0xfb, 0x90, channelBits << 6]);
  bytes.set(content, 4);
  return bytes;
}

const note = (frames: number, lame: Buffer) =>
  Buffer.concat([Buffer.alloc(32), text("Info"), number(1, 4), number(frames, 4), lame]);

function id3(size: number): Buffer {
  return Buffer.concat([
    text("ID3"),
    Buffer.from([4, 0, 0, 0, 0, size >> 7, size & 0x7f]),
    Buffer.alloc(size),
  ]);
}

function flac(samples: number): Buffer {
  const packed = (BigInt(48_000) << 44n) | (1n << 41n) | (15n << 36n) | BigInt(samples);
  const info = Buffer.alloc(34);
  info.writeBigUInt64BE(packed, 10);
  return Buffer.concat([text("fLaC"), Buffer.from([0x80, 0, 0, 34]), info, Buffer.alloc(50)]);
}

function page(serial: number, position: bigint, flags: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS", 0, "latin1");
  head[5] = flags;
  head.writeBigInt64LE(position, 6);
  head.writeUInt32LE(serial, 14);
  const segments = Math.floor(packet.length / 255) + 1;
  head[26] = segments;
  const table = Buffer.alloc(segments, 255);
  table[segments - 1] = packet.length % 255;
  return Buffer.concat([head, table, packet]);
}

const OPUS = Buffer.concat([
  text("OpusHead"),
  Buffer.from([1, 2]),
  number(312, 2, true),
  number(44_100, 4, true),
  Buffer.alloc(3),
]);
const VORBIS = Buffer.concat([
  text("\u0001vorbis"),
  Buffer.alloc(4),
  Buffer.from([1]),
  number(22_050, 4, true),
  Buffer.alloc(14),
]);

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const all = Buffer.concat(content);
  return Buffer.concat([number(all.length + 8, 4), text(type), all]);
}

/** An M4A of one track; its movie counts in 600ths of a second. */
function m4a({ isMovieLast = false, edit = -1, handler = "soun", mediaDuration = 88_200 } = {}) {
  const times = (rate: number, duration: number) =>
    Buffer.concat([Buffer.alloc(12), number(rate, 4), number(duration, 4), Buffer.alloc(16)]);
  const sample = Buffer.concat([
    Buffer.alloc(8),
    number(36, 4),
    text("mp4a"),
    Buffer.alloc(16),
    number(2, 2),
    Buffer.alloc(6),
    number(44_100, 2),
    Buffer.alloc(2),
  ]);
  const edits =
    edit < 0
      ? []
      : [
          box(
            "edts",
            box(
              "elst",
              number(0, 4),
              number(1, 4),
              number(edit, 4),
              number(1_024, 4),
              number(65_536, 4),
            ),
          ),
        ];
  const movie = box(
    "moov",
    box("mvhd", times(600, 1_200)),
    box(
      "trak",
      ...edits,
      box(
        "mdia",
        box("mdhd", times(44_100, mediaDuration)),
        box("hdlr", Buffer.alloc(8), text(handler), Buffer.alloc(12)),
        box("minf", box("stbl", box("stsd", sample))),
      ),
    ),
  );
  const data = box("mdat", Buffer.alloc(200_000));
  return Buffer.concat([
    box("ftyp", text("M4A ")),
    ...(isMovieLast ? [data, movie] : [movie, data]),
  ]);
}

describe("the metadata of a sound", () => {
  test.each([
    ["a WAV", wav(12_000), "wav", 1.5, 8_000, 2],
    ["a WAV of a program that did not know its length", wavUnknown(), "wav", 1.5, 8_000, 2],
    ["an RF64", longForm("RF64"), "wav", 1.5, 8_000, 2],
    ["a BW64", longForm("BW64"), "wav", 1.5, 8_000, 2],
    ["an MP3 without a note", mp3(100), "mp3", (100 * 1_152) / 44_100, 44_100, 2],
    [
      "an MP3 after a tag, with a tag at its end",
      Buffer.concat([id3(300), mp3(40), text("TAG"), Buffer.alloc(125)]),
      "mp3",
      (40 * 1_152) / 44_100,
      44_100,
      2,
    ],
    [
      "an MP3 with a note",
      Buffer.concat([frame(note(77, Buffer.alloc(0))), mp3(3)]),
      "mp3",
      (77 * 1_152) / 44_100,
      44_100,
      2,
    ],
    [
      "an MP3 with the delay and padding of its encoder",
      Buffer.concat([frame(note(77, lame(576, 1_000))), mp3(3)]),
      "mp3",
      (77 * 1_152 - 1_576) / 44_100,
      44_100,
      2,
    ],
    ["a FLAC", flac(120_000), "flac", 2.5, 48_000, 2],
    ["a FLAC after a tag", Buffer.concat([id3(100), flac(120_000)]), "flac", 2.5, 48_000, 2],
    [
      "an Opus in Ogg",
      Buffer.concat([page(7, 0n, 2, OPUS), page(7, 48_312n, 4, Buffer.alloc(600))]),
      "ogg",
      1,
      48_000,
      2,
    ],
    [
      "a Vorbis in Ogg whose last pages end no packet",
      Buffer.concat([
        page(7, 0n, 2, VORBIS),
        page(7, 44_100n, 0, Buffer.alloc(90)),
        page(7, -1n, 4, Buffer.alloc(60_000)),
        page(7, -1n, 4, Buffer.alloc(60_000)),
      ]),
      "ogg",
      2,
      22_050,
      1,
    ],
    ["an M4A", m4a(), "m4a", 2, 44_100, 2],
    ["an M4A whose header is at its end", m4a({ isMovieLast: true }), "m4a", 2, 44_100, 2],
    ["an M4A that plays a part", m4a({ edit: 900 }), "m4a", 1.5, 44_100, 2],
  ] as const)("%s", async (_name, bytes, format, seconds, sampleRate, channels) => {
    const metadata = await metadataOf(bytes);
    expect(metadata).toMatchObject({ format, sampleRate, channels });
    expect(metadata.seconds).toBeCloseTo(seconds, 6);
    expect(soundFormatOf(bytes.subarray(0, 12))).toBe(
      bytes.includes("fLaC") && bytes[0] === 73 ? "mp3" : format,
    );
  });

  function mp3(frames: number): Buffer {
    return Buffer.concat(Array.from({ length: frames }, () => frame()));
  }

  function lame(delay: number, padding: number): Buffer {
    const bytes = Buffer.alloc(24);
    bytes.write("LAME", 0, "latin1");
    bytes.writeUIntBE(delay * 4_096 + padding, 21, 3);
    return bytes;
  }

  function longForm(form: "RF64" | "BW64") {
    return Buffer.from(wavFile({ form, rate: 8_000, samples: new Uint8Array(12_000 * 4) }));
  }

  function wavUnknown(): Buffer {
    const bytes = wav(12_000);
    bytes.writeUInt32LE(0xffff_ffff, 40);
    return bytes;
  }

  test.each([
    ["nothing", Buffer.alloc(0), /is not a/],
    ["a text", Buffer.from("This is a letter, and it goes on for a while.".repeat(9)), /is not a/],
    ["a WAV that is cut off", wav(12_000).subarray(0, 9_000), /ends before/],
    ["a WAV without samples", wavHeader("pcm16", 8_000, 1, 5).subarray(0, 36), /ends before/],
    ["a FLAC that does not say its length", flac(0), /how long/],
    [
      "an Ogg whose last page is of another stream",
      Buffer.concat([page(7, 0n, 2, VORBIS), page(8, 5n, 4, Buffer.alloc(9))]),
      /several streams/,
    ],
    [
      "an Ogg of two streams, one after the other",
      Buffer.concat([
        page(7, 0n, 2, VORBIS),
        page(7, 44_100n, 4, Buffer.alloc(9)),
        page(8, 0n, 2, VORBIS),
        page(8, 44_100n, 4, Buffer.alloc(9)),
      ]),
      /several streams/,
    ],
    ["an Ogg of something else", page(7, 0n, 2, Buffer.alloc(80)), /no stream|ends before/],
    [
      "an M4A that is cut off",
      m4a({ isMovieLast: true }).subarray(0, 150_000),
      /damaged|ends before/,
    ],
    ["an M4A in fragments", m4a({ mediaDuration: 0 }), /fragments/],
    ["an MP4 without sound", m4a({ handler: "vide" }), /no track/],
  ] as const)("are not read from %s", async (_name, bytes, reason) => {
    expect(await refusalOf(bytes)).toMatch(reason);
  });

  test("hostile bytes are refused in bounded reads", async () => {
    const whole = [
      wav(900),
      flac(9_000),
      m4a(),
      Buffer.concat([page(7, 0n, 2, OPUS), page(7, 960n, 4, Buffer.alloc(90))]),
    ];
    let state = 1;
    const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0);
    for (let round = 0; round < 400; round++) {
      const bytes = Buffer.from(whole[round % whole.length]!.subarray(0, 2_000));
      for (let change = 0; change < 4; change++) {
        bytes[(next() >>> 8) % Math.min(bytes.length, 300)] = next() >>> 24;
      }
      let reads = 0;
      const memory = new MemorySource(bytes, "etag");
      const source = {
        sizeBytes: bytes.length,
        etag: "etag",
        read: (from: number, to: number) => (reads++, memory.read(from, to)),
        stream: () => (reads++, memory.stream()),
      };
      const end = await readSoundMetadata(source).catch((error: unknown) => error);
      expect(end instanceof Error && !(end instanceof UnreadableSoundFile)).toBe(false);
      expect(reads).toBeLessThan(300);
    }
  });
});
