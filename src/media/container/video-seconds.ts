import { emptyMedia, missingTrack } from "./media-error.ts";
import type { MediaTrack, OpenMedia } from "./media-track.ts";

/**
 * How long a player shows the first track of video, in seconds: by its edit list, else by the track, else by the header of
 * the file, else by the times of its packets. Throws NodeError `VIDEO_TRACK_MISSING`, `MEDIA_EMPTY` for a track without
 * packets, and those of `MediaTrack.packets`.
 */
export async function videoSeconds({ tracks, seconds }: OpenMedia): Promise<number> {
  const track = tracks.find(({ kind }) => kind === "video");
  if (track === undefined) {
    throw missingTrack("video");
  }
  const { edits, duration, timeScale } = track;
  const edited = edits.reduce<number | null>(
    (sum, edit) => (sum === null || edit.duration === null ? null : sum + edit.duration),
    0,
  );
  const ticks = edits.length > 0 && edited !== null ? edited : duration;
  if (ticks !== null && ticks > 0) {
    return ticks / timeScale;
  }
  return seconds !== null && seconds > 0 ? seconds : await packetSeconds(track);
}

async function packetSeconds(track: MediaTrack): Promise<number> {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for await (const { pts, duration } of track.packets()) {
    from = Math.min(from, pts);
    to = Math.max(to, pts + duration);
  }
  if (to < from) {
    throw emptyMedia("video");
  }
  return (to - from) / track.timeScale;
}
