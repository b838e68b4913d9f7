import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { SoundCodecs } from "../../../../src/media/codec/sound-codecs.ts";
import { ByteWindow } from "../../../../src/media/container/byte-window.ts";
import { presentedParts } from "../../../../src/media/container/decode-track.ts";
import { writeMovie } from "../../../../src/media/container/movie-writer.ts";
import { openMedia, requireSoundTrack } from "../../../../src/media/container/open-media.ts";
import { readWavHeader } from "../../../../src/media/container/wav/wav-header.ts";
import { BlockCutter } from "../../../../src/media/cutting/cut-blocks.ts";
import { copiedSound } from "../../../../src/media/cutting/copied-sound.ts";
import { cutParts, mediaSpan } from "../../../../src/media/cutting/cut-parts.ts";
import { cutWav } from "../../../../src/media/cutting/cut-wav.ts";
import { frameRanges, groupsWithoutOverlap } from "../../../../src/media/cutting/segment-ranges.ts";
import { splitFormat } from "../../../../src/media/cutting/split-format.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { draws } from "../../../support/media/cut-film.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { ruledFrame, RULERS } from "../../../support/media/rulers.ts";
import { REAL_CODECS } from "../../../support/media/real-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

describe("frames of segments", () => {
  it("are rounded, clipped at the end, and may overlap in any order", () => {
    const segments = [
      { start: 0.5, end: 99 },
      { start: 0, end: 0.75 },
      { start: 0.000_01, end: 0.1 },
    ];
    expect(frameRanges(segments, 44_100, 40_000)).toEqual([
      { index: 0, from: 22_050, to: 40_000 },
      { index: 1, from: 0, to: 33_075 },
      { index: 2, from: 0, to: 4_410 },
    ]);
  });

  it.each([
    ["at the end", { start: 1, end: 2 }, "SEGMENT_OUT_OF_RANGE"],
    ["behind the end", { start: 3, end: 4 }, "SEGMENT_OUT_OF_RANGE"],
    ["without a sample", { start: 0.5, end: 0.500_001 }, "MEDIA_EMPTY"],
  ])("fail for one %s", (_name, segment, code) => {
    const fitting = { start: 0, end: 1 };
    expect(() => frameRanges([fitting, segment], 8_000, 8_000)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining("Segment 1 ") }),
    );
  });

  it("are decoded together where they do not overlap", () => {
    const range = (index: number, from: number, to: number) => ({ index, from, to });
    const ranges = [range(0, 10, 20), range(1, 0, 10), range(2, 5, 30), range(3, 20, 21)];
    expect(groupsWithoutOverlap(ranges)).toEqual([
      [range(1, 0, 10), range(0, 10, 20), range(3, 20, 21)],
      [range(2, 5, 30)],
    ]);
  });
});

describe("a cutter of blocks", () => {
  it("takes ranges across blocks and ends the pass", async () => {
    let ended = 0;
    async function* blocks() {
      try {
        for (let at = 0; at < 100; at += 10) {
          yield [Float32Array.from({ length: 10 }, (_, i) => at + i)];
        }
      } finally {
        ended++;
      }
    }
    const cutter = new BlockCutter(blocks());
    const taken: number[][] = [];
    for (const [from, to] of [
      [0, 3],
      [3, 25],
      [47, 48],
      [90, 120],
    ] as const) {
      const frames: number[] = [];
      for await (const [plane] of cutter.take(from, to)) {
        frames.push(...(plane ?? []));
      }
      taken.push(frames);
    }
    await cutter.close();
    const count = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => from + i);
    expect(taken).toEqual([count(0, 3), count(3, 25), [47], count(90, 100)]);
    expect(ended).toBe(1);
  });
});

