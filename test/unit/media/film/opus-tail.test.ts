/** Copied Opus that ends before its video: silence follows from the sample on at which the sound ends, in every decoder. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import { OpusDecoder } from "../../../../src/media/codec/opus-decoder.ts";
import type { MediaPacket, MediaTrack } from "../../../../src/media/container/media-track.ts";
import { copiedTrack } from "../../../../src/media/container/movie-writer.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { copiedOpus } from "../../../../src/media/film/copied-sound.ts";
import { madeSound } from "../../../../src/media/film/made-sound.ts";
import type { OpusCodecs } from "../../../../src/media/film/opus-tail.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { listPackets, openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import {
  decodedByFfmpeg,
  HAS_FFMPEG,
  probedByFfmpeg,
} from "../../../support/media/native-sound.ts";
import { DECODERS, mediaFixture, MODULES } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { noise } from "../../../support/media/signals.ts";
import { soundEncoders } from "../../../support/media/sound-encoders.ts";

const CODECS: OpusCodecs = {
  encoder: (channels, kbps) => soundEncoders.opus({ sampleRate: RATE, channels }, kbps),
  decoder: (config) => new OpusDecoder(MODULES.opus, config),
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "opus-tail-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RATE = 48_000;
const PACKET = 960;
const PRE_SKIP = 312;
const SECONDS = 2;

/** Two voices that begin and end all the time, and noise, at up to half of full scale. */
function programme(channels: number, frames: number): AudioBlock {
  return Array.from({ length: channels }, (_, channel) => {
    const hiss = noise(frames, 0.02, channel + 1);
    return hiss.map((sample, at) => {
      const low = Math.sin((2 * Math.PI * (220 + 90 * channel) * at) / RATE);
      const high = Math.sin((2 * Math.PI * 1_900 * at) / RATE) * (at % 7_000 < 2_500 ? 1 : 0.2);
      return sample + 0.3 * low + 0.2 * high;
    });
  });
}

/** Opus in a WebM, of a programme that goes on where the sound ends; its last packet holds up to 20 ms that are not presented. */
async function hiddenEnd(channels: 1 | 2, presented: number, bitrateKbps: number) {
  const frames = presented + 4 * PACKET;
  const samples = programme(channels, frames);
  const blocks = async function* () {
    for (let at = 0; at < frames; at += PACKET) {
      yield samples.map((plane) => plane.slice(at, at + PACKET));
    }
  };
  const format = {
    sampleRate: RATE,
    channels,
    format: "ogg",
    bitrateKbps,
    bitDepth: null,
  } as const;
  const track = madeSound({ format, hasEdits: false, frames, blocks }, soundEncoders);
  const end = PRE_SKIP + presented;
  const packets = async function* (): AsyncGenerator<MediaPacket> {
    for await (const packet of track.packets()) {
      const discardFrames = Math.max(0, packet.pts + PACKET - end);
      if (packet.pts < end) {
        yield discardFrames > 0 ? { ...packet, discardFrames } : packet;
      }
    }
  };
  return await writtenMovie("webm", [{ ...track, packets }]);
}

