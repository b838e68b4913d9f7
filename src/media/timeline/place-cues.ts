/** Where each clip of a timeline plays (docs/contract/media.md#timeline): decisions only, no samples. */
import type {
  AudioTimeline,
  CUE_STATES,
  MISSING_CUE_POLICIES,
  OVERLAP_POLICIES,
} from "../../contracts/media/audio-timeline.ts";
import type { QualityCheck, QualityCheckItem } from "../../contracts/quality-check.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { SoundShape } from "../audio-block.ts";
import { buildQualityCheck, soundFields } from "../dsp/quality-report.ts";

/** An element of the columns of the node; null: it has no value there. */
export interface TimelineElement {
  readonly index: number;
  readonly cueId: string | null;
  readonly speaker: string | null;
  /** In seconds. */
  readonly start: number | null;
  readonly end: number | null;
  readonly hasClip: boolean;
}

/** An element with all that a cue needs. */
export interface Cue extends TimelineElement {
  readonly cueId: string;
  readonly start: number;
  readonly end: number;
}

export interface CueRules {
  readonly missingCuePolicy: (typeof MISSING_CUE_POLICIES)[number];
  /** Given duration of the timeline; null: that of its content. */
  readonly durationSeconds: number | null;
}

const IDS_NAMED = 20;

/** Longest timeline, in seconds: that of every sound which is decoded whole. */
const SECONDS_MAX = LIMITS.decoded_duration.value / 1_000;

/** Cues that are named for each overlap; further ones count all the same. */
const OVERLAPS_NAMED = 100;

/** Characters of all ids that overlaps name: the manifest is one value. */
const OVERLAP_CHARS_MAX = 8 * 1024 * 1024;