describe("the parts of a presentation", () => {
  const parts = [
    { start: null, frames: 100 },
    { start: 1_000, frames: 50 },
    { start: 200, frames: null },
  ];

  it.each([
    [0, 100, [{ start: null, frames: 100 }]],
    [
      90,
      110,
      [
        { start: null, frames: 10 },
        { start: 1_000, frames: 10 },
      ],
    ],
    [
      149,
      152,
      [
        { start: 1_049, frames: 1 },
        { start: 200, frames: 2 },
      ],
    ],
    [300, 400, [{ start: 350, frames: 100 }]],
  ])("from %i to %i keep their places in the media", (from, to, cut) => {
    expect(cutParts(parts, from, to)).toEqual(cut);
  });

  it("span the media from the first to the last place", () => {
    expect(mediaSpan(cutParts(parts, 140, 160))).toEqual({ from: 200, to: 1_050 });
    expect(mediaSpan(cutParts(parts, 0, 50))).toBeUndefined();
  });
});

describe("a part of a WAV", () => {
  const samples = Uint8Array.from({ length: 6_000 }, (_, i) => (i * 131) >> 3);
  const cases = {
    "16 bits": {},
    "24 bits, extensible": { bits: 24, subtype: 1, channels: 2 },
    "32-bit floats": { tag: 3, bits: 32, channels: 1 },
    "8 bits, mono": { bits: 8, channels: 1 },
    "A-law": { tag: 6, bits: 8, channels: 1 },
    "16 bits in RF64": { form: "RF64" as const },
  };

  it.each(Object.entries(cases))("of %s has its format and bytes", async (_name, fields) => {
    const file = wavFile({ ...fields, samples });
    const window = new ByteWindow(new MemorySource(file, "e"), 1_000);
    const header = await readWavHeader(window);
    const [from, to] = [101, Math.min(header.frames, 902)];
    const sink = new MemorySink();
    await cutWav(window, header, { from, to }, sink);
    const cut = await readWavHeader(new ByteWindow(new MemorySource(sink.bytes(), "e")));
    expect({ ...cut, dataStart: 0 }).toEqual({ ...header, dataStart: 0, frames: to - from });
    const bytes = sink.bytes();
    expect(bytes.byteLength % 2).toBe(0);
    expect(new DataView(bytes.buffer).getUint32(4, true)).toBe(bytes.byteLength - 8);
    const wanted = samples.subarray(from * header.frameBytes, to * header.frameBytes);
    expect(Buffer.from(bytes.subarray(cut.dataStart)).subarray(0, wanted.length)).toEqual(
      Buffer.from(wanted),
    );
  });
});

async function cutPackets(file: Uint8Array, codecs: SoundCodecs, from: number, to: number) {
  const whole = await readSound(file, codecs);
  const track = requireSoundTrack(await openMedia(new MemorySource(file, "e")));
  const shape = whole.info;
  const parts = presentedParts(track, shape.sampleRate / track.timeScale);
  const sink = new MemorySink();
  await writeMovie("m4a", [copiedSound(track, { shape, parts, from, to })], sink);
  return { whole, bytes: sink.bytes() };
}

/** Hashes of the packets of the first track. */
async function packetHashes(file: Uint8Array): Promise<readonly string[]> {
  const hashes: string[] = [];
  const track = requireSoundTrack(await openMedia(new MemorySource(file, "e")));
  for await (const { data } of track.packets()) {
    hashes.push(createHash("md5").update(data).digest("hex"));
  }
  return hashes;
}

/** Energy of the difference between a sound and a part of another one that begins at `from`. */
function differenceAt(cut: readonly Float32Array[], whole: readonly Float32Array[], from: number) {
  let energy = 0;
  for (const [channel, plane] of cut.entries()) {
    for (const [i, sample] of plane.entries()) {
      energy += (sample - (whole[channel]?.[from + i] ?? 0)) ** 2;
    }
  }
  return energy;
}

