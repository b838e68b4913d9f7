import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openMedia } from "../../../../src/media/container/open-media.ts";
import type { MediaTrack, OpenMedia } from "../../../../src/media/container/media-track.ts";
import { videoSeconds } from "../../../../src/media/container/video-seconds.ts";
import { editedBox } from "../../../support/media/box-file.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";

async function opened(name: string): Promise<OpenMedia> {
  const path = new URL(`../../../golden/media/${name}`, import.meta.url).pathname;
  return await openMedia(new MemorySource(await readFile(path), name));
}

/** The same file with other statements of its length. */
async function stated(
  change: Partial<Pick<MediaTrack, "edits" | "duration">>,
  seconds: number | null,
): Promise<OpenMedia> {
  const media = await opened("h264.mp4");
  return {
    ...media,
    seconds,
    tracks: media.tracks.map((track) => ({ ...track, edits: [], duration: null, ...change })),
  };
}

// As ffprobe states them.
test.each([
  ["h264-aac.mp4", 0.4],
  ["h264.mp4", 0.4],
  ["vp8-opus.webm", 0.407],
])("the video of %s has %d s", async (name, seconds) => {
  expect(await videoSeconds(await opened(name))).toBeCloseTo(seconds, 6);
});

test("an edit list outranks the track, the track the file, and the file its packets", async () => {
  const [track] = (await opened("h264.mp4")).tracks;
  const second = track!.timeScale;
  const edits = [
    { start: null, duration: second },
    { start: 0, duration: 2 * second },
  ];
  expect(await videoSeconds(await stated({ edits, duration: second }, 9))).toBe(3);
  const open = [{ start: 0, duration: null }];
  expect(await videoSeconds(await stated({ edits: open, duration: second }, 9))).toBe(1);
  expect(await videoSeconds(await stated({ duration: second }, 9))).toBe(1);
  expect(await videoSeconds(await stated({}, 9))).toBe(9);
  // Without its edit list the first picture is presented at 0.08 s.
  expect(await videoSeconds(await stated({}, null))).toBeCloseTo(0.48, 6);
});

test("without an edit list it ends with the picture that is presented last", async () => {
  const film = editedBox(codecFixture("h264-b-frames.mp4"), "moov/trak/edts", () => undefined);
  const media = await openMedia(new MemorySource(film, "e"));
  const [track] = media.tracks;
  await track!.prepare();
  const stated = track!.duration! / track!.timeScale;
  let first = Number.POSITIVE_INFINITY;
  for await (const { pts } of track!.heads!()) {
    first = Math.min(first, pts);
  }
  expect(first).toBeGreaterThan(0);
  const end = stated + first / track!.timeScale;
  expect(await videoSeconds(media)).toBeCloseTo(end, 6);
  // As in a fragmented MP4, whose track states no duration, and in a WebM without a table of packets.
  const unstated = { ...track!, duration: null };
  expect(await videoSeconds({ ...media, seconds: stated, tracks: [unstated] })).toBeCloseTo(end, 6);
  const streamed: MediaTrack = { ...unstated };
  delete streamed.heads;
  expect(await videoSeconds({ ...media, seconds: null, tracks: [streamed] })).toBeCloseTo(end, 6);
});

test("a WebM that states neither its length nor that of a picture ends after its last picture", async () => {
  const media = await openMedia(new MemorySource(codecFixture("vp8.webm"), "e"));
  expect(await videoSeconds({ ...media, seconds: null })).toBeCloseTo(0.96, 6);
});

test("a file without a video is refused", async () => {
  await expect(videoSeconds(await opened("aac.m4a"))).rejects.toThrow(
    expect.objectContaining({ code: "VIDEO_TRACK_MISSING" }) as Error,
  );
});
