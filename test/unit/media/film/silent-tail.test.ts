/** Copied AAC that ends before its video: silence follows from the sample on at which the sound ends, in every decoder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { AudioBlock, SoundShape } from "../../../../src/media/audio-block.ts";
import { FfmpegSoundDecoder } from "../../../../src/media/codec/ffmpeg/sound-decoder.ts";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import { copiedTrack } from "../../../../src/media/container/movie-writer.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { copiedAac } from "../../../../src/media/film/copied-sound.ts";
import { madeSound } from "../../../../src/media/film/made-sound.ts";
import type { AacCodecs } from "../../../../src/media/film/silent-tail.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { listPackets, openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import {
  decodedByFfmpeg,
  HAS_FFMPEG,
  probedByFfmpeg,
} from "../../../support/media/native-sound.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { compiledCodec, soundEncoders } from "../../../support/media/sound-encoders.ts";

const ffmpegSound = compiledCodec("ffmpeg/sound.wasm");
const CODECS: AacCodecs = {
  encoder: (shape, bitrateKbps) => soundEncoders.aac(shape, bitrateKbps),
  decoder: ({ config, sampleRate, channels }) =>
    new FfmpegSoundDecoder(ffmpegSound, { codec: "aac", config, sampleRate, channels }),
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "silent-tail-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const PACKET = 1_024;
const VIDEO = codecFixture("h264-b-frames.mp4");

/** Two voices that begin and end all the time, at up to half of full scale. */
function programme({ sampleRate, channels }: SoundShape, frames: number): AudioBlock {
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_sample, at) => {
      const seconds = at / sampleRate;
      const low = Math.sin(2 * Math.PI * (220 + 90 * channel) * seconds);
      const high = Math.sin(2 * Math.PI * 1_900 * seconds) * (at % 7_000 < 2_500 ? 1 : 0.2);
      return 0.3 * low + 0.2 * high;
    }),
  );
}

/** An M4A of a programme of which only the first frames are presented: what follows them is as loud as they are. */
async function hiddenEnd(shape: SoundShape, frames: number, presented: number) {
  const format = { ...shape, format: "m4a" as const, bitrateKbps: 96, bitDepth: null };
  const samples = programme(shape, frames);
  const blocks = async function* () {
    for (let at = 0; at < frames; at += PACKET) {
      yield samples.map((plane) => plane.slice(at, at + PACKET));
    }
  };
  const track = madeSound({ format, hasEdits: true, frames, blocks }, soundEncoders);
  const start = track.edits[0]?.start ?? 0;
  return await writtenMovie("m4a", [{ ...track, edits: [{ start, duration: presented }] }]);
}

/** Every sample that the packets of a track decode to, before its edits. */
async function decodedAll(track: MediaTrack): Promise<AudioBlock> {
  const shape = track.sound ?? { sampleRate: 0, channels: 0 };
  const decoder = CODECS.decoder({ codec: "aac", config: track.config, ...shape });
  const blocks: AudioBlock[] = [];
  for await (const { data } of track.packets()) {
    blocks.push((decoder.decode(data) ?? []).map((plane) => plane.slice()));
  }
  decoder.close();
  return Array.from({ length: shape.channels }, (_, channel) => {
    const planes = blocks.map((block) => block[channel] ?? new Float32Array());
    const joined = new Float32Array(planes.reduce((sum, plane) => sum + plane.length, 0));
    let at = 0;
    for (const plane of planes) {
      joined.set(plane, at);
      at += plane.length;
    }
    return joined;
  });
}

function level(planes: AudioBlock, from: number, to: number): number {
  let [energy, count] = [0, 0];
  for (const plane of planes) {
    for (const sample of plane.subarray(from, to)) {
      energy += sample * sample;
      count++;
    }
  }
  return 10 * Math.log10(energy / count + 1e-20);
}

/** Level of the difference of a copy to its source, in dB below the source. */
function kept(source: AudioBlock, copy: AudioBlock, from: number, to: number): number {
  const difference = source.map((plane, channel) =>
    plane.slice(from, to).map((sample, i) => sample - (copy[channel]?.[from + i] ?? 0)),
  );
  return level(source, from, to) - level(difference, 0, to - from);
}

const SECONDS = 2;
const MONO = { sampleRate: 44_100, channels: 1 };
const STEREO = { sampleRate: 48_000, channels: 2 };

/** The sound beside a video of two seconds. */
async function mixed(source: Uint8Array<ArrayBuffer>) {
  const given = requireSoundTrack(await openBytes(source));
  const continued = await copiedAac(given, SECONDS, CODECS);
  if (continued === undefined) {
    throw new Error("The sound was not continued.");
  }
  const video = copiedTrack(requireVideoTrack(await openBytes(VIDEO)));
  const bytes = await writtenMovie("mp4", [video, continued]);
  return { given, sound: requireSoundTrack(await openBytes(bytes)) };
}

