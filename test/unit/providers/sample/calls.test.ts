/** docs/contract/sample-provider.md: the sample models as a provider is called. */
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type ModelSound, STEM_NAMES } from "../../../../src/contracts/models/model-calls.ts";
import { rasterPicture } from "../../../../src/images/raster/raster.ts";
import { resamplePicture } from "../../../../src/images/raster/resample-picture.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import type { ProviderIo } from "../../../../src/providers/provider.ts";
import { sample } from "../../../../src/providers/sample/sample.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { TINY } from "../../../support/models/referenced-models.ts";
import { wavFile } from "../../../support/media/wav-file.ts";
import { soundOf } from "../../../support/models/sound-of.ts";

const IO: ProviderIo = {
  key: "el-0",
  attempt: 1,
  signal: new AbortController().signal,
  nowMs: () => 0,
  holding: () => undefined,
  kept: (_name: string, read: () => Promise<string>) => read(),
  openPicture: async ({ bytes }, scale = 1) => {
    const { data, info } = await sharp(bytes)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const picture = rasterPicture({ rgba: new Uint8ClampedArray(data), width, height });
    const to = { width: width * scale, height: height * scale };
    return resamplePicture(imageCodecs.pixels, picture, to);
  },
  pixels: imageCodecs.pixels,
  send: () => Promise.reject(new Error("The sample provider sends nothing.")),
  sendTo: () => Promise.reject(new Error("no network here")),
  place: () => "",
  fetchFile: () => Promise.reject(new Error("The sample provider fetches nothing.")),
};
const { calls } = sample;

