/**
 * Every kind of PCM of a WAV, in samples that its definition has; the length of an M4A that only iTunes' note states; and the track
 * that is read of several.
 */
import { expect, test } from "vitest";
import {
  box,
  editedBox,
  parseBoxes,
  type TestBox,
  withBox,
  writeBoxes,
} from "../../../support/media/box-file.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { ruledFrame, RULERS } from "../../../support/media/rulers.ts";
import { SIGNAL_FRAMES } from "../../../support/media/test-signal.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

/** The first codes of the tables of ITU-T G.711, and those at the ends of their segments, as integers of 16 bits. */
const ALAW = {
  0x00: -5_504,
  0x01: -5_248,
  0x02: -6_016,
  0x03: -5_760,
  0x04: -4_480,
  0x2a: -32_256,
  0x55: -8,
  0x80: 5_504,
  0xaa: 32_256,
  0xd5: 8,
};
const MULAW = {
  0x00: -32_124,
  0x01: -31_100,
  0x02: -30_076,
  0x03: -29_052,
  0x0f: -16_764,
  0x10: -15_996,
  0x7f: 0,
  0x80: 32_124,
  0xff: 0,
};

function bytesOf(
  values: readonly number[],
  size: number,
  write: (view: DataView, at: number, value: number) => void,
) {
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => write(view, i * size, value));
  return bytes;
}

const ofCodes = (table: Readonly<Record<number, number>>, tag: number, codec: string) => ({
  codec,
  fields: { tag, bits: 8, samples: Uint8Array.from(Object.keys(table), Number) },
  samples: Object.values(table).map((value) => value / 32_768),
});

const KINDS = [
  {
    codec: "pcm_u8",
    fields: { bits: 8, samples: Uint8Array.of(0, 64, 128, 255) },
    samples: [-1, -0.5, 0, 127 / 128],
  },
  {
    codec: "pcm_s16",
    fields: {
      bits: 16,
      samples: bytesOf([-32_768, 1, 32_767], 2, (v, at, x) => v.setInt16(at, x, true)),
    },
    samples: [-1, 1 / 32_768, 32_767 / 32_768],
  },
  {
    codec: "pcm_s24",
    fields: { bits: 24, samples: Uint8Array.of(0, 0, 0x80, 1, 0, 0, 0xff, 0xff, 0x7f) },
    samples: [-1, 1 / 8_388_608, 8_388_607 / 8_388_608],
  },
  {
    codec: "pcm_s32",
    fields: {
      bits: 32,
      samples: bytesOf([-(2 ** 31), 2 ** 30, 2 ** 8], 4, (v, at, x) => v.setInt32(at, x, true)),
    },
    samples: [-1, 0.5, 2 ** -23],
  },
  {
    codec: "pcm_f32",
    fields: {
      tag: 3,
      bits: 32,
      samples: bytesOf([-1.5, 0.1, 2 ** -20], 4, (v, at, x) => v.setFloat32(at, x, true)),
    },
    samples: [-1.5, Math.fround(0.1), 2 ** -20],
  },
  {
    codec: "pcm_f64",
    fields: {
      tag: 3,
      bits: 64,
      samples: bytesOf([-1.5, 0.1, 2 ** -20], 8, (v, at, x) => v.setFloat64(at, x, true)),
    },
    samples: [-1.5, Math.fround(0.1), 2 ** -20],
  },
  ofCodes(ALAW, 6, "pcm_alaw"),
  ofCodes(MULAW, 7, "pcm_mulaw"),
];

test.each(KINDS)("a WAV of $codec has its samples, also as an extensible one", async (kind) => {
  const { codec, fields, samples } = kind;
  const { tag = 1 } = fields as { readonly tag?: number };
  for (const form of [{ tag }, { subtype: tag }]) {
    // oxlint-disable-next-line no-await-in-loop -- two files
    const sound = await readSound(wavFile({ ...fields, ...form, channels: 1 }), DECODERS);
    expect(sound.info).toMatchObject({ container: "wav", codec, channels: 1 });
    expect([...(sound.planes[0] ?? [])].map((x) => x + 0)).toEqual(samples.map((x) => x + 0));
  }
});

/** The note of iTunes: the delay, the padding and the length, in hexadecimal. */
function itunesNote(delay: number, padding: number, frames: number): Buffer {
  const hex = (value: number, digits: number) =>
    value.toString(16).toUpperCase().padStart(digits, "0");
  const words = [hex(0, 8), hex(delay, 8), hex(padding, 8), hex(frames, 16), hex(0, 8)];
  const flagged = (text: string, head = 4) =>
    Buffer.concat([Buffer.alloc(head), Buffer.from(text)]);
  const note = Buffer.concat([
    box("mean", flagged("com.apple.iTunes")),
    box("name", flagged("iTunSMPB")),
    box("data", flagged(` ${words.join(" ")}`, 8)),
  ]);
  return box("meta", Buffer.concat([Buffer.alloc(4), box("ilst", box("----", note))]));
}

test("an M4A without an edit list has the length of iTunes' note, and without that all samples", async () => {
  const bare = ["moov/trak/edts", "moov/udta"].reduce(
    (file, path) => editedBox(file, path, () => undefined),
    mediaFixture("aac.m4a") as Uint8Array,
  );
  const all = await readSound(bare, RULERS);
  expect(all.frames).toBeGreaterThan(SIGNAL_FRAMES);
  expect(ruledFrame(all.planes[0]?.[0] ?? 0)).toBe(0);
  const padding = all.frames - 1_024 - SIGNAL_FRAMES;
  expect(padding).toBeGreaterThanOrEqual(0);
  const noted = editedBox(bare, "moov", (moov) =>
    Buffer.concat([moov, box("udta", itunesNote(1_024, padding, SIGNAL_FRAMES))]),
  );
  const sound = await readSound(noted, RULERS);
  expect([sound.info.frames, sound.frames]).toEqual([SIGNAL_FRAMES, SIGNAL_FRAMES]);
  expect(ruledFrame(sound.planes[0]?.[0] ?? 0)).toBe(1_024);
  // A note that is none.
  const wrong = editedBox(bare, "moov", (moov) =>
    Buffer.concat([moov, box("udta", itunesNote(1_024, padding, 0))]),
  );
  expect((await readSound(wrong, RULERS)).frames).toBe(all.frames);
});

test("of two tracks of sound the first one is read", async () => {
  const boxes = parseBoxes(mediaFixture("aac.m4a"));
  const moov = boxes.find(({ type }) => type === "moov")?.content ?? [];
  const [trak] = (moov as readonly TestBox[]).filter(({ type }) => type === "trak");
  const [whole] = withBox([trak as TestBox], "trak/edts", () => undefined);
  const framesOf = async (...tracks: readonly (TestBox | undefined)[]) => {
    const bytes = writeBoxes(
      withBox(boxes, "moov", (content) =>
        writeBoxes([
          ...parseBoxes(content).filter(({ type }) => type !== "trak"),
          ...(tracks as readonly TestBox[]),
        ]),
      ),
    );
    return (await readSound(Uint8Array.from(bytes), RULERS)).frames;
  };
  expect(await framesOf(trak, whole)).toBe(SIGNAL_FRAMES);
  expect(await framesOf(whole, trak)).toBeGreaterThan(SIGNAL_FRAMES);
});
