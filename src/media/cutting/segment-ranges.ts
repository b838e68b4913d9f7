import { NodeError } from "../../lib/errors/node-error.ts";

/** A part of a sound, in seconds. */
export interface TimedSegment {
  readonly start: number;
  readonly end: number;
}

/** A part of a sound in frames: from the first one up to, not including, the last one. */
export interface FrameRange {
  /** Position among the segments. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The frames of each segment: round(start × rate) up to round(end × rate), at most the end of the sound. Throws NodeError
 * `SEGMENT_OUT_OF_RANGE` for a start at or behind the end, `MEDIA_EMPTY` for a segment that is shorter than a sample.
 */
export function frameRanges(
  segments: readonly TimedSegment[],
  sampleRate: number,
  frames: number,
): readonly FrameRange[] {
  return segments.map(({ start, end }, index) => {
    const from = Math.round(start * sampleRate);
    const to = Math.min(Math.round(end * sampleRate), frames);
    if (from >= frames) {
      throw outOfRange(index, start, frames / sampleRate, "sound");
    }
    if (to === from) {
      throw new NodeError(
        "MEDIA_EMPTY",
        `Segment ${index} from ${start} to ${end} s has no sample. Make it longer.`,
      );
    }
    return { index, from, to };
  });
}

/** `SEGMENT_OUT_OF_RANGE` for a start, all in seconds. */
export function outOfRange(
  index: number,
  start: number,
  seconds: number,
  kind: "sound" | "video",
): NodeError {
  return new NodeError(
    "SEGMENT_OUT_OF_RANGE",
    `Segment ${index} starts at ${start} s, and the ${kind} ends at ${shownSeconds(seconds)} s. Choose a start before its end.`,
  );
}

function shownSeconds(seconds: number): string {
  return String(Math.round(seconds * 1e6) / 1e6);
}

/** The ranges in as few groups as possible, so that those of a group follow each other without an overlap. */
export function groupsWithoutOverlap(
  ranges: readonly FrameRange[],
): readonly (readonly FrameRange[])[] {
  const groups: FrameRange[][] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const group = groups.find((one) => (one.at(-1)?.to ?? 0) <= range.from);
    if (group === undefined) {
      groups.push([range]);
    } else {
      group.push(range);
    }
  }
  return groups;
}
