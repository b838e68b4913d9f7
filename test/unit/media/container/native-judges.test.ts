/** Other readers agree with what is written: ffmpeg, sox, flac and opus-tools, each where it is installed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SOUND_FORMAT_ENTRIES } from "../../../../src/contracts/media/sound-formats.ts";
import { createSoundWriter } from "../../../../src/media/container/sound-writer.ts";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import { roundBlock } from "../../../../src/media/dsp/rounding.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import {
  decodedByFfmpeg,
  HAS_FFMPEG,
  HAS_FLAC,
  HAS_OPUS_TOOLS,
  HAS_SOX,
  judge,
  probedByFfmpeg,
  signalToNoise,
} from "../../../support/media/native-sound.ts";
import { soundEncoders } from "../../../support/media/sound-encoders.ts";
import { formatOf, tones, triedRates, writeSound } from "../../../support/media/written-sound.ts";
import { sizeOf } from "../../../support/sizes.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sound-judges-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The lowest ratio of a tone to what a codec adds, in dB, at the default bit rates. */
const FLOORS = { mp3: 18, m4a: 18, ogg: 18 } as const;

const every = (["wav", "flac", "mp3", "m4a", "ogg"] as const).flatMap((name) =>
  triedRates(name).flatMap((rate) =>
    ([1, 2] as const).flatMap((channels) =>
      (SOUND_FORMAT_ENTRIES[name].bitDepths.length > 0
        ? SOUND_FORMAT_ENTRIES[name].bitDepths
        : [undefined]
      ).map((bitDepth) => ({ name, rate, channels, bitDepth })),
    ),
  ),
);
const cases = every.filter((_, index) => index % sizeOf("writtenSoundStride") === 0);

async function written(one: (typeof every)[number], frames: number) {
  const sound = tones(one.rate, one.channels, frames);
  const format = formatOf(one.name, one.rate, one.channels, { bitDepth: one.bitDepth });
  const { bytes } = await writeSound(format, sound);
  const path = join(
    folder,
    `${one.rate}-${one.channels}-${String(one.bitDepth)}-${frames}.${one.name}`,
  );
  writeFileSync(path, bytes);
  return { sound, path, format };
}

