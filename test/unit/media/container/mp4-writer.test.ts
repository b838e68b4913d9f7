/** MP4 and MOV that are written from the packets of other files (docs/decisions/movies.md). */
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { describe, expect, test } from "vitest";
import type { MediaPacket } from "../../../../src/media/container/media-track.ts";
import { copiedTrack, writeMovie } from "../../../../src/media/container/movie-writer.ts";
import type { MovieTrack } from "../../../../src/media/container/movie-track.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { editedBox, parseBoxes } from "../../../support/media/box-file.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import {
  copiedMovie,
  listPackets,
  md5Of,
  openBytes,
  writtenMovie,
} from "../../../support/media/copied-movie.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";

const FILES = [
  "h264-aac.mp4",
  "h264.mp4",
  "aac.m4a",
  "alac.m4a",
  "flac.mp4",
  "opus.mp4",
  "mp3.mov",
  "pcm-s16.mov",
  "pcm-s24.mov",
  "h264-b-frames.mp4",
  "h264-interlaced.mp4",
  "h264-open-gop.mov",
  "hevc-b-frames.mp4",
  "hevc-10-bit.mp4",
] as const;

const CODEC_FIXTURES = new Set<string>(FILES.slice(9));
const fixture = (name: string) =>
  CODEC_FIXTURES.has(name) ? codecFixture(name) : mediaFixture(name);

const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 180 * 0x10000, 0, 0x40000000];

/** A film that a player shows turned by 90°, from tick 512 on, after a pause. */
function edited(): Uint8Array {
  const turned = editedBox(codecFixture("h264-b-frames.mp4"), "moov/trak/tkhd", (tkhd) => {
    QUARTER_TURN.forEach((value, i) => tkhd.writeInt32BE(value, 40 + 4 * i));
    return tkhd;
  });
  return editedBox(turned, "moov/trak/edts/elst", (elst) => {
    const list = Buffer.alloc(8 + 24);
    elst.copy(list, 0, 0, 4);
    list.writeUInt32BE(2, 4);
    // Ticks of the movie are milliseconds.
    list.writeUInt32BE(700, 8);
    list.writeInt32BE(-1, 12);
    list.writeUInt32BE(0x10000, 16);
    list.writeUInt32BE(elst.readUInt32BE(8) - 100, 20);
    list.writeInt32BE(elst.readInt32BE(12) + 1_280, 24);
    list.writeUInt32BE(0x10000, 28);
    return list;
  });
}

