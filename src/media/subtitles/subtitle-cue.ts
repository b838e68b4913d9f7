import { NodeError } from "../../lib/errors/node-error.ts";

/** One subtitle, in whole milliseconds from the beginning of the video; `end` is after `start`. */
export interface SubtitleCue {
  readonly startMs: number;
  readonly endMs: number;
  /** Plain text without tags; lines are separated by `\n`. */
  readonly text: string;
}

/** Where a document is wrong: the number of the cue and of the line, both from 1. */
interface Place {
  readonly cue?: number;
  readonly line?: number;
}

/** NodeError `SUBTITLES_INVALID` that names the cue and the line. */
export function invalidSubtitles(problem: string, { cue, line }: Place = {}): NodeError {
  const named = [
    ...(cue === undefined ? [] : [`cue ${cue}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ].join(", ");
  return new NodeError(
    "SUBTITLES_INVALID",
    named === "" ? problem : `The subtitles are invalid at ${named}: ${problem}`,
  );
}