async function joined(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (bytes instanceof Uint8Array) {
    return Buffer.from(bytes);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

async function squareOn(background: string) {
  const square = await sharp({
    create: { width: 20, height: 20, channels: 3, background: "#c02020" },
  })
    .png()
    .toBuffer();
  const bytes = await sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .composite([{ input: square, left: 20, top: 10 }])
    .png()
    .toBuffer();
  return { contentType: "image/png", bytes } as const;
}

const wavOf = (bytes: Uint8Array, changes: Partial<ModelSound> = {}): ModelSound =>
  soundOf(new MemorySource(bytes, "etag"), 1, changes);

async function spoken(changes: object = {}): Promise<Buffer> {
  const request = { text: "Hello, you!", voice: null, language: null, speed: null, pitch: null };
  const made = await calls.text_to_speech!(
    TINY,
    { ...request, emotion: null, parameters: {}, ...changes },
    IO,
  );
  return await joined(made.bytes);
}

describe("the sample pictures of pictures", () => {
  test("a cutout is a PNG of the picture's size that says that it is a sample", async () => {
    const image = await squareOn("#ffffff");
    const made = await calls.background_removal!(TINY, { image, parameters: {} }, IO);
    expect([made.contentType, made.size]).toEqual(["image/png", { width: 60, height: 40 }]);
    const png = await joined(made.bytes);
    expect(png.includes("Edgeloom sample provider")).toBe(true);
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([60, 40, 4]);
    const alphaAt = (x: number, y: number) => data[(y * 60 + x) * 4 + 3];
    expect([alphaAt(0, 0), alphaAt(30, 20)]).toEqual([0, 255]);
  });

  test.each([2, 4] as const)("an enlarged picture has %i times the size", async (scale) => {
    const image = await squareOn("#ffffff");
    const size = { width: 60 * scale, height: 40 * scale };
    const made = await calls.image_upscale!(TINY, { image, scale, size, parameters: {} }, IO);
    expect(made.size).toEqual(size);
    expect(await sharp(await joined(made.bytes)).metadata()).toMatchObject(size);
  });
});

describe("the sample voice", () => {
  test("speaks with the voice mid at its own speed and pitch unless others are requested", async () => {
    const usual = await spoken();
    expect(usual.equals(await spoken({ voice: "mid", speed: 1, pitch: 0 }))).toBe(true);
    expect(usual.equals(await spoken({ voice: "low" }))).toBe(false);
    // 44 bytes of header, 48 for each millisecond: 8 letters, a space and two marks.
    expect(usual.length).toBe(44 + 48 * (8 * 60 + 120 + 2 * 250));
    expect((await spoken({ speed: 2 })).length).toBe(44 + 48 * 550);
  });
});

describe("the sample transcript and the sample stems", () => {
  test("hear a passage between the silences", async () => {
    const wav = await spoken({ text: "one ...... two" });
    const request = { sound: wavOf(wav), language: null, parameters: {} };
    const answer = await calls.speech_to_text!(TINY, request, IO);
    expect(answer.passages.map(({ text }) => text)).toEqual(["[sample] sound", "[sample] sound"]);
    expect(answer.text).toBe("[sample] sound [sample] sound");
  });

  test("make four files in step that sum to the sound", async () => {
    const wav = await spoken();
    const request = { sound: wavOf(wav), parameters: {} };
    const { stems } = await calls.stem_separation!(TINY, request, IO);
    const files = await Promise.all(STEM_NAMES.map((name) => joined(stems[name])));
    const frames = (wav.length - 44) / 2;
    expect(files.map(({ length }) => length)).toEqual(files.map(() => 58 + frames * 4));
    for (let at = 0; at < frames; at += 97) {
      const sum = files.reduce((all, file) => all + file.readFloatLE(58 + at * 4), 0);
      expect(sum).toBeCloseTo(wav.readInt16LE(44 + at * 2) / 32_768, 4);
    }
  });

  const failureOf = async (bytes: Uint8Array) => {
    const request = { sound: wavOf(bytes), language: null, parameters: {} };
    const heard = calls.speech_to_text!(TINY, request, IO);
    const separated = calls.stem_separation!(TINY, request, IO).then(({ stems }) =>
      Promise.all(STEM_NAMES.map((name) => joined(stems[name]))),
    );
    const ends = await Promise.allSettled([heard, separated]);
    return ends.map((end) =>
      end.status === "rejected" && end.reason instanceof NodeError ? end.reason.code : end.status,
    );
  };

  test("refuse a file that nobody can decode, and one that ends early", async () => {
    const wav = await spoken();
    expect(await failureOf(Buffer.from("fLaC and so on, up to the end"))).toEqual([
      "AUDIO_UNREADABLE",
      "AUDIO_UNREADABLE",
    ]);
    expect(await failureOf(wav.subarray(0, wav.length - 10))).toEqual([
      "AUDIO_UNREADABLE",
      "AUDIO_UNREADABLE",
    ]);
  });

  describe("read samples that the service decodes", () => {
    const FRAMES = 24_000;
    const samples = Float32Array.from({ length: FRAMES * 2 }, (_, at) => Math.sin(at / 9) / 2);
    /** In pieces that end within a sample. */
    const decoded = (bytes = new Uint8Array(samples.buffer)): Partial<ModelSound> => ({
      decode: () =>
        Promise.resolve({
          sampleRate: 24_000,
          channels: 2,
          frames: FRAMES,
          samples: (async function* () {
            for (let at = 0; at < bytes.length; at += 4_099) {
              // oxlint-disable-next-line no-await-in-loop -- as they would arrive
              yield await Promise.resolve(bytes.subarray(at, at + 4_099));
            }
          })(),
        }),
    });
    const none = Buffer.from("fLaC and so on");

    test.each([
      ["of another format", none, { format: "flac" as const }],
      // A-law.
      ["of a WAV of another kind", Buffer.from(wavFile({ tag: 6, bits: 8 })), {}],
    ])("%s", async (_name, bytes, changes) => {
      const sound = wavOf(bytes, { ...decoded(), ...changes });
      const heard = await calls.speech_to_text!(
        TINY,
        { sound, language: null, parameters: {} },
        IO,
      );
      expect(heard.passages).toEqual([{ start: 0, end: 1, text: "[sample] sound" }]);
      const { stems } = await calls.stem_separation!(TINY, { sound, parameters: {} }, IO);
      const files = await Promise.all(STEM_NAMES.map((name) => joined(stems[name])));
      expect(files.map(({ length }) => length)).toEqual(files.map(() => 58 + FRAMES * 8));
      for (let at = 0; at < FRAMES * 2; at += 97) {
        const sum = files.reduce((all, file) => all + file.readFloatLE(58 + at * 4), 0);
        expect(sum).toBeCloseTo(samples[at]!, 4);
      }
    });

    test("and refuse those that end early, and what the service does not decode", async () => {
      const short = decoded(new Uint8Array(samples.buffer, 0, 100_000));
      const of = (changes: Partial<ModelSound>) =>
        calls.speech_to_text!(
          TINY,
          { sound: wavOf(none, { format: "mp3", ...changes }), language: null, parameters: {} },
          IO,
        );
      await expect(of(short)).rejects.toMatchObject({ code: "AUDIO_UNREADABLE" });
      await expect(of({})).rejects.toMatchObject({ code: "AUDIO_UNREADABLE" });
    });
  });

  describe("end the decoding of a sound", () => {
    /** Samples that are decoded on request; `ends` says how that ended. */
    const decoding = (frames: number) => {
      const ends: string[] = [];
      let left = 10;
      const stream = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (left-- > 0) {
              controller.enqueue(new Uint8Array(2_400 * 8));
            } else {
              ends.push("read to its end");
              controller.close();
            }
          },
          cancel() {
            ends.push("canceled");
          },
        },
        { highWaterMark: 0 },
      );
      const shape = { sampleRate: 24_000, channels: 2, frames };
      const decode = () => Promise.resolve({ ...shape, samples: stream });
      return { ends, sound: wavOf(Buffer.from("fLaC"), { format: "flac", decode }) };
    };
    const FRAMES = 24_000;

    test("that is too large for stems", async () => {
      const { sound, ends } = decoding(1e9);
      const separated = calls.stem_separation!(TINY, { sound, parameters: {} }, IO);
      await expect(separated).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
      expect(ends).toEqual(["canceled"]);
    });

    test.each([0, 1, 3])("when the call is aborted after %i blocks of stems", async (blocks) => {
      const { sound, ends } = decoding(FRAMES);
      const stop = new AbortController();
      const io = { ...IO, signal: stop.signal };
      const { stems } = await calls.stem_separation!(TINY, { sound, parameters: {} }, io);
      const files = STEM_NAMES.map((name) => stems[name][Symbol.asyncIterator]());
      for (let i = 0; i < blocks; i++) {
        // oxlint-disable-next-line no-await-in-loop -- in step
        await Promise.all(files.map((file) => file.next()));
      }
      expect(ends).toEqual([]);
      stop.abort(new Error("An upload failed."));
      await expect.poll(() => ends).toEqual(["canceled"]);
    });

    test("whose frames have all been read", async () => {
      const heard = decoding(FRAMES);
      const request = { sound: heard.sound, language: null, parameters: {} };
      await calls.speech_to_text!(TINY, request, IO);
      expect(heard.ends).toEqual(["canceled"]);
      const split = decoding(FRAMES);
      const { stems } = await calls.stem_separation!(
        TINY,
        { sound: split.sound, parameters: {} },
        IO,
      );
      await Promise.all(STEM_NAMES.map((name) => joined(stems[name])));
      expect(split.ends).toEqual(["canceled"]);
    });

    test("that has fewer frames than it should", async () => {
      const { sound, ends } = decoding(FRAMES + 1);
      const { stems } = await calls.stem_separation!(TINY, { sound, parameters: {} }, IO);
      const files = Promise.all(STEM_NAMES.map((name) => joined(stems[name])));
      await expect(files).rejects.toMatchObject({ code: "AUDIO_UNREADABLE" });
      expect(ends).toEqual(["read to its end"]);
    });
  });

  test("stems that would be larger than a stored file are refused before anything is computed", async () => {
    const wav = await spoken();
    // The header says 200 MB of 16-bit samples.
    wav.writeUInt32LE(200 * 1024 * 1024, 40);
    expect(await failureOf(wav)).toEqual(["AUDIO_UNREADABLE", "FILE_TOO_LARGE"]);
  });

  test("stop when the call is aborted", async () => {
    const stop = new AbortController();
    const request = { sound: wavOf(await spoken()), parameters: {} };
    const { stems } = await calls.stem_separation!(TINY, request, { ...IO, signal: stop.signal });
    const files = Promise.all(STEM_NAMES.map((name) => joined(stems[name])));
    stop.abort(new Error("The run was cancelled."));
    await expect(files).rejects.toThrow("The run was cancelled.");
  });
});
