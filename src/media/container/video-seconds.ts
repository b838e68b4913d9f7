import { emptyMedia, missingTrack } from "./media-error.ts";
import type { MediaTrack, OpenMedia } from "./media-track.ts";
import { statedDurationNs } from "./webm/track-entry.ts";

/**
 * How long a player shows the first track of video, in seconds: by its edit list, else by the track, else by the header of
 * the file, else by the times of its packets. Without an edit list the pictures of a track begin where the first one is presented,
 * often later than 0, and end as much later than their durations add up to. Throws NodeError `VIDEO_TRACK_MISSING`, `MEDIA_EMPTY` for a track without
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
  if (edits.length > 0 && edited !== null && edited > 0) {
    return edited / timeScale;
  }
  const stated = duration !== null && duration > 0 ? duration / timeScale : (seconds ?? 0);
  if (edits.length > 0 && stated > 0) {
    return stated;
  }
  const shown = Math.max(stated, (await lastTick(track)) / timeScale);
  return shown > 0 ? shown : await packetSeconds(track);
}

/** The end of the picture that is presented last, where the container lists the times of its packets; else 0. */
async function lastTick(track: MediaTrack): Promise<number> {
  let end = 0;
  for await (const head of track.heads?.() ?? []) {
    end = Math.max(end, head.pts + head.duration);
  }
  return end;
}

/** A WebM often states no durations: those of its description, or the last distance of two pictures, stand for them. */
async function packetSeconds(track: MediaTrack): Promise<number> {
  const usual = Math.round((statedDurationNs(track.description) * track.timeScale) / 1e9);
  let end = Number.NEGATIVE_INFINITY;
  let lastDts: number | null = null;
  for await (const { pts, dts, duration } of track.packets()) {
    const step = lastDts === null ? 0 : dts - lastDts;
    lastDts = dts;
    end = Math.max(end, pts + (duration || usual || step));
  }
  if (end === Number.NEGATIVE_INFINITY) {
    throw emptyMedia("video");
  }
  return end / track.timeScale;
}