describe("an MP4 or MOV", () => {
  test.each(FILES)("%s keeps every packet, time, edit and description", async (name) => {
    const source = fixture(name);
    const copy = await copiedMovie(source);
    const [from, to] = [await openBytes(source), await openBytes(copy)];
    expect(to.container).toBe(from.container);
    expect(to.tracks.length).toBe(from.tracks.length);
    for (const [i, track] of from.tracks.entries()) {
      const copied = to.tracks[i];
      expect(copied?.codec).toBe(track.codec);
      expect(copied?.timeScale).toBe(track.timeScale);
      expect(copied?.edits).toEqual(track.edits);
      expect(copied?.description).toEqual(track.description);
      expect(copied?.picture).toEqual(track.picture);
      expect(copied?.language).toBe(track.language);
      // oxlint-disable-next-line no-await-in-loop -- track after track
      const packets = copied === undefined ? [] : await listPackets(copied);
      expect(packets.length).toBeGreaterThan(0);
      // oxlint-disable-next-line no-await-in-loop -- track after track
      expect(packets).toEqual(await listPackets(track));
    }
  });

  test.each(FILES)("%s has its tables before its packets, and no fragments", async (name) => {
    const boxes = parseBoxes(await copiedMovie(fixture(name)));
    expect(boxes.map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
  });

  test.each(FILES)("%s copies to the same bytes again", async (name) => {
    const copy = await copiedMovie(fixture(name));
    expect(await copiedMovie(copy)).toEqual(copy);
  });

  test.each(["h264-aac.mp4", "h264-b-frames.mp4", "h264-open-gop.mov"])(
    "%s reads alike to another reader",
    async (name) => {
      const read = async (bytes: Uint8Array<ArrayBuffer>) => {
        const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
        const track = await input.getPrimaryVideoTrack();
        if (track === null) {
          throw new Error("The other reader finds no track.");
        }
        const packets: unknown[] = [];
        for await (const { data, timestamp, duration, type } of new EncodedPacketSink(
          track,
        ).packets()) {
          packets.push([md5Of(data), timestamp, duration, type]);
        }
        const { codec, displayWidth, displayHeight, rotation } = track;
        return { codec, displayWidth, displayHeight, rotation, packets };
      };
      const source = fixture(name);
      expect(await read(await copiedMovie(source))).toEqual(await read(source));
    },
  );

  test("that is turned, begins late and hides pictures stays so", async () => {
    const source = edited();
    const copy = await copiedMovie(source);
    const [from, to] = [await openBytes(source), await openBytes(copy)].map(requireVideoTrack);
    expect(to?.picture?.rotation).toBe(90);
    expect(to?.edits).toEqual(from?.edits);
    expect(from?.edits[0]).toEqual({ start: null, duration: (from?.timeScale ?? 0) * 0.7 });
    expect(to?.description).toEqual(from?.description);
  });

  test("of fragments becomes one with tables, and the same packets and times", async () => {
    const source = mediaFixture("fragments.mp4");
    const copy = await copiedMovie(source);
    expect(parseBoxes(copy).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
    const [from, to] = [await openBytes(source), await openBytes(copy)].map(requireSoundTrack);
    const strip = async (track: typeof from) =>
      (track === undefined ? [] : await listPackets(track)).map(({ md5, pts }) => [md5, pts]);
    expect(await strip(to)).toEqual(await strip(from));
  });

  test("takes sound of QuickTime, with an entry of its own kind", async () => {
    const { tracks } = await openBytes(mediaFixture("h264-aac.mp4"));
    const sound = tracks.find(({ kind }) => kind === "sound");
    if (sound === undefined) {
      throw new Error("The film has no sound.");
    }
    const mov = await writtenMovie("mov", [copiedTrack(sound)]);
    const inMov = requireSoundTrack(await openBytes(mov));
    const back = await writtenMovie("m4a", [copiedTrack(inMov)]);
    const inM4a = requireSoundTrack(await openBytes(back));
    for (const track of [inMov, inM4a]) {
      expect(track.codec).toBe("aac");
      expect(track.config).toEqual(sound.config);
      expect(track.sound).toEqual(sound.sound);
      expect(track.edits).toEqual(sound.edits);
      // oxlint-disable-next-line no-await-in-loop -- track after track
      expect(await listPackets(track)).toEqual(await listPackets(sound));
    }
    expect(new TextDecoder().decode(back.subarray(4, 12))).toBe("ftypM4A ");
  });

  test("begins where its first packet is decoded later than 0", async () => {
    const track = requireVideoTrack(await openBytes(codecFixture("h264-b-frames.mp4")));
    const shift = 5 * track.timeScale;
    const late: MovieTrack = {
      ...copiedTrack(track),
      edits: [],
      heads: async function* () {
        for await (const head of track.heads?.() ?? []) {
          yield { ...head, dts: head.dts + shift, pts: head.pts + shift };
        }
      },
    };
    const copied = requireVideoTrack(await openBytes(await writtenMovie("mp4", [late])));
    expect(copied.edits[0]).toEqual({ start: null, duration: shift });
    expect(copied.edits[1]?.start).toBe(0);
  });
});

const PACKETS = 700_000;

/** Tiny packets, each presented at another distance from its decoding, so that the tables are long. */
function manyPackets(): MovieTrack {
  const { picture, config, description } = requireVideoTrackOf;
  const data = Uint8Array.of(1);
  const packet = (i: number) => ({
    dts: i * 100,
    pts: i * 100 + (i % 2) * 100,
    duration: 100,
    isKey: i % 250 === 0,
  });
  return {
    kind: "video",
    codec: "h264",
    config,
    sound: null,
    picture,
    description,
    timeScale: 6_000,
    language: "und",
    isDefault: true,
    edits: [],
    *heads() {
      for (let i = 0; i < PACKETS; i++) {
        yield { ...packet(i), bytes: 1 };
      }
    },
    async *packets() {
      for (let i = 0; i < PACKETS; i++) {
        data[0] = i & 0xff;
        yield { ...packet(i), data };
      }
    },
  };
}

const requireVideoTrackOf = requireVideoTrack(await openBytes(codecFixture("h264-b-frames.mp4")));

/** Sound that is made while it is written: packets of 1,024 samples at 48 kHz. */
function madeSound(seconds: number, packetsMax: number): MovieTrack {
  const count = Math.ceil((seconds * 48_000) / 1_024);
  return {
    kind: "sound",
    codec: "aac",
    config: Uint8Array.of(0x11, 0x90),
    sound: { sampleRate: 48_000, channels: 2, bitDepth: null, packetFrames: 1_024, trim: null },
    picture: null,
    description: null,
    timeScale: 48_000,
    language: "und",
    isDefault: true,
    edits: [{ start: 1_024, duration: Math.round(seconds * 48_000) - 1_024 }],
    packetsMax,
    async *packets(): AsyncGenerator<MediaPacket> {
      for (let i = 0; i < count; i++) {
        const data = new Uint8Array(20 + (i % 7)).fill(i);
        yield { data, dts: i * 1_024, pts: i * 1_024, duration: 1_024, isKey: true };
      }
    },
  };
}

describe("sound that is made while a movie is written", () => {
  test.each([
    ["short", 2],
    ["longer than the pictures", 9],
  ])(
    "and is %s lies before its pictures' end in tables that were left free",
    async (_, seconds) => {
      const source = await openBytes(codecFixture("h264-b-frames.mp4"));
      const video = copiedTrack(requireVideoTrack(source));
      const bytes = await writtenMovie("mp4", [video, madeSound(seconds, 1_000)]);
      const made = await openBytes(bytes);
      expect(parseBoxes(bytes).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
      const sound = await listPackets(requireSoundTrack(made));
      const expected: string[] = [];
      for await (const { data } of madeSound(seconds, 0).packets()) {
        expected.push(md5Of(data));
      }
      expect(sound.map(({ md5 }) => md5)).toEqual(expected);
      expect(sound.map(({ pts }) => pts)).toEqual(expected.map((_md5, i) => i * 1_024));
      expect(await listPackets(requireVideoTrack(made))).toEqual(
        await listPackets(requireVideoTrack(source)),
      );
      expect(requireSoundTrack(made).edits).toEqual(madeSound(seconds, 0).edits);
    },
  );

  test("with more packets than it announced is an error of ours", async () => {
    const video = copiedTrack(requireVideoTrackOf);
    await expect(writtenMovie("mp4", [video, madeSound(20, 100)])).rejects.toThrow("announced");
  });

  test("fits before pictures whose tables are longer than what can be changed later", async () => {
    const sink = new MemorySink();
    await writeMovie("mp4", [manyPackets(), madeSound(60, 3_000)], sink);
    const bytes = sink.bytes();
    const { tracks } = await openBytes(bytes);
    const [first] = tracks;
    const moov = parseBoxes(bytes.subarray(0, 20_000_000)).find(({ type }) => type === "moov");
    expect(moov).toBeDefined();
    expect(first?.kind).toBe("sound");
    const video = tracks.find(({ kind }) => kind === "video");
    let count = 0;
    let wrong = 0;
    for await (const { data, dts, pts, isKey } of video?.packets() ?? []) {
      const isRight =
        data[0] === (count & 0xff) &&
        dts === count * 100 &&
        pts === dts + (count % 2) * 100 &&
        isKey === (count % 250 === 0);
      wrong += isRight ? 0 : 1;
      count++;
    }
    expect([count, wrong]).toEqual([PACKETS, 0]);
    const { length } = await listPackets(first as never);
    expect(length).toBe(Math.ceil((60 * 48_000) / 1_024));
  });
});
