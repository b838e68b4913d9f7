import type { Edit } from "../media-track.ts";
import type { MovieTrack } from "../movie-track.ts";
import type { PacketPlan } from "./packet-plan.ts";
import { sampleEntryFor } from "./made-entry.ts";
import {
  box,
  type BoxPart,
  fullBox,
  joinBytes,
  lazyBox,
  lazyFullBox,
  lazyNumbers,
  numberPieces,
  type LazyPart,
  text,
  u16,
  u32,
  u64,
  UNITY_MATRIX,
} from "./write-box.ts";

/** A track with its tables. */
export interface PlannedTrack {
  /** From 1. */
  readonly id: number;
  readonly track: MovieTrack;
  readonly plan: PacketPlan;
  /** Position of each chunk in the file; may be longer than the list of chunks. */
  offsets: Uint32Array;
  /** Called when the positions are about to be written. */
  readonly onOffsets?: () => void;
}

export interface MovieHead {
  /** "m4a" has the boxes of an MP4. */
  readonly isQuickTime: boolean;
  /** Ticks in a second of all edits. */
  readonly timeScale: number;
}

const LONG = 0xffff_ffff;
const ENABLED = 1;
const IN_MOVIE = 2;
const VOLUME = 0x0100;
const RATE = 0x1_0000;
const TICKS_MAX = 2 ** 31 - 1;
const COPY_MODE = 0;
/** QuickTime's code for no language. */
const UNSPECIFIED = 0x7fff;

/**
 * Ticks in a second of a movie: a multiple of those of all tracks, so that every edit is exact. Where that is too large, the
 * finest of them.
 */
