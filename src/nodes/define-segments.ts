/** The parameter `segments` of nodes that cut, and the ports that follow from it (docs/contract/media.md#times). */
import * as z from "zod";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { parseMediaTime } from "../lib/media-time.ts";
import type { DynamicPortDescriptor, OutputPort } from "./define-ports.ts";

/** A part of a sound or video, in seconds from its beginning. `end` may lie behind the end of the file. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

interface SegmentTexts {
  readonly start: string;
  readonly end: string;
}

const SEGMENTS_MAX = LIMITS.segments.value;

const timeField = z.string().refine((text) => parseMediaTime(text) !== undefined, {
  error:
    "Must be a time: seconds such as 12 or 12.5, or HH:MM:SS such as 00:01:02.250, with at most 9 decimals and without a sign or spaces",
});

const segmentField = z.strictObject({ start: timeField, end: timeField }).refine(isForward, {
  path: ["end"],
  error: "Must be later than the start of the segment",
});

/** A malformed time has an issue of its own. */
function isForward({ start, end }: SegmentTexts): boolean {
  const [from, to] = [parseMediaTime(start), parseMediaTime(end)];
  return from === undefined || to === undefined || from < to;
}

export const segmentsField = z.array(segmentField).min(1).max(SEGMENTS_MAX).meta({
  title: "Segments",
  description:
    "1 to 20 parts, each with a start and an end: seconds (12.5) or HH:MM:SS (00:01:02.250). They may overlap and stand in any order; each has an output of its own.",
});

export function segmentsOf(texts: readonly SegmentTexts[]): readonly Segment[] {
  return texts.map(({ start, end }) => ({ start: secondsOf(start), end: secondsOf(end) }));
}

function secondsOf(text: string): number {
  const seconds = parseMediaTime(text);
  if (seconds === undefined) {
    throw new RangeError(`"${text}" is not a time, and segmentsField accepted it.`);
  }
  return seconds;
}

export const segmentPort = (index: number) => `segment_${index}`;

/** The ports of a node with `segments`. */
export function segmentPorts(type: "audio" | "video") {
  const descriptor: DynamicPortDescriptor = {
    derivation: "positional",
    direction: "output",
    parameter: "segments",
    name_pattern: "segment_{index}",
    index_base: 0,
    port_type: type,
    min_count: 1,
    max_count: SEGMENTS_MAX,
    mode: "array_length",
  };
  return {
    descriptors: [descriptor],
    resolve: ({ segments }: { readonly segments: readonly unknown[] }) => ({
      outputs: segments.map((_segment, index): OutputPort => ({ name: segmentPort(index), type })),
    }),
  };
}
