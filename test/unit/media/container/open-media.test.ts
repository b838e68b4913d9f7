/** Tracks and packets, compared with those of another reader (docs/decisions/media-reading.md). */
import { readdirSync, readFileSync } from "node:fs";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { describe, expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import {
  openMedia,
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { editedBox } from "../../../support/media/box-file.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { formatOf, tones, writeSound } from "../../../support/media/written-sound.ts";

const open = (bytes: Uint8Array) => openMedia(new MemorySource(bytes, ""));

interface Listed {
  readonly bytes: readonly Uint8Array[];
  readonly times: readonly number[];
  readonly keys: readonly boolean[];
}

async function ours(track: MediaTrack): Promise<Listed> {
  const [bytes, times, keys]: [Uint8Array[], number[], boolean[]] = [[], [], []];
  for await (const packet of track.packets()) {
    bytes.push(packet.data.slice());
    times.push(packet.pts / track.timeScale);
    keys.push(packet.isKey);
  }
  return { bytes, times, keys };
}

async function others(file: Uint8Array<ArrayBuffer>, kind: "sound" | "video"): Promise<Listed> {
  const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const track =
    kind === "sound" ? await input.getPrimaryAudioTrack() : await input.getPrimaryVideoTrack();
  if (track === null) {
    throw new Error("The other reader finds no track.");
  }
  const [bytes, times, keys]: [Uint8Array[], number[], boolean[]] = [[], [], []];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    bytes.push(packet.data.slice());
    times.push(packet.timestamp);
    keys.push(packet.type === "key");
  }
  return { bytes, times, keys };
}

/** Every container of the corpus; files of packets only, without a container, are not among them. */
const FILES = ["test/golden/media", "test/fixtures/codecs"].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => /\.(?:mp3|aac|flac|ogg|opus|m4a|mp4|mov|webm)$/.test(name))
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(`${folder}/${name}`)) })),
);
const TRACKS = (
  await Promise.all(
    FILES.map(async ({ name, bytes }) =>
      (await open(bytes)).tracks.map(({ kind }) => ({ name, kind, bytes })),
    ),
  )
).flat();

/** FLAC in Ogg, in which the other reader finds no track. */
const UNKNOWN = "flac.ogg";

/** The packets of PCM are as long as a reader likes, so that their bytes are compared together. */
const isPcm = ({ codec }: MediaTrack) => codec?.startsWith("pcm_") === true;

/** The other reader leaves a frame of ADTS its head, of nine bytes with a checksum. */
function withoutAdtsHead(frame: Uint8Array): Uint8Array {
  return frame.subarray((frame[1] ?? 0) & 1 ? 7 : 9);
}

/** Compares what is found in a file of any kind with what mediabunny finds. */
async function expectJudged(file: Uint8Array<ArrayBuffer>, kind: MediaTrack["kind"]) {
  const media = await open(file);
  const track = kind === "sound" ? requireSoundTrack(media) : requireVideoTrack(media);
  const found = await ours(track);
  const expected = await others(file, kind === "sound" ? "sound" : "video");
  expect(found.bytes.length).toBeGreaterThan(0);
  if (isPcm(track)) {
    expect(Buffer.concat(found.bytes).equals(Buffer.concat(expected.bytes))).toBe(true);
    return;
  }
  const isAdts = media.container === "adts";
  expect(found.bytes).toEqual(isAdts ? expected.bytes.map(withoutAdtsHead) : expected.bytes);
  expect(found.keys).toEqual(expected.keys);
  // The other reader shifts times by the edit list; steps between packets are the same.
  const steps = ({ times }: Listed) => times.slice(1).map((time, i) => time - (times[i] ?? 0));
  for (const [i, step] of media.container === "ogg" ? [] : steps(found).entries()) {
    expect(step).toBeCloseTo(steps(expected)[i] ?? Number.NaN, 3);
  }
}