export function movieTimeScale(timeScales: readonly number[]): number {
  let common = 1;
  for (const scale of timeScales) {
    const next = (common / greatestDivisor(common, scale)) * scale;
    if (next > TICKS_MAX) {
      return Math.max(...timeScales);
    }
    common = next;
  }
  return common;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/**
 * The edits of a track from its first packet on, with a duration for each; empty if the whole track is presented from the start of
 * the movie on.
 */
export function placedEdits(edits: readonly Edit[], plan: PacketPlan): readonly PlacedEdit[] {
  const { base, endPts } = plan;
  if (edits.length === 0) {
    // Tables begin at 0, a track that begins later needs a pause, one that begins earlier is cut.
    const start = Math.max(0, -base);
    const whole = { start, duration: Math.max(0, endPts - start) };
    return base === 0 ? [] : [...(base > 0 ? [{ start: null, duration: base }] : []), whole];
  }
  return edits.map(({ start, duration }) => {
    const from = start === null ? null : start - base;
    return { start: from, duration: duration ?? Math.max(0, endPts - (from ?? 0)) };
  });
}

interface PlacedEdit {
  readonly start: number | null;
  readonly duration: number;
}

/** Ticks of the movie that a track is presented for. */
export function presentedTicks({ track, plan }: PlannedTrack, timeScale: number): number {
  const edits = placedEdits(track.edits, plan);
  const inMovie = (ticks: number) => Math.round((ticks * timeScale) / track.timeScale);
  return edits.length === 0
    ? inMovie(Math.max(plan.endPts, plan.duration))
    : edits.reduce((sum, { duration }) => sum + inMovie(duration), 0);
}

/** `mvhd`. There is no time of creation: equal movies are equal files. */
export function movieHeader(timeScale: number, duration: number, tracks: number): Uint8Array {
  const rest = [
    u32(RATE),
    u16(VOLUME, 0),
    u32(0, 0),
    UNITY_MATRIX,
    u32(0, 0, 0, 0, 0, 0, tracks + 1),
  ];
  return duration > LONG
    ? fullBox("mvhd", 1, 0, u64(0, 0), u32(timeScale), u64(duration), ...rest)
    : fullBox("mvhd", 0, 0, u32(0, 0, timeScale, duration), ...rest);
}

/** `trak`. */
export function trackBox(planned: PlannedTrack, movie: MovieHead): LazyPart {
  const { track, plan } = planned;
  const edits = placedEdits(track.edits, plan);
  return lazyBox(
    "trak",
    trackHeader(planned, presentedTicks(planned, movie.timeScale)),
    ...(edits.length === 0 ? [] : [box("edts", editList(edits, track.timeScale, movie.timeScale))]),
    lazyBox(
      "mdia",
      mediaHeader(track, plan, movie),
      handler(track, movie),
      mediaInfo(planned, movie),
    ),
  );
}

function trackHeader({ id, track }: PlannedTrack, duration: number): Uint8Array {
  const { description, picture, kind } = track;
  const isLong = duration > LONG;
  const size =
    description !== null && description.container !== "webm"
      ? description.shownSize
      : shownSize(picture);
  const matrix = picture?.matrix.byteLength === 36 ? picture.matrix : UNITY_MATRIX;
  return fullBox(
    "tkhd",
    isLong ? 1 : 0,
    (track.isDefault ? ENABLED : 0) | IN_MOVIE,
    isLong ? u64(0, 0) : u32(0, 0),
    u32(id, 0),
    isLong ? u64(duration) : u32(duration),
    u32(0, 0),
    u16(0, 0, kind === "sound" ? VOLUME : 0, 0),
    matrix,
    size,
  );
}

/** Size with square pixels, in 65,536ths. */
function shownSize(picture: MovieTrack["picture"]): Uint8Array {
  if (picture === null) {
    return u32(0, 0);
  }
  const [horizontal, vertical] = picture.pixelAspect;
  return u32(
    Math.round((picture.width * horizontal * 0x1_0000) / vertical),
    picture.height * 0x1_0000,
  );
}

function editList(edits: readonly PlacedEdit[], timeScale: number, movieScale: number): Uint8Array {
  const entries = edits.map(({ start, duration }) => ({
    start: start ?? -1,
    duration: Math.round((duration * movieScale) / timeScale),
  }));
  const isLong = entries.some(({ start, duration }) => start > TICKS_MAX || duration > LONG);
  return fullBox(
    "elst",
    isLong ? 1 : 0,
    0,
    u32(entries.length),
    ...entries.map(({ start, duration }) =>
      isLong ? joinBytes(u64(duration, start), u32(RATE)) : u32(duration, start, RATE),
    ),
  );
}

function mediaHeader(
  { timeScale, language }: MovieTrack,
  { duration }: PacketPlan,
  { isQuickTime }: MovieHead,
): Uint8Array {
  const end = u16(packedLanguage(language, isQuickTime), 0);
  return duration > LONG
    ? fullBox("mdhd", 1, 0, u64(0, 0), u32(timeScale), u64(duration), end)
    : fullBox("mdhd", 0, 0, u32(0, 0, timeScale, duration), end);
}

/** Three letters of 5 bits each. */
function packedLanguage(language: string, isQuickTime: boolean): number {
  const letters = /^[a-z]{3}$/.test(language) ? language : "und";
  if (isQuickTime && letters === "und") {
    return UNSPECIFIED;
  }
  return [0, 1, 2].reduce((packed, at) => packed * 32 + letters.charCodeAt(at) - 0x60, 0);
}

const HANDLERS = {
  video: ["vide", "Video"],
  sound: ["soun", "Sound"],
  text: ["sbtl", "Subtitles"],
} as const;

function handler({ kind }: MovieTrack, { isQuickTime }: MovieHead): Uint8Array {
  const [type, name] = HANDLERS[kind];
  return handlerBox(isQuickTime ? "mhlr" : "", type, name, isQuickTime);
}

/** QuickTime has a length before the name, ISO media a zero after it. */
function handlerBox(component: string, type: string, name: string, isQuickTime: boolean) {
  const named = isQuickTime ? text(String.fromCharCode(name.length) + name) : text(`${name}\0`);
  return fullBox(
    "hdlr",
    0,
    0,
    component === "" ? u32(0) : text(component),
    text(type),
    u32(0, 0, 0),
    named,
  );
}

function mediaInfo(planned: PlannedTrack, movie: MovieHead): LazyPart {
  const data = box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1)));
  const isText = planned.track.kind === "text";
  return lazyBox(
    "minf",
    isText && movie.isQuickTime ? genericHeader() : MEDIA_HEADERS[planned.track.kind](),
    ...(movie.isQuickTime ? [handlerBox("dhlr", "url ", "DataHandler", true)] : []),
    data,
    sampleTable(planned, movie),
  );
}

