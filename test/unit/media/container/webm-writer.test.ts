/** WebM that is written from the packets of other files (docs/decisions/movies.md). */
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { describe, expect, test } from "vitest";
import { findElement, headAt, ID } from "../../../../src/media/container/webm/ebml.ts";
import type { MediaPacket } from "../../../../src/media/container/media-track.ts";
import { copiedTrack } from "../../../../src/media/container/movie-writer.ts";
import type { MovieTrack } from "../../../../src/media/container/movie-track.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import {
  copiedMovie,
  listPackets,
  md5Of,
  openBytes,
  writtenMovie,
} from "../../../support/media/copied-movie.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { RULERS } from "../../../support/media/rulers.ts";

const FILES = ["vp8-opus.webm", "opus.webm", "vorbis.webm", "vp8.webm", "vp9.webm"] as const;
const OF_CODECS = new Set<string>(["vp8.webm", "vp9.webm", "vp9-10-bit.webm", "vorbis-51.webm"]);
const fixture = (name: string) => (OF_CODECS.has(name) ? codecFixture(name) : mediaFixture(name));

/** The elements of a segment by their ids, with their places in it. */
function segmentOf(bytes: Uint8Array) {
  const ebml = headAt(bytes, 0, 0);
  const segment = headAt(bytes, ebml.from + (ebml.size ?? 0), 0);
  const at = ebml.from + (ebml.size ?? 0) + (segment.from - ebml.from - (ebml.size ?? 0));
  const content = bytes.subarray(at);
  expect(content.byteLength).toBe(segment.size);
  const elements: { id: number; at: number; data: Uint8Array }[] = [];
  for (let place = 0; place < content.byteLength;) {
    const { id, from, size } = headAt(content, place, 0);
    elements.push({ id, at: place, data: content.subarray(from, from + (size ?? 0)) });
    place = from + (size ?? 0);
  }
  return elements;
}

const number = (bytes: Uint8Array | undefined) =>
  [...(bytes ?? [])].reduce((value, byte) => value * 256 + byte, 0);

describe("a WebM", () => {
  test.each([...FILES, "vp9-10-bit.webm", "vorbis-51.webm"])(
    "%s keeps every packet, time and description",
    async (name) => {
      const source = fixture(name);
      const copy = await copiedMovie(source);
      const [from, to] = [await openBytes(source), await openBytes(copy)];
      expect(to.container).toBe("webm");
      expect(Math.abs((to.seconds ?? 0) - (from.seconds ?? 0))).toBeLessThan(0.01);
      for (const [i, track] of from.tracks.entries()) {
        const copied = to.tracks[i];
        expect(copied?.codec).toBe(track.codec);
        expect(copied?.timeScale).toBe(track.timeScale);
        expect(copied?.config).toEqual(track.config);
        expect(copied?.sound).toEqual(track.sound);
        expect(copied?.picture).toEqual(track.picture);
        // oxlint-disable-next-line no-await-in-loop -- track after track
        const packets = copied === undefined ? [] : await listPackets(copied);
        expect(packets.length).toBeGreaterThan(0);
        // oxlint-disable-next-line no-await-in-loop -- track after track
        expect(packets).toEqual(await listPackets(track));
      }
      expect(await copiedMovie(copy)).toEqual(copy);
    },
  );

  test.each(["vp8-opus.webm", "vp9.webm"])(
    "%s has an index that points at clusters, found from its head",
    async (name) => {
      const elements = segmentOf(await copiedMovie(fixture(name)));
      const cues = elements.find(({ id }) => id === ID.cues);
      const head = elements.find(({ id }) => id === ID.seekHead);
      const found = [...(head === undefined ? [] : seeks(head.data))];
      expect(found).toContainEqual([ID.cues, cues?.at]);
      const clusters = elements.filter(({ id }) => id === ID.cluster);
      const point = findElement(cues?.data ?? new Uint8Array(), ID.cuePoint) ?? new Uint8Array();
      const positions = findElement(point, ID.cueTrackPositions) ?? new Uint8Array();
      expect(clusters.map(({ at }) => at)).toContain(
        number(findElement(positions, ID.cueClusterPosition)),
      );
      const [first] = await listPackets(requireVideoTrack(await openBytes(fixture(name))));
      expect(number(findElement(point, ID.cueTime))).toBe(first?.pts);
    },
  );

  test.each(["vp8-opus.webm", "vp9.webm"])("%s reads alike to another reader", async (name) => {
    const read = async (bytes: Uint8Array<ArrayBuffer>) => {
      const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
      const track = await input.getPrimaryVideoTrack();
      if (track === null) {
        throw new Error("The other reader finds no track.");
      }
      const packets: unknown[] = [];
      for await (const { data, timestamp, type } of new EncodedPacketSink(track).packets()) {
        packets.push([md5Of(data), timestamp, type]);
      }
      return { codec: track.codec, width: track.displayWidth, packets };
    };
    const source = fixture(name);
    expect(await read(await copiedMovie(source))).toEqual(await read(source));
  });

  test("presents as many frames of sound as its source", async () => {
    for (const name of ["opus.webm", "vorbis.webm", "vp8-opus.webm"]) {
      const source = fixture(name);
      // oxlint-disable-next-line no-await-in-loop -- file after file
      const [from, to] = [await frames(source), await frames(await copiedMovie(source))];
      expect(from).toBeGreaterThan(10_000);
      expect(to).toBe(from);
    }
  });

  test("takes Opus of an MP4, cut after a number of frames", async () => {
    const video = requireVideoTrack(await openBytes(codecFixture("vp9.webm")));
    const sound = requireSoundTrack(await openBytes(mediaFixture("opus.mp4")));
    const packets: MediaPacket[] = [];
    for await (const packet of sound.packets()) {
      packets.push({ ...packet, data: packet.data.slice() });
    }
    const half = packets.slice(0, 20);
    const opus: MovieTrack = {
      ...copiedTrack(sound),
      edits: [],
      async *packets(): AsyncGenerator<MediaPacket> {
        for (const [i, packet] of half.entries()) {
          yield i === half.length - 1 ? { ...packet, discardFrames: 100 } : packet;
        }
      },
    };
    const bytes = await writtenMovie("webm", [copiedTrack(video), opus]);
    const preSkip =
      sound.sound?.trim?.skip ?? new DataView(sound.config.buffer).getUint16(10, true);
    expect(preSkip).toBe(312);
    expect(await frames(bytes)).toBe(20 * 960 - preSkip - 100);
  });

  test("has no edits, and no codec of an MP4", async () => {
    const track = requireVideoTrack(await openBytes(codecFixture("h264-b-frames.mp4")));
    await expect(writtenMovie("webm", [copiedTrack(track)])).rejects.toThrow(RangeError);
    const whole = copiedTrack(track, { edits: [] });
    await expect(writtenMovie("webm", [whole])).rejects.toMatchObject({
      code: "MEDIA_CODEC_UNSUPPORTED",
    });
  });
});

function* seeks(head: Uint8Array): Generator<readonly [id: number, at: number]> {
  for (let at = 0; at < head.byteLength;) {
    const { from, size } = headAt(head, at, 0);
    const seek = head.subarray(from, from + (size ?? 0));
    yield [number(findElement(seek, ID.seekId)), number(findElement(seek, ID.seekPosition))];
    at = from + (size ?? 0);
  }
}

/** Frames that a player presents. */
async function frames(bytes: Uint8Array): Promise<number> {
  const sound = await openSound(new MemorySource(bytes, ""), RULERS);
  let count = 0;
  for await (const block of sound.blocks()) {
    count += block[0]?.length ?? 0;
  }
  return count;
}
