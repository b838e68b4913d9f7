import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openMedia } from "../../../../src/media/container/open-media.ts";
import type { MediaTrack, OpenMedia } from "../../../../src/media/container/media-track.ts";
import { videoSeconds } from "../../../../src/media/container/video-seconds.ts";

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
  expect(await videoSeconds(await stated({}, null))).toBeCloseTo(0.4, 6);
});

test("a file without a video is refused", async () => {
  await expect(videoSeconds(await opened("aac.m4a"))).rejects.toThrow(
    expect.objectContaining({ code: "VIDEO_TRACK_MISSING" }) as Error,
  );
});
