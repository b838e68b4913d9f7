/** Joined videos, sound that is copied or made for videos, and sound that is taken out of them. */
import { describe, expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import { assembleSound } from "../../../../src/media/assembly/assemble-sound.ts";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import { copiedTrack } from "../../../../src/media/container/movie-writer.ts";
import {
  openMedia,
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { copiedAac, copiedOpus } from "../../../../src/media/film/copied-sound.ts";
import { soundCopy } from "../../../../src/media/film/extract-sound.ts";
import { inspectFilm } from "../../../../src/media/film/film-clip.ts";
import { placedSounds, writeInScale } from "../../../../src/media/film/film-sound.ts";
import { soundEncoders } from "../../../support/media/sound-encoders.ts";
import { checkJoinable, joinFilms } from "../../../../src/media/film/join-films.ts";
import { editedBox } from "../../../support/media/box-file.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { listPackets, openBytes, writtenMovie } from "../../../support/media/copied-movie.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { RULERS } from "../../../support/media/rulers.ts";
import { readSound } from "../../../support/media/read-sound.ts";

async function joined(files: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const films = [];
  for (const file of files) {
    // oxlint-disable-next-line no-await-in-loop -- clip after clip
    films.push(await inspectFilm(await openBytes(file)));
  }
  for (const [index, film] of films.entries()) {
    checkJoinable(films[0] ?? film, film, index + 1);
  }
  const open = async (index: number): Promise<MediaTrack> =>
    requireVideoTrack(await openBytes(files[index] ?? new Uint8Array()));
  const { track } = joinFilms(films, open);
  return await writtenMovie(films[0]?.container === "webm" ? "webm" : "mp4", [track]);
}

/** Edit list of the video: a pause in ticks of the movie, the start in ticks of the track, and the duration. */
function withEdits(file: Uint8Array, ...edits: readonly (readonly [number, number])[]) {
  return editedBox(file, "moov/trak/edts/elst", (elst) => {
    const list = Buffer.alloc(8 + 12 * edits.length);
    list.writeUInt32BE(edits.length, 4);
    for (const [i, [duration, start]] of edits.entries()) {
      list.writeUInt32BE(duration < 0 ? elst.readUInt32BE(8) + duration : duration, 8 + 12 * i);
      list.writeInt32BE(start, 12 + 12 * i);
      list.writeUInt32BE(0x10000, 16 + 12 * i);
    }
    return list;
  });
}

const B_FRAMES = codecFixture("h264-b-frames.mp4");

describe("joined videos", () => {
  test.each(["h264-b-frames.mp4", "hevc-b-frames.mp4", "h264-interlaced.mp4", "vp9.webm"])(
    "of %s have all packets, and each clip begins where the one before ends",
    async (name) => {
      const file = codecFixture(name);
      const one = requireVideoTrack(await openBytes(file));
      const all = requireVideoTrack(await openBytes(await joined([file, file, file])));
      const [packets, three] = [await listPackets(one), await listPackets(all)];
      const md5s = packets.map(({ md5 }) => md5);
      expect(three.map(({ md5 }) => md5)).toEqual([...md5s, ...md5s, ...md5s]);
      const film = await inspectFilm(await openBytes(file));
      const length = film.parts.length > 0 ? film.duration : film.endPts - film.firstPts;
      for (const [i, { pts, isKey }] of packets.entries()) {
        for (const clip of [0, 1, 2]) {
          const copy = three[clip * packets.length + i];
          expect(copy?.pts).toBe(pts + clip * length);
          expect(copy?.isKey).toBe(isKey);
        }
      }
      expect(all.config).toEqual(one.config);
      expect(all.edits).toEqual(
        one.edits.map(({ start, duration }) => ({ start, duration: 3 * (duration ?? 0) })),
      );
    },
  );

  test("keep what the first clip hides, and its pause", async () => {
    const { start, duration } = requireVideoTrack(await openBytes(B_FRAMES)).edits[0] ?? {};
    expect(start).toBeGreaterThan(0);
    const first = withEdits(B_FRAMES, [500, -1], [-200, (start ?? 0) + 1_024]);
    const all = requireVideoTrack(await openBytes(await joined([first, B_FRAMES])));
    const [pause, shown, second, ...others] = all.edits;
    expect(others).toEqual([]);
    expect(pause).toEqual({ start: null, duration: all.timeScale / 2 });
    expect(shown?.start).toBe((start ?? 0) + 1_024);
    expect(second?.duration).toBe(duration);
    const packets = await listPackets(requireVideoTrack(await openBytes(B_FRAMES)));
    const times = (await listPackets(all)).slice(packets.length).map(({ pts }) => pts);
    expect(Math.min(...times)).toBe(second?.start);
  });

  test("hold the last picture where a later clip begins late", async () => {
    const late = withEdits(
      B_FRAMES,
      [500, -1],
      [0xffff, requireVideoTrack(await openBytes(B_FRAMES)).edits[0]?.start ?? 0],
    );
    const all = requireVideoTrack(await openBytes(await joined([B_FRAMES, late])));
    expect(all.edits).toHaveLength(1);
    const packets = await listPackets(requireVideoTrack(await openBytes(B_FRAMES)));
    const film = await inspectFilm(await openBytes(B_FRAMES));
    const second = (await listPackets(all)).slice(packets.length);
    expect(second[0]?.pts).toBe(film.firstPts + film.duration + all.timeScale / 2);
  });

  test.each([
    ["container", "vp9.webm", /^Clip 2 has another container .* WebM instead of MP4 or MOV/],
    [
      "video codec",
      "hevc-b-frames.mp4",
      /^Clip 2 has another video codec .*: h[ev][cv]1 instead of avc1/,
    ],
    [
      "decoder configuration",
      "h264-interlaced.mp4",
      /^Clip 2 has another decoder configuration .* instead of /,
    ],
  ])("of another %s are refused by name", async (_property, name, message) => {
    await expect(joined([B_FRAMES, codecFixture(name)])).rejects.toMatchObject({
      code: "CONCAT_INCOMPATIBLE",
      message: expect.stringMatching(message) as unknown,
    });
  });

  test("of another size, rotation, or hidden pictures are refused by name and value", async () => {
    const sized = mediaFixture("h264.mp4");
    const turned = editedBox(B_FRAMES, "moov/trak/tkhd", (tkhd) => {
      [0, 0x10000, 0, -0x10000, 0, 0].forEach((value, i) => tkhd.writeInt32BE(value, 40 + 4 * i));
      return tkhd;
    });
    const start = requireVideoTrack(await openBytes(B_FRAMES)).edits[0]?.start ?? 0;
    const hiding = withEdits(B_FRAMES, [-100, start + 1_024]);
    for (const [clip, message] of [
      [sized, "another coded size"],
      [turned, "another rotation than the first clip: 90° instead of 0°"],
      [hiding, "another edit list than the first clip: 2 hidden pictures instead of none"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- clip after clip
      await expect(joined([B_FRAMES, clip])).rejects.toMatchObject({
        code: "CONCAT_INCOMPATIBLE",
        message: expect.stringContaining(message) as unknown,
      });
    }
    // The first clip may hide pictures.
    expect((await joined([hiding, B_FRAMES])).byteLength).toBeGreaterThan(0);
  });
});

/** Blocks of 100 frames that count up from 1, in thousandths. */
async function* counting(frames: number): AsyncGenerator<AudioBlock> {
  for (let at = 0; at < frames; at += 100) {
    yield [
      Float32Array.from({ length: Math.min(100, frames - at) }, (_, i) => (at + i + 1) / 1_000),
    ];
  }
}

async function samplesOf(blocks: AsyncIterable<AudioBlock>): Promise<readonly number[]> {
  const samples: number[] = [];
  for await (const [plane] of blocks) {
    samples.push(...(plane ?? []));
  }
  return samples.map((sample) => Math.round(sample * 1_000));
}

describe("sound in a video", () => {
  test("stands at its frame, without what lies before the video or after its clip", async () => {
    const heard = placedSounds([
      { start: -30, from: 0, to: 50, gain: 1, open: () => counting(250) },
      { start: 45, from: 50, to: 60, gain: 1, open: () => counting(250) },
      { start: 65, from: 60, to: 70, gain: 1, open: () => counting(2) },
      { start: 10, from: 80, to: 80, gain: 1, open: () => counting(9) },
    ]);
    expect(heard).toHaveLength(3);
    const samples = await samplesOf(assembleSound(heard, { channels: 1, frames: 75 }));
    const expected = [
      ...Array.from({ length: 50 }, (_, i) => 31 + i),
      ...Array.from({ length: 10 }, (_, i) => 6 + i),
      ...Array<number>(5).fill(0),
      1,
      2,
      ...Array<number>(8).fill(0),
    ];
    expect(samples).toEqual(expected);
  });

  test("above full scale is turned down as a whole, and else stays as it is", async () => {
    const sum = (peak: number) => () =>
      (async function* (): AsyncGenerator<AudioBlock> {
        yield [Float32Array.of(0.5, -0.25)];
        yield [Float32Array.of(-peak, 0.125)];
      })();
    const written: number[] = [];
    const write = async (sound: () => AsyncIterable<AudioBlock>) => {
      const samples = await samplesOf(sound());
      written.push(samples.length);
      return samples;
    };
    expect(await writeInScale(soundEncoders.samples, sum(1), write)).toEqual([
      500, -250, -1_000, 125,
    ]);
    expect(await writeInScale(soundEncoders.samples, sum(2), write)).toEqual([
      250, -125, -1_000, 63,
    ]);
    expect(written).toEqual([4, 4]);
    await expect(
      writeInScale(soundEncoders.samples, sum(2), () => Promise.reject(new Error("full"))),
    ).rejects.toThrow("full");
  });

  const never = () => {
    throw new Error("Sound that is as long as its video needs no codec.");
  };

  test("that is AAC is copied up to the end of the video, and cut to the tick", async () => {
    const copyOf = async (track: MediaTrack, seconds: number) => {
      const copy = await copiedAac(track, seconds, { decoder: never, encoder: never });
      return copy === undefined ? [] : [copy];
    };
    const sound = requireSoundTrack(await openBytes(mediaFixture("aac.m4a")));
    const [edit] = sound.edits;
    const video = copiedTrack(requireVideoTrack(await openBytes(B_FRAMES)));
    const bytes = await writtenMovie("mp4", [video, ...(await copyOf(sound, 0.1))]);
    const copied = requireSoundTrack(await openBytes(bytes));
    const frames = Math.round(0.1 * sound.timeScale);
    expect(copied.edits).toEqual([{ start: edit?.start, duration: frames }]);
    const all = await listPackets(sound);
    const kept = await listPackets(copied);
    expect(kept).toEqual(all.slice(0, Math.ceil(((edit?.start ?? 0) + frames) / 1_024)));
    expect((await readSound(bytes, RULERS)).frames).toBe(frames);
    const adts = requireSoundTrack(await openBytes(mediaFixture("adts.aac")));
    const made = await writtenMovie("mp4", await copyOf(adts, 0.2));
    expect((await readSound(made, RULERS)).frames).toBe(Math.round(0.2 * adts.timeScale));
  });

  test("that is Opus is copied into a WebM, and cut to the frame", async () => {
    const video = copiedTrack(requireVideoTrack(await openBytes(codecFixture("vp9.webm"))));
    for (const name of ["stereo.opus", "opus.mp4", "opus.webm"]) {
      const file = mediaFixture(name);
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const track = requireSoundTrack(await openBytes(file));
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const sound = await copiedOpus(track, 0.25, { decoder: never, encoder: never });
      expect(sound).toBeDefined();
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const bytes = await writtenMovie("webm", sound === undefined ? [] : [video, sound]);
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const [copy, source] = [await readSound(bytes, DECODERS), await readSound(file, DECODERS)];
      expect(copy.frames).toBe(12_000);
      expect(copy.planes[0]).toEqual(source.planes[0]?.subarray(0, 12_000));
    }
  });
});

describe("sound that is taken out of a video", () => {
  test.each([
    ["h264-aac.mp4", "m4a"],
    ["fragments.mp4", "ogg"],
    ["mp3.mov", "mp3"],
    ["opus.mp4", "ogg"],
    ["opus.webm", "ogg"],
    ["vp8-opus.webm", "ogg"],
    ["vorbis.webm", "ogg"],
    ["flac.mp4", "flac"],
    ["pcm-s16.mov", "wav"],
    ["pcm-s24.mov", "wav"],
  ])("of %s is a file of %s with the same samples", async (name, format) => {
    const file = mediaFixture(name);
    const copy = await soundCopy(requireSoundTrack(await openMedia(new MemorySource(file, ""))));
    expect(copy?.format).toBe(format);
    const sink = new MemorySink();
    await copy?.write(sink, new AbortController().signal);
    const [source, made] = [
      await readSound(file, DECODERS),
      await readSound(sink.bytes(), DECODERS),
    ];
    expect(made.frames).toBe(source.frames);
    expect(made.info.sampleRate).toBe(source.info.sampleRate);
    expect(made.info.bitDepth).toBe(source.info.bitDepth);
    expect(made.planes).toEqual(source.planes);
    expect(made.decodeErrors).toBe(0);
  });

  test("is encoded again if it is FLAC of which a part is presented", async () => {
    const cut = editedBox(mediaFixture("flac.mp4"), "moov/trak/edts/elst", (elst) => {
      elst.writeUInt32BE(elst.readUInt32BE(8) - 100, 8);
      return elst;
    });
    expect(await soundCopy(requireSoundTrack(await openBytes(cut)))).toBeUndefined();
  });

  test("that is MP3 of varying rates says where its frames are", async () => {
    const file = mediaFixture("mp3.mov");
    const track = requireSoundTrack(await openBytes(file));
    // Frames of two rates in turns: the same sound of 128 kbit/s, and silent frames of 64 kbit/s.
    const copy = await soundCopy({
      ...track,
      async *packets() {
        let at = 0;
        for await (const packet of track.packets()) {
          at++;
          const data = packet.data.slice();
          const rate = (data[2] ?? 0) >> 4;
          data[2] = at % 2 === 0 ? ((data[2] ?? 0) & 0x0f) | ((rate - 1) << 4) : (data[2] ?? 0);
          yield { ...packet, data };
        }
      },
    });
    const sink = new MemorySink();
    await copy?.write(sink, new AbortController().signal);
    const text = new TextDecoder("latin1").decode(sink.bytes().subarray(0, 400));
    expect(text).toContain("Xing");
    expect(text).not.toContain("Info");
  });
});