describe("written sounds", () => {
  it.skipIf(!HAS_FFMPEG)("have the samples that ffmpeg decodes, without a word", async () => {
    expect(cases.length).toBeGreaterThan(10);
    const files: { sound: AudioBlock; path: string; bitDepth: number | null }[] = [];
    for (const one of cases) {
      const { sound, path, format } = await written(one, Math.round(one.rate * 0.7) + 11);
      files.push({ sound, path, bitDepth: format.bitDepth });
    }
    const decoded = decodedByFfmpeg(files.map(({ path }) => path));
    for (const [index, one] of cases.entries()) {
      const { sound, path, bitDepth } = files[index]!;
      const frames = sound[0]?.length ?? 0;
      const name = JSON.stringify(one);
      const { rate, planes: found } = decoded[index]!;
      expect([rate, found.length], name).toEqual([one.rate, one.channels]);
      if (one.name === "m4a") {
        expect(probedByFfmpeg(path), name).toMatchObject({ duration_ts: frames, start_pts: 0 });
      }
      // ffmpeg does not cut the end of an edit list within a packet, in its own files neither.
      const padded = one.name === "m4a" ? Math.ceil(frames / 1_024) * 1_024 : frames;
      expect(
        found.map(({ length }) => length),
        name,
      ).toEqual(sound.map(() => padded));
      sound.forEach((samples, channel) => {
        const copy = (found[channel] ?? new Float32Array()).subarray(0, frames);
        if (one.name !== "wav" && one.name !== "flac") {
          expect(signalToNoise(samples, copy), name).toBeGreaterThan(FLOORS[one.name]);
          return;
        }
        const expected = new Int32Array(frames);
        const depth = bitDepth === 24 ? 24 : 16;
        roundBlock([samples], depth, expected);
        const isExact = copy.every((value, i) =>
          bitDepth === 32 ? value === samples[i] : value * 2 ** (depth - 1) === (expected[i] ?? 0),
        );
        expect(isExact, name).toBe(true);
      });
    }
  });

  it.skipIf(!HAS_FLAC)("of FLAC pass the test of the flac program", async () => {
    const paths: string[] = [];
    for (const one of every.filter(({ name }) => name === "flac")) {
      for (const frames of [1, 4_096, 10_001]) {
        paths.push((await written(one, frames)).path);
      }
    }
    judge("flac", "-t", "-s", ...paths);
  });

  it.skipIf(!HAS_SOX)(
    "of WAV and FLAC have the length that sox finds, without a word",
    async () => {
      const paths: string[] = [];
      const alike = new Map<string, string[]>();
      for (const one of cases.filter(({ name }) => name === "wav" || name === "flac")) {
        const { path } = await written(one, 5_001);
        paths.push(path);
        const shape = `${one.rate} ${one.channels}`;
        alike.set(shape, [...(alike.get(shape) ?? []), path]);
      }
      const lengths = judge("sox", "--i", "-s", ...paths)
        .toString()
        .trim()
        .split("\n");
      expect(lengths.slice(0, paths.length)).toEqual(paths.map(() => "5001"));
      // It reads sounds of one rate one after another.
      for (const files of alike.values()) {
        judge("sox", ...files, "-n");
      }
    },
  );

  it.skipIf(!HAS_OPUS_TOOLS)(
    "of Opus by our encoder pass opusinfo, with their length",
    async () => {
      for (const one of every.filter(({ name }) => name === "ogg")) {
        for (const frames of [1, 960, 48_000, 123_457]) {
          const { path } = await written(one, frames);
          const shown = judge("opusinfo", path).toString();
          expect(shown).not.toMatch(/WARNING|ERROR/);
          judge("opusdec", "--quiet", "--rate", "48000", path, `${path}.wav`);
          expect((readFileSync(`${path}.wav`).byteLength - 44) / 2 / one.channels).toBe(frames);
        }
      }
    },
  );

  it.skipIf(!HAS_OPUS_TOOLS)(
    "of Opus have the length and the pages that opus-tools find",
    async () => {
      for (const frames of [1, 959, 960, 48_000, 123_457]) {
        const path = join(folder, `${frames}.ogg`);
        writeFileSync(path, await remuxed(frames));
        const shown = judge("opusinfo", path).toString();
        expect(shown).toContain("Pre-skip: 312");
        expect(shown).not.toMatch(/WARNING|ERROR/);
        judge("opusdec", "--quiet", "--rate", "48000", path, `${path}.wav`);
        const { byteLength } = readFileSync(`${path}.wav`);
        expect((byteLength - 44) / 4).toBe(frames);
      }
    },
  );
});

/** Opus that opusenc has encoded, taken out of its pages and written into ours. */
async function remuxed(frames: number): Promise<Uint8Array> {
  const sound = tones(48_000, 2, frames);
  const input = join(folder, "in.wav");
  writeFileSync(input, (await writeSound(formatOf("wav", 48_000, 2), sound)).bytes);
  judge("opusenc", "--quiet", "--bitrate", "128", input, join(folder, "out.opus"));
  const [config = new Uint8Array(), , ...packets] = packetsOf(
    readFileSync(join(folder, "out.opus")),
  );
  const opus = () => ({
    frameSize: 960,
    priming: new DataView(config.buffer, config.byteOffset).getUint16(10, true),
    config,
    encode: () => [],
    end: () => packets.map((data) => ({ data, frames: 960 })),
    close: () => undefined,
    memoryBytes: 0,
  });
  const sink = new MemorySink();
  const writer = createSoundWriter(formatOf("ogg", 48_000, 2), sink, { ...soundEncoders, opus });
  await writer.write(sound);
  await writer.end();
  return sink.bytes();
}

/** The packets of an Ogg file with one stream. */
function packetsOf(file: Buffer): Uint8Array[] {
  const packets: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  for (let at = 0; at < file.byteLength;) {
    const segments = file[at + 26] ?? 0;
    let body = at + 27 + segments;
    for (let i = 0; i < segments; i++) {
      const size = file[at + 27 + i] ?? 0;
      open.push(file.subarray(body, body + size));
      body += size;
      if (size < 255) {
        packets.push(Uint8Array.from(Buffer.concat(open)));
        open = [];
      }
    }
    at = body;
  }
  return packets;
}