describe("copied AAC that is shorter than its video", () => {
  // The end lies within a packet, at its first tick, one tick before and after, and in the middle.
  test.each([
    [MONO, 30_000],
    [MONO, 29 * PACKET],
    [MONO, 29 * PACKET - 1],
    [STEREO, 29 * PACKET + 1],
    [STEREO, 60_500],
  ])(
    "is copied up to its end, silent from there on, and as long as the video: %o, %i frames",
    async (shape, presented) => {
      const { given, sound } = await mixed(await hiddenEnd(shape, 70_000, presented));
      const [edit] = given.edits;
      const start = edit?.start ?? 0;
      const end = start + presented;
      expect(sound.edits).toEqual([{ start, duration: SECONDS * shape.sampleRate }]);
      const [source, copy] = [await listPackets(given), await listPackets(sound)];
      const copied = copy.findIndex(({ md5 }, index) => md5 !== source[index]?.md5);
      expect(copied * PACKET).toBeGreaterThan(end - 9 * PACKET);
      expect(copy.map(({ pts }) => pts)).toEqual(copy.map((_, index) => index * PACKET));
      expect(copy).toHaveLength(Math.ceil((start + SECONDS * shape.sampleRate) / PACKET));
      const [before, after] = [await decodedAll(given), await decodedAll(sound)];
      // Measured: 42 to 62 dB; 28 dB and less where the halves of the joint differ.
      expect(kept(before, after, (copied - 2) * PACKET, end)).toBeGreaterThan(35);
      // The source goes on at -13 dB. The codec rings for a fraction of a packet, and then there is nothing.
      expect(level(before, end, end + PACKET)).toBeGreaterThan(-20);
      expect(level(after, end, end + PACKET)).toBeLessThan(-55);
      expect(after.every((plane) => plane.slice(end + 2 * PACKET).every((x) => x === 0))).toBe(
        true,
      );
    },
  );

  test("is encoded again where it cannot be continued", async () => {
    const seconds = 100;
    const track = requireSoundTrack(await openBytes(mediaFixture("aac.m4a")));
    const [edit] = track.edits;
    const pause = { start: null, duration: 1_000 };
    expect(await copiedAac(track, seconds, CODECS)).toBeDefined();
    expect(await copiedAac({ ...track, timeScale: 1_000 }, seconds, CODECS)).toBeUndefined();
    for (const name of ["aac-he-v1.aac", "aac-he-v2.aac", "aac-51.m4a"]) {
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const other = requireSoundTrack(await openBytes(codecFixture(name)));
      // oxlint-disable-next-line no-await-in-loop -- file after file
      expect(await copiedAac(other, seconds, CODECS), name).toBeUndefined();
    }
    const paused = { ...track, edits: [...track.edits, pause] };
    expect(await copiedAac(paused, seconds, CODECS)).toBeUndefined();
    const few = { ...track, edits: [{ start: edit?.start ?? 0, duration: 1_500 }] };
    expect(await copiedAac(few, seconds, CODECS)).toBeUndefined();
    const damaged: MediaTrack = {
      ...track,
      async *packets(range) {
        for await (const packet of track.packets(range)) {
          yield { ...packet, data: packet.data.map((byte) => byte ^ 0x5a) };
        }
      },
    };
    expect(await copiedAac(damaged, seconds, CODECS)).toBeUndefined();
  });

  it.skipIf(!HAS_FFMPEG)("is as long as the video and silent at its end for ffmpeg", async () => {
    const presented = 60_500;
    const source = await hiddenEnd(STEREO, 70_000, presented);
    for (const [name, file] of [
      ["hidden", source],
      ["fixture", mediaFixture("aac.m4a")],
      ["adts", mediaFixture("adts.aac")],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const { sound } = await mixed(file);
      const { sampleRate } = sound.sound ?? STEREO;
      const path = join(folder, `${name}.m4a`);
      // oxlint-disable-next-line no-await-in-loop -- film after film
      writeFileSync(path, await writtenMovie("m4a", [copiedTrack(sound)]));
      expect(probedByFfmpeg(path)).toMatchObject({ codec_name: "aac", duration: "2.000000" });
      const [decoded] = decodedByFfmpeg([path]);
      const frames = decoded?.planes[0]?.length ?? 0;
      // ffmpeg decodes the last packet to its end.
      expect(frames - SECONDS * sampleRate, name).toBeGreaterThanOrEqual(0);
      expect(frames - SECONDS * sampleRate, name).toBeLessThan(PACKET);
      if (name === "hidden") {
        const planes = decoded?.planes ?? [];
        expect(level(planes, presented - PACKET, presented)).toBeGreaterThan(-20);
        expect(level(planes, presented, presented + PACKET)).toBeLessThan(-55);
        expect(level(planes, presented + 2 * PACKET, frames)).toBeLessThan(-199);
      }
    }
  });
});