describe("a part of a sound whose packets are copied", () => {
  const sounds = {
    "aac.m4a": mediaFixture("aac.m4a"),
    "adts.aac": mediaFixture("adts.aac"),
    "alac.m4a": mediaFixture("alac.m4a"),
    "aac-stereo.m4a": codecFixture("aac-stereo.m4a"),
    "aac-51.m4a": codecFixture("aac-51.m4a"),
    "aac-mono.aac": codecFixture("aac-mono.aac"),
    "alac-16.m4a": codecFixture("alac-16.m4a"),
    "alac-24.m4a": codecFixture("alac-24.m4a"),
    "aac-he-v1.aac": codecFixture("aac-he-v1.aac"),
    "aac-he-v2.aac": codecFixture("aac-he-v2.aac"),
  };
  /** Cuts at the beginning, at the end, and at random places. */
  function* cutsOf(frames: number): Generator<readonly [from: number, to: number]> {
    const random = draws(7);
    const draw = (from: number, to: number) =>
      from + Math.floor((random.next().value as number) * (to - from));
    yield [0, draw(1, frames)];
    for (let turn = 0; turn < sizeOf("soundSegments"); turn++) {
      const from = draw(0, frames - 10);
      yield [from, turn === 0 ? frames : draw(from + 1, frames + 1)];
    }
  }

  it.each(Object.entries(sounds))("of %s has its packets and its frames", async (_name, file) => {
    const { frames } = await readSound(file, RULERS);
    const packets = await packetHashes(file);
    for (const [from, to] of cutsOf(frames)) {
      const { whole, bytes } = await cutPackets(file, RULERS, from, to);
      const cut = await readSound(bytes, RULERS);
      expect([cut.info.frames, cut.frames]).toEqual([to - from, to - from]);
      const [first] = cut.planes;
      const at = (sound: typeof cut, i: number) => ruledFrame(sound.planes[0]?.[i] ?? 0);
      const base = at(whole, from) - at(cut, 0);
      // At least one packet comes before the cut, unless the file begins there.
      const packetFrames = whole.info.codec === "alac" ? 4_096 : 1_024;
      expect(base % packetFrames).toBe(0);
      expect(base === 0 || at(whole, from) - base >= packetFrames).toBe(true);
      const isSame = (first ?? []).every((_sample, i) => at(cut, i) + base === at(whole, from + i));
      expect(isSame).toBe(true);
      const copied = await packetHashes(bytes);
      const skipped = base / packetFrames;
      expect(copied).toEqual(packets.slice(skipped, skipped + copied.length));
    }
  });

  it.each(Object.entries(sounds))("of %s decodes to its samples", async (name, file) => {
    const { frames } = await readSound(file, REAL_CODECS);
    for (const [from, to] of cutsOf(frames)) {
      const { whole, bytes } = await cutPackets(file, REAL_CODECS, from, to);
      const cut = await readSound(bytes, REAL_CODECS);
      expect([cut.info.codec, cut.frames, cut.decodeErrors]).toEqual([
        whole.info.codec,
        to - from,
        0,
      ]);
      const difference = differenceAt(cut.planes, whole.planes, from);
      if (name.includes("alac")) {
        expect(difference).toBe(0);
      } else {
        // Noise in AAC is drawn by the decoder, so that no other shift may come nearer.
        const shifted = [-2, -1, 1, 2].map((by) =>
          differenceAt(cut.planes, whole.planes, from + by),
        );
        // A part of silence alone has no difference anywhere.
        expect(difference === 0 || difference < Math.min(...shifted)).toBe(true);
      }
    }
  });
});

describe("the form of parts that are encoded", () => {
  const info = {
    container: "flac",
    codec: "flac",
    sampleRate: 44_100,
    channels: 6,
    bitDepth: 24,
    frames: 10,
  } as const;

  it.each([
    ["flac", 24, { format: "flac", bitDepth: 24, channels: 6 }],
    ["flac", 16, { format: "flac", bitDepth: 16, channels: 6 }],
    ["pcm_s16", 16, { format: "wav", bitDepth: 16, channels: 6 }],
    ["pcm_f32", 32, { format: "wav", bitDepth: 32, channels: 6 }],
    ["mp3", null, { format: "mp3", channels: 2, sampleRate: 44_100 }],
    ["vorbis", null, { format: "ogg", channels: 2, sampleRate: 48_000 }],
    ["opus", null, { format: "ogg", channels: 2, sampleRate: 48_000 }],
  ])("%s of %s bits keeps", (codec, bitDepth, kept) => {
    expect(splitFormat({ format: "source" }, { ...info, codec, bitDepth })).toMatchObject(kept);
  });

  it("is refused where bits would be lost", () => {
    expect(() => splitFormat({ format: "source" }, { ...info, bitDepth: 32 })).toThrow(
      expect.objectContaining({ code: "MEDIA_PARAMETERS_UNSUPPORTED" }),
    );
  });
});
