import { emptyMedia } from "../container/media-error.ts";
import type { ContainerName, Edit, MediaTrack, OpenMedia } from "../container/media-track.ts";
import { requireSoundTrack, requireVideoTrack } from "../container/open-media.ts";
import { statedDurationNs } from "../container/webm/track-entry.ts";
import { headsOf } from "./copied-sound.ts";

/** A part of a video that is presented, in its own ticks; `start` null for a pause. */
export interface ShownPart {
  readonly start: number | null;
  readonly duration: number;
}

/** What is known of the video of a file once its times were read. All times are in ticks of its track. */
export interface FilmClip {
  readonly container: ContainerName;
  readonly video: MediaTrack;
  readonly sound: MediaTrack | null;
  readonly firstDts: number;
  readonly firstPts: number;
  readonly endPts: number;
  /** Empty where the whole track is presented from tick 0 on. */
  readonly parts: readonly ShownPart[];
  /** Pictures of which no half tick is presented. */
  readonly hidden: number;
  /** Ticks that a player shows, from the start of the file on. */
  readonly duration: number;
}

/** Reads the times of all pictures of a file. Throws NodeError `VIDEO_TRACK_MISSING`, `MEDIA_EMPTY`, and those of the readers. */
export async function inspectFilm(media: OpenMedia): Promise<FilmClip> {
  const video = requireVideoTrack(media);
  const sound = media.tracks.some(({ kind }) => kind === "sound") ? requireSoundTrack(media) : null;
  await video.prepare();
  const usual = (statedDurationNs(video.description) * video.timeScale) / 1e9;
  let [firstDts, lastDts, step, count] = [0, 0, 0, 0];
  let [firstPts, endPts] = [Number.POSITIVE_INFINITY, 0];
  const lengthOf = (stated: number) => stated || Math.round(usual) || step;
  for await (const { dts, pts, duration } of headsOf(video)) {
    firstDts = count === 0 ? dts : firstDts;
    step = count === 0 ? 0 : dts - lastDts;
    lastDts = dts;
    firstPts = Math.min(firstPts, pts);
    endPts = Math.max(endPts, pts + lengthOf(duration));
    count++;
  }
  if (count === 0) {
    throw emptyMedia("video");
  }
  const parts = shownParts(video.edits, endPts);
  return {
    container: media.container,
    video,
    sound,
    firstDts,
    firstPts,
    endPts,
    parts,
    hidden: parts.length === 0 ? 0 : await countHidden(video, parts, lengthOf),
    duration: parts.length === 0 ? endPts : parts.reduce((sum, part) => sum + part.duration, 0),
  };
}

function shownParts(edits: readonly Edit[], endPts: number): readonly ShownPart[] {
  return edits.map(({ start, duration }) => ({
    start,
    duration: duration ?? Math.max(0, endPts - (start ?? 0)),
  }));
}

async function countHidden(
  video: MediaTrack,
  parts: readonly ShownPart[],
  lengthOf: (stated: number) => number,
): Promise<number> {
  let hidden = 0;
  for await (const { pts, duration } of headsOf(video)) {
    const end = pts + lengthOf(duration);
    const isShown = parts.some(
      (part) =>
        part.start !== null && end - part.start > 0.5 && part.start + part.duration - pts > 0.5,
    );
    hidden += isShown ? 0 : 1;
  }
  return hidden;
}
