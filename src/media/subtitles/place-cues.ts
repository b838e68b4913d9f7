import { LIMITS } from "../../lib/limits/limits-table.ts";
import { invalidSubtitles, type SubtitleCue } from "./subtitle-cue.ts";

const SAMPLE_BYTES_MAX = LIMITS.subtitle_sample.value;
const TRACK_BYTES_MAX = LIMITS.subtitle_track.value;

/**
 * The cues as a video shows them: sorted by start (equal ones in the order of the document), moved by the offset, cut at 0 and at the end
 * of the video. Cues wholly outside and cues without text are dropped.
 */
export function placeCues(
  cues: readonly SubtitleCue[],
  video: { readonly offsetMs: number; readonly durationMs: number },
): readonly SubtitleCue[] {
  return cues
    .toSorted((a, b) => a.startMs - b.startMs)
    .flatMap(({ startMs, endMs, text }) => {
      const placed = {
        startMs: Math.max(0, startMs + video.offsetMs),
        endMs: Math.min(video.durationMs, endMs + video.offsetMs),
        text,
      };
      return text.trim() === "" || placed.endMs <= placed.startMs ? [] : [placed];
    });
}

/**
 * Consecutive samples of a track that shows one text at a time: where cues overlap, a sample holds the lines of all of
 * them, the earlier cue first. Where none is due there is a sample with an empty text. `cues` are those of `placeCues`.
 * Throws NodeError `SUBTITLES_INVALID` if a sample, or all of them, would be too large.
 */
export function* consecutiveSamples(cues: readonly SubtitleCue[]): Generator<SubtitleCue> {
  const times = [...new Set([0, ...cues.flatMap(({ startMs, endMs }) => [startMs, endMs])])].sort(
    (a, b) => a - b,
  );
  let next = 0;
  let trackBytes = 0;
  let due: { readonly cue: SubtitleCue; readonly bytes: number }[] = [];
  for (const [index, startMs] of times.entries()) {
    const endMs = times[index + 1];
    if (endMs === undefined) {
      return;
    }
    due = due.filter(({ cue }) => cue.endMs > startMs);
    for (let cue = cues[next]; cue !== undefined && cue.startMs <= startMs; cue = cues[next]) {
      due.push({ cue, bytes: new TextEncoder().encode(cue.text).byteLength + 1 });
      next++;
    }
    const bytes = due.reduce((sum, one) => sum + one.bytes, 0);
    trackBytes += bytes;
    if (bytes > SAMPLE_BYTES_MAX || trackBytes > TRACK_BYTES_MAX) {
      throw invalidSubtitles(
        `So many cues are shown at once that the track of the video cannot hold them. Let fewer of them overlap.`,
        { cue: next },
      );
    }
    yield { startMs, endMs, text: due.map(({ cue }) => cue.text).join("\n") };
  }
}