/** Ids for a message, at most 20 of them. */
export function namedIds(ids: readonly string[]): string {
  const named = ids.slice(0, IDS_NAMED).map((id) => JSON.stringify(id.slice(0, 100)));
  const rest = ids.length - named.length;
  return `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/**
 * Checks the elements and sorts them by their start, equal ones by their index. Throws TIMELINE_CUE_INVALID,
 * TIMELINE_CUE_DUPLICATE and TIMELINE_CUE_MISSING, and MEDIA_EMPTY if there is neither an element nor a duration.
 */
export function orderCues(elements: readonly TimelineElement[], rules: CueRules): readonly Cue[] {
  checkDuration(rules.durationSeconds);
  if (elements.length === 0 && rules.durationSeconds === null) {
    throw new NodeError(
      "MEDIA_EMPTY",
      "The timeline has no cue and no duration. Send a cue, or set timeline_duration.",
    );
  }
  const cues = elements.map((element) => validCue(element, rules.durationSeconds));
  const seen = new Set<string>();
  const repeated = cues.filter(({ cueId }) => seen.size === seen.add(cueId).size);
  if (repeated.length > 0) {
    throw new NodeError(
      "TIMELINE_CUE_DUPLICATE",
      `More than one cue has the id ${namedIds([...new Set(repeated.map(({ cueId }) => cueId))])}. Give each cue an id of its own.`,
    );
  }
  const missing = cues.filter(({ hasClip }) => !hasClip);
  if (missing.length > 0 && rules.missingCuePolicy === "fail") {
    throw new NodeError(
      "TIMELINE_CUE_MISSING",
      `There is no clip for the cue ${namedIds(missing.map(({ cueId }) => cueId))}. Fix what makes the clips, or set missing_cue_policy to warn.`,
    );
  }
  return cues.toSorted((a, b) => a.start - b.start || a.index - b.index);
}

/** Of the timeline. A parameter is in its range, and an input may have any number. */
function checkDuration(seconds: number | null): void {
  if (seconds === null || (seconds > 0 && seconds <= SECONDS_MAX)) {
    return;
  }
  if (seconds > SECONDS_MAX) {
    throw timelineTooLong(seconds);
  }
  throw new NodeError(
    "TIMELINE_CUE_INVALID",
    `timeline_duration is ${seconds} s; it must be above 0. Send a duration, or leave it out.`,
  );
}

function timelineTooLong(seconds: number): NodeError {
  return new NodeError(
    "MEDIA_TOO_LONG",
    `The timeline has ${seconds} s; at most ${SECONDS_MAX} s are accepted. Set timeline_duration, or make several timelines.`,
  );
}

function validCue(element: TimelineElement, durationSeconds: number | null): Cue {
  const { index, cueId, start, end } = element;
  if (cueId === null || cueId === "" || start === null || end === null) {
    const absent = [
      cueId === null || cueId === "" ? "cue_id" : "",
      start === null ? "start" : "",
      end === null ? "end" : "",
    ].filter((name) => name !== "");
    throw new NodeError(
      "TIMELINE_CUE_INVALID",
      `Element ${index} has no ${absent.join(" and no ")}. Each cue needs an id, a start and an end. Add what is missing.`,
    );
  }
  const rule = brokenRule(element, start, end, durationSeconds);
  if (rule !== undefined) {
    throw new NodeError(
      "TIMELINE_CUE_INVALID",
      `Cue ${namedIds([cueId])} (element ${index}) is from ${start} to ${end} s; ${rule}. Correct the cue.`,
    );
  }
  return { ...element, cueId, start, end };
}

function brokenRule(
  { cueId, speaker }: TimelineElement,
  start: number,
  end: number,
  duration: number | null,
): string | undefined {
  if (Math.max(cueId?.length ?? 0, speaker?.length ?? 0) > LIMITS.cue_text.value) {
    return `an id and a speaker have at most ${LIMITS.cue_text.value} characters`;
  }
  if (!Number.isFinite(start) || !Number.isFinite(end)) {
    return "both must be finite";
  }
  if (start < 0) {
    return "the start must be at least 0";
  }
  if (end <= start) {
    return "the end must be after the start";
  }
  return duration !== null && start >= duration
    ? `the start must be before the end of the timeline at ${duration} s`
    : undefined;
}

/** A cue with its place, in frames of the timeline. */
export interface PlacedCue {
  readonly cue: Cue;
  readonly startFrame: number;
  /** Frames that play. */
  readonly frames: number;
  /** Of those, the last ones over which the clip fades out. */
  readonly fadeFrames: number;
  readonly sourceFrames: number;
  readonly state: (typeof CUE_STATES)[number];
  readonly overlaps: readonly string[];
}

export interface PlacedTimeline {
  readonly frames: number;
  /** In order of placement. */
  readonly cues: readonly PlacedCue[];
  readonly gaps: readonly { readonly start: number; readonly end: number }[];
}

export interface PlacementRules {
  readonly sampleRate: number;
  readonly overlapPolicy: (typeof OVERLAP_POLICIES)[number];
  readonly fadeMs: number;
  readonly durationSeconds: number | null;
}

/**
 * Places ordered cues. `sourceFrames` returns the length of an element's clip at the timeline's rate. Throws
 * TIMELINE_OVERLAP, MEDIA_TOO_LONG, MEDIA_EMPTY for less than a sample, and VALUE_TOO_LARGE for more overlaps than a
 * manifest can name.
 */
export function placeCues(
  cues: readonly Cue[],
  sourceFrames: (index: number) => number,
  rules: PlacementRules,
): PlacedTimeline {
  const { sampleRate, durationSeconds } = rules;
  const fadeFrames = Math.round((rules.fadeMs / 1000) * sampleRate);
  const clips = cues.map((cue) => ({
    cue,
    start: Math.round(cue.start * sampleRate),
    source: cue.hasClip ? sourceFrames(cue.index) : 0,
    overlaps: [] as string[],
    end: 0,
    isTrimmed: false,
  }));
  let playing: (typeof clips)[number][] = [];
  let chars = 0;
  const nameOverlap = (clip: (typeof clips)[number], other: (typeof clips)[number]) => {
    if (clip.overlaps.length < OVERLAPS_NAMED) {
      clip.overlaps.push(other.cue.cueId);
      chars += other.cue.cueId.length;
    }
  };
  for (const clip of clips) {
    clip.end = clip.start + clip.source;
    if (!clip.cue.hasClip) {
      continue;
    }
    // By the whole clips: a clip that ends early for another still overlaps with it.
    playing = playing.filter(({ start, source }) => start + source > clip.start);
    for (const other of playing) {
      if (rules.overlapPolicy === "fail") {
        throw new NodeError(
          "TIMELINE_OVERLAP",
          `Cue ${namedIds([clip.cue.cueId])} starts at ${clip.cue.start} s, while cue ${namedIds([other.cue.cueId])} plays until ${other.end / sampleRate} s. Move a cue, or set overlap_policy to mix or trim_previous.`,
        );
      }
      nameOverlap(other, clip);
      nameOverlap(clip, other);
      if (chars > OVERLAP_CHARS_MAX) {
        throw new NodeError(
          "VALUE_TOO_LARGE",
          `The ids of the cues that overlap have more than ${OVERLAP_CHARS_MAX} characters. Use shorter ids, or fewer cues at a time.`,
        );
      }
      if (rules.overlapPolicy === "trim_previous" && other.end > clip.start) {
        other.end = clip.start;
        other.isTrimmed = true;
      }
    }
    playing.push(clip);
  }
  const frames =
    durationSeconds === null
      ? clips.reduce(
          (last, { cue, end }) => Math.max(last, Math.round(cue.end * sampleRate), end),
          0,
        )
      : Math.round(durationSeconds * sampleRate);
  if (frames > SECONDS_MAX * sampleRate) {
    throw timelineTooLong(frames / sampleRate);
  }
  if (frames === 0) {
    throw new NodeError(
      "MEDIA_EMPTY",
      "The timeline is shorter than one sample. Send a longer cue, or set timeline_duration.",
    );
  }
  const placed = clips.map(({ cue, start, source, end, overlaps, isTrimmed }): PlacedCue => {
    const count = Math.max(0, Math.min(end, frames) - start);
    const isTruncated = cue.hasClip && end > frames;
    return {
      cue,
      startFrame: start,
      frames: count,
      fadeFrames: isTrimmed && !isTruncated ? Math.min(fadeFrames, count) : 0,
      sourceFrames: source,
      state: stateOf(cue.hasClip, isTruncated, isTrimmed),
      overlaps,
    };
  });
  return { frames, cues: placed, gaps: findGaps(placed, frames) };
}

function stateOf(hasClip: boolean, isTruncated: boolean, isTrimmed: boolean) {
  if (!hasClip) {
    return "missing";
  }
  if (isTruncated) {
    return "truncated";
  }
  return isTrimmed ? "trimmed" : "placed";
}

function findGaps(cues: readonly PlacedCue[], frames: number): PlacedTimeline["gaps"] {
  const gaps: { start: number; end: number }[] = [];
  let covered = 0;
  for (const { startFrame, frames: count } of cues) {
    if (count > 0) {
      if (startFrame > covered) {
        gaps.push({ start: covered, end: startFrame });
      }
      covered = Math.max(covered, startFrame + count);
    }
  }
  if (covered < frames) {
    gaps.push({ start: covered, end: frames });
  }
  return gaps;
}

/** What the manifest says besides the placement. */
export interface TimelineSettings extends PlacementRules, CueRules, SoundShape {
  readonly durationSource: AudioTimeline["duration_source"];
  readonly skippedItems: number;
  readonly overloadGainDb: number;
}

/** The placement as `svc.audio-timeline/v1`. */
export function buildTimeline(
  { frames, cues, gaps }: PlacedTimeline,
  settings: TimelineSettings,
): AudioTimeline {
  return {
    schema: "svc.audio-timeline/v1",
    ...soundFields(settings, frames),
    duration_source: settings.durationSource,
    overlap_policy: settings.overlapPolicy,
    missing_cue_policy: settings.missingCuePolicy,
    skipped_items: settings.skippedItems,
    overload_gain_db: settings.overloadGainDb,
    cues: cues.map(({ cue, startFrame, frames: samples, sourceFrames, state, overlaps }) => ({
      index: cue.index,
      cue_id: cue.cueId,
      speaker: cue.speaker,
      start_seconds: cue.start,
      end_seconds: cue.end,
      start_sample: startFrame,
      samples,
      source_samples: sourceFrames,
      state,
      overlaps: [...overlaps],
    })),
    gaps: gaps.map(({ start, end }) => ({ start_sample: start, end_sample: end })),
  };
}

/** The checks of `aggregate/audio_timeline`; each counts cues. */
export function checkTimeline({ cues }: PlacedTimeline, sampleRate: number): QualityCheck {
  const check = (id: string, found: readonly PlacedCue[], what: string): QualityCheckItem => ({
    id,
    passed: found.length === 0,
    severity: "warning",
    measured: found.length,
    expected: 0,
    message:
      found.length === 0
        ? `No cue ${what}.`
        : `Cues of which each ${what}: ${namedIds(found.map(({ cue }) => cue.cueId))}.`,
  });
  return buildQualityCheck("Timeline", [
    check(
      "missing_cues",
      cues.filter(({ state }) => state === "missing"),
      "has no clip",
    ),
    check(
      "overlaps",
      cues.filter(({ overlaps }) => overlaps.length > 0),
      "overlaps with another",
    ),
    check(
      "truncated",
      cues.filter(({ state }) => state === "truncated"),
      "is cut at the end",
    ),
    check(
      "overrun",
      cues.filter(
        ({ cue, startFrame, sourceFrames }) =>
          startFrame + sourceFrames > Math.round(cue.end * sampleRate),
      ),
      "has a clip longer than its window",
    ),
  ]);
}