const MEDIA_HEADERS = {
  video: () => fullBox("vmhd", 0, 1, u16(COPY_MODE, 0, 0, 0)),
  sound: () => fullBox("smhd", 0, 0, u16(0, 0)),
  text: () => fullBox("nmhd", 0, 0),
};

/** What QuickTime has for media that are neither pictures nor sound; the colors are those of a dither copy. */
function genericHeader(): Uint8Array {
  return box("gmhd", fullBox("gmin", 0, 0, u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)));
}

/** The positions of the chunks stand first: they may have to be written again, near the beginning of the file. */
function sampleTable(planned: PlannedTrack, movie: MovieHead): LazyPart {
  const { track, plan } = planned;
  const { durations, offsets, keys, sizes, count } = plan;
  const description = sampleEntryFor(track, movie.isQuickTime, plan);
  const isShifted = offsets.count > 2 || offsets.last !== 0;
  const parts: BoxPart[] = [
    fullBox("stsd", description.stsdVersion, 0, u32(1), description.entry),
    chunkOffsets(planned),
    lazyFullBox("stts", 0, 0, u32(durations.count / 2), lazyNumbers(durations)),
    lazyFullBox("stsc", 0, 0, chunkRuns(plan)),
    plan.frameBytes === null
      ? lazyFullBox("stsz", 0, 0, u32(0, count), lazyNumbers(sizes))
      : fullBox("stsz", 0, 0, u32(plan.frameBytes, count)),
  ];
  if (isShifted) {
    // QuickTime's offsets are signed in version 0.
    const version = plan.hasNegativeOffset && !movie.isQuickTime ? 1 : 0;
    parts.push(lazyFullBox("ctts", version, 0, u32(offsets.count / 2), lazyNumbers(offsets)));
    if (plan.hasNegativeOffset) {
      parts.push(shiftBox(plan));
    }
  }
  if (keys !== undefined) {
    parts.push(lazyFullBox("stss", 0, 0, u32(keys.count), lazyNumbers(keys)));
  }
  if (track.codec === "aac") {
    // A packet decodes only with the one before it, which a player must decode first after a jump.
    parts.push(fullBox("sgpd", 1, 0, text("roll"), u32(2, 1), u16(-1)));
    parts.push(fullBox("sbgp", 0, 0, text("roll"), u32(1, count, 1)));
  }
  return lazyBox("stbl", ...parts);
}

function chunkOffsets(planned: PlannedTrack): LazyPart {
  const count = planned.plan.chunkTurns.count;
  const byteLength = count * 4;
  return lazyFullBox("stco", 0, 0, u32(count), {
    byteLength,
    *pieces() {
      planned.onOffsets?.();
      yield* numberPieces(planned.offsets.subarray(0, count));
    },
  });
}

/** First chunk, packets of each and entry of runs of chunks with as many packets. */
function chunkRuns({ chunkPackets }: PacketPlan): Uint8Array {
  const runs: number[] = [];
  let before = 0;
  for (const [chunk, packets] of [...chunkPackets.values()].entries()) {
    if (packets !== before) {
      runs.push(chunk + 1, packets, 1);
      before = packets;
    }
  }
  return u32(runs.length / 3, ...runs);
}

/** `cslg`, which states the range of offsets where some are negative. */
function shiftBox({ offsets, firstPts, endPts }: PacketPlan): Uint8Array {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 1; i < offsets.count; i += 2) {
    const value = offsets.at(i) | 0;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return fullBox("cslg", 0, 0, u32(-least, least, greatest, firstPts, endPts));
}