/** The sound of a file beside a video of two seconds. */
async function mixed(source: Uint8Array<ArrayBuffer>) {
  const given = requireSoundTrack(await openBytes(source));
  const continued = await copiedOpus(given, SECONDS, CODECS);
  if (continued === undefined) {
    throw new Error("The sound was not continued.");
  }
  const video = copiedTrack(requireVideoTrack(await openBytes(codecFixture("vp9.webm"))));
  const bytes = await writtenMovie("webm", [video, continued]);
  return { given, bytes, sound: requireSoundTrack(await openBytes(bytes)) };
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

const SOUNDS = [
  // The end lies at the end of a packet, one frame before and after it, and in the middle.
  [1, 50 * PACKET - PRE_SKIP, 64],
  [1, 50 * PACKET - PRE_SKIP - 1, 96],
  [2, 50 * PACKET - PRE_SKIP + 1, 128],
  [2, 70_001, 160],
] as const;

describe("copied Opus that is shorter than its video", () => {
  test.each(SOUNDS)(
    "is copied up to its end, silent from there on, and as long as the video: %i channels, %i frames, %i kbit/s",
    async (channels, presented, kbps) => {
      const file = await hiddenEnd(channels, presented, kbps);
      const { given, bytes, sound } = await mixed(file);
      const [source, copy] = [await listPackets(given), await listPackets(sound)];
      const copied = copy.findIndex(({ md5 }, index) => md5 !== source[index]?.md5);
      expect(copied * PACKET).toBeGreaterThan(PRE_SKIP + presented - 14 * PACKET);
      expect(copy).toHaveLength(Math.ceil((PRE_SKIP + SECONDS * RATE) / PACKET));
      const [before, after] = [await readSound(file, DECODERS), await readSound(bytes, DECODERS)];
      expect(before.frames).toBe(presented);
      expect(after.frames).toBe(SECONDS * RATE);
      const joint = copied * PACKET - PRE_SKIP;
      expect(after.planes.map((plane) => plane.slice(0, joint - PACKET))).toEqual(
        before.planes.map((plane) => plane.slice(0, joint - PACKET)),
      );
      // Measured: 44 to 48 dB.
      expect(kept(before.planes, after.planes, joint - PACKET, presented)).toBeGreaterThan(30);
      // The source goes on at -13 dB. The codec rings at -65 dB for a fraction of a packet, and then there is nothing.
      expect(level(before.planes, presented - PACKET, presented)).toBeGreaterThan(-20);
      expect(level(after.planes, presented, presented + PACKET)).toBeLessThan(-55);
      const quiet = after.planes.map((plane) => plane.subarray(presented + 2 * PACKET));
      expect(level(quiet, 0, quiet[0]?.length ?? 0)).toBeLessThan(-110);
    },
  );

  test("keeps the gain that its header states", async () => {
    const file = await hiddenEnd(1, 60_000, 96);
    const { given, sound } = await mixed(file);
    const config = given.config.slice();
    // -6 dB, in 256ths of a dB.
    new DataView(config.buffer).setInt16(16, -6 * 256, true);
    const track = await copiedOpus({ ...given, config }, SECONDS, CODECS);
    const packets: Uint8Array[] = [];
    for await (const { data } of track?.packets() ?? []) {
      packets.push(data.slice());
    }
    const plain: Uint8Array[] = [];
    for await (const { data } of sound.packets()) {
      plain.push(data.slice());
    }
    expect(packets).toEqual(plain);
    expect(new DataView((track?.config ?? config).slice().buffer).getInt16(16, true)).toBe(-1_536);
  });

  test("is encoded again where it cannot be continued", async () => {
    const track = requireSoundTrack(await openBytes(await hiddenEnd(1, 60_000, 96)));
    const changed = (change: (packet: MediaPacket, index: number) => MediaPacket): MediaTrack => ({
      ...track,
      async *packets() {
        let index = 0;
        for await (const packet of track.packets()) {
          yield change(packet, index++);
        }
      },
    });
    expect(
      await copiedOpus(
        changed((packet) => packet),
        SECONDS,
        CODECS,
      ),
    ).toBeDefined();
    const cut = changed((packet, i) => (i === 3 ? { ...packet, discardFrames: 100 } : packet));
    expect(await copiedOpus(cut, SECONDS, CODECS)).toBeUndefined();
    const holes = changed((packet, i) => (i === 55 ? { ...packet, isDamaged: true } : packet));
    expect(await copiedOpus(holes, SECONDS, CODECS)).toBeUndefined();
    // What libopus cannot decode: one frame, with padding that would reach past the end.
    const broken = changed(({ data, ...packet }) => ({
      ...packet,
      data: Uint8Array.of((data[0] ?? 0) | 0b11, 0x41, 255, 1),
    }));
    expect(await copiedOpus(broken, SECONDS, CODECS)).toBeUndefined();
    const few = requireSoundTrack(await openBytes(await hiddenEnd(1, 5_000, 96)));
    expect(await copiedOpus(few, SECONDS, CODECS)).toBeUndefined();
    const surround = requireSoundTrack(await openBytes(mediaFixture("surround.opus")));
    expect(await copiedOpus(surround, SECONDS, CODECS)).toBeUndefined();
    // At such a rate libopus codes speech, which other packets cannot follow without a click.
    const speech = requireSoundTrack(await openBytes(await hiddenEnd(1, 60_000, 16)));
    expect(await copiedOpus(speech, SECONDS, CODECS)).toBeUndefined();
  });

  it.skipIf(!HAS_FFMPEG)("is as long as the video and silent at its end for ffmpeg", async () => {
    const presented = 70_001;
    for (const [name, file] of [
      ["hidden", await hiddenEnd(2, presented, 128)],
      ["ogg", mediaFixture("stereo.opus")],
      ["mp4", mediaFixture("opus.mp4")],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const { sound } = await mixed(file);
      const path = join(folder, `${name}.webm`);
      // oxlint-disable-next-line no-await-in-loop -- film after film
      writeFileSync(path, await writtenMovie("webm", [copiedTrack(sound)]));
      expect(probedByFfmpeg(path)).toMatchObject({ codec_name: "opus" });
      const [decoded] = decodedByFfmpeg([path]);
      expect(decoded?.planes[0]?.length, name).toBe(SECONDS * RATE);
      if (name === "hidden") {
        const planes = decoded?.planes ?? [];
        expect(level(planes, presented - PACKET, presented)).toBeGreaterThan(-20);
        expect(level(planes, presented, presented + PACKET)).toBeLessThan(-55);
        expect(level(planes, presented + 2 * PACKET, SECONDS * RATE)).toBeLessThan(-110);
      }
    }
  });
});
