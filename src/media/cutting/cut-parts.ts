import type { PresentedPart } from "../container/decode-track.ts";

/** A part of a presentation whose length is known. `start` null is a pause. */
export interface CutPart {
  readonly start: number | null;
  readonly frames: number;
}

/**
 * The parts of a presentation from one of its frames (or ticks) up to another: what an edit list of the cut says, in
 * the times of the source. A part of unknown length reaches to the end.
 */
export function cutParts(
  parts: readonly PresentedPart[],
  from: number,
  to: number,
): readonly CutPart[] {
  const cut: CutPart[] = [];
  let at = 0;
  for (const { start, frames } of parts) {
    const end = frames === null ? Number.POSITIVE_INFINITY : at + frames;
    const [first, last] = [Math.max(at, from), Math.min(end, to)];
    if (first < last) {
      cut.push({ start: start === null ? null : start + first - at, frames: last - first });
    }
    at = end;
  }
  return cut;
}

/** First frame of the media in the parts and the one after the last; undefined if all of them are pauses. */
export function mediaSpan(
  parts: readonly CutPart[],
): { readonly from: number; readonly to: number } | undefined {
  const media = parts.flatMap(({ start, frames }) => (start === null ? [] : [{ start, frames }]));
  return media.length === 0
    ? undefined
    : {
        from: Math.min(...media.map(({ start }) => start)),
        to: Math.max(...media.map(({ start, frames }) => start + frames)),
      };
}