describe("a container", () => {
  test.each(TRACKS.filter(({ name }) => name !== UNKNOWN))(
    "$name has the packets of $kind that mediabunny finds",
    async (one) => {
      await expectJudged(one.bytes, one.kind);
    },
  );

  test("of FLAC in Ogg, which mediabunny does not read, has the samples of the same sound in an MP4", async () => {
    const file = mediaFixture(UNKNOWN);
    await expect(others(file, "sound")).rejects.toThrow("no track");
    const { planes } = await readSound(file, DECODERS);
    expect(planes).toEqual((await readSound(mediaFixture("flac.mp4"), DECODERS)).planes);
  });

  test("of each kind that is read is among them, with each codec that is copied or decoded", async () => {
    const codecs = await Promise.all(
      FILES.map(async ({ bytes }) => (await open(bytes)).tracks.map(({ codec }) => codec)),
    );
    expect(new Set(codecs.flat())).toEqual(
      new Set("mp3 flac opus vorbis aac alac pcm_s16 pcm_s24 h264 hevc vp8 vp9 av1".split(" ")),
    );
  });

  test.each(["flac", "mp3", "m4a", "ogg"] as const)(
    "that is written as %s has the packets that mediabunny finds",
    async (format) => {
      for (const channels of [1, 2] as const) {
        const sound = tones(48_000, channels, 30_011);
        // oxlint-disable-next-line no-await-in-loop -- file after file
        const { bytes } = await writeSound(formatOf(format, 48_000, channels), sound);
        // oxlint-disable-next-line no-await-in-loop -- same
        await expectJudged(bytes, "sound");
      }
    },
  );

  test.each([16, 24, 32] as const)(
    "that is written as WAV of %i bits has the samples that mediabunny finds",
    async (bitDepth) => {
      const sound = tones(48_000, 2, 30_011);
      const { bytes } = await writeSound(formatOf("wav", 48_000, 2, { bitDepth }), sound);
      const found = await others(bytes, "sound");
      const samples = Buffer.concat(found.bytes);
      expect(samples.length).toBe((30_011 * 2 * bitDepth) / 8);
      expect(samples.equals(Buffer.from(bytes.slice(bytes.length - samples.length)))).toBe(true);
    },
  );

  test("names codec, size, edit list and configuration of a video", async () => {
    const track = requireVideoTrack(await open(mediaFixture("h264-aac.mp4")));
    expect(track).toMatchObject({
      codec: "h264",
      codecId: "avc1",
      picture: { width: 64, height: 48, rotation: 0, pixelAspect: [1, 1] },
    });
    expect(track.config[0]).toBe(1);
    // Two pictures are decoded before the first one is shown, and all of them are shown.
    expect(track.edits).toEqual([{ start: 2 * (track.timeScale / 25), duration: track.duration }]);
  });

  test("returns packets from the key packet before a time", async () => {
    const track = requireVideoTrack(await open(mediaFixture("h264-aac.mp4")));
    const all: number[] = [];
    for await (const { dts } of track.packets()) {
      all.push(dts);
    }
    const keys: number[] = [];
    for await (const { dts, isKey } of track.packets()) {
      if (isKey) {
        keys.push(dts);
      }
    }
    expect(keys.length).toBeGreaterThan(1);
    const second = keys[1] ?? 0;
    const from: number[] = [];
    for await (const { dts } of track.packets({ from: second + 1 })) {
      from.push(dts);
    }
    expect(from).toEqual(all.filter((dts) => dts >= second));
  });

  test.each([
    [90, [0, 1, -1, 0]],
    [180, [-1, 0, 0, -1]],
    [270, [0, -1, 1, 0]],
    [0, [1, 0, 0, 1]],
  ] as const)("names a rotation of %i degrees", async (rotation, [a, b, c, d]) => {
    const turned = editedBox(mediaFixture("h264.mp4"), "moov/trak/tkhd", (content) => {
      for (const [at, value] of [
        [40, a],
        [44, b],
        [52, c],
        [56, d],
      ] as const) {
        content.writeInt32BE(value * 65_536, at);
      }
      return content;
    });
    expect(requireVideoTrack(await open(turned)).picture?.rotation).toBe(rotation);
  });

  test("with pictures of 65,535 × 65,535 pixels is not a video that is read", async () => {
    const huge = editedBox(mediaFixture("h264.mp4"), "moov/trak/mdia/minf/stbl/stsd", (content) => {
      content.writeUInt32BE(0xffff_ffff, 8 + 32);
      return content;
    });
    const media = await open(huge);
    expect(() => requireVideoTrack(media)).toThrow(
      expect.objectContaining({ code: "MEDIA_PARAMETERS_UNSUPPORTED" }),
    );
  });

  test("without pictures has no video, and without sound no sound", async () => {
    const sound = await open(mediaFixture("aac.m4a"));
    expect(() => requireVideoTrack(sound)).toThrow(
      expect.objectContaining({ code: "VIDEO_TRACK_MISSING" }),
    );
    const video = await open(mediaFixture("h264.mp4"));
    expect(() => requireSoundTrack(video)).toThrow(
      expect.objectContaining({ code: "AUDIO_TRACK_MISSING" }),
    );
  });
});
