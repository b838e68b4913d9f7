/** Tracks and packets, compared with those of another reader (docs/decisions/media-reading.md). */
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
import { mediaFixture } from "../../../support/media/read-codecs.ts";

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

const FILES = [
  ["cbr.mp3", "sound"],
  ["no-note.mp3", "sound"],
  ["stereo.flac", "sound"],
  ["stereo.opus", "sound"],
  ["vorbis.ogg", "sound"],
  ["aac.m4a", "sound"],
  ["opus.mp4", "sound"],
  ["mp3.mov", "sound"],
  ["fragments.mp4", "sound"],
  ["opus.webm", "sound"],
  ["vorbis.webm", "sound"],
  ["h264-aac.mp4", "sound"],
  ["h264-aac.mp4", "video"],
  ["h264.mp4", "video"],
  ["vp8-opus.webm", "sound"],
  ["vp8-opus.webm", "video"],
] as const;

describe("a container", () => {
  test.each(FILES)("%s has the packets of %s that another reader finds", async (name, kind) => {
    const file = mediaFixture(name);
    const media = await open(file);
    const track = kind === "sound" ? requireSoundTrack(media) : requireVideoTrack(media);
    const [found, expected] = [await ours(track), await others(file, kind)];
    expect(found.bytes).toEqual(expected.bytes);
    expect(found.keys).toEqual(expected.keys);
    // The other reader shifts times by the edit list; steps between packets are the same.
    const steps = ({ times }: Listed) => times.slice(1).map((time, i) => time - (times[i] ?? 0));
    const isOgg = /\.(?:ogg|opus)$/.test(name);
    for (const [i, step] of isOgg ? [] : steps(found).entries()) {
      expect(step).toBeCloseTo(steps(expected)[i] ?? Number.NaN, 3);
    }
  });

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
