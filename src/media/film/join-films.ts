import { NodeError } from "../../lib/errors/node-error.ts";
import type { Edit, MediaPacket, MediaTrack, PacketHead } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import { copiedTrack } from "../container/movie-writer.ts";
import { movieTimeScale } from "../container/mp4/movie-box.ts";
import type { FilmClip, ShownPart } from "./film-clip.ts";
import { headsOf } from "./copied-sound.ts";

/** A clip with its place in the joined movie, in ticks of that. */
export interface JoinedClip {
  /** Decoding time of its first packet. */
  readonly base: number;
  /** Start and end of what is shown of it. */
  readonly from: number;
  readonly to: number;
  /** Seconds at the start of its file that are not shown, because its first picture stands at `from`. */
  readonly cutSeconds: number;
}

export interface JoinedFilms {
  readonly timeScale: number;
  readonly clips: readonly JoinedClip[];
  readonly track: MovieTrack;
}

/** A property that all clips have in common. */
interface Property {
  readonly name: string;
  readonly of: (clip: FilmClip) => string;
}

const SHOWN_CONFIG_BYTES = 48;

const PROPERTIES: readonly Property[] = [
  { name: "container", of: ({ container }) => (container === "webm" ? "WebM" : "MP4 or MOV") },
  { name: "video codec", of: ({ video }) => video.codecId },
  {
    name: "coded size",
    of: ({ video }) => `${video.picture?.width ?? 0} × ${video.picture?.height ?? 0}`,
  },
  { name: "rotation", of: ({ video }) => `${video.picture?.rotation ?? 0}°` },
  { name: "decoder configuration", of: ({ video }) => configText(video.config) },
];

function configText(config: Uint8Array): string {
  const hex = config.reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "");
  return hex === "" ? "none" : hex;
}

/** Throws NodeError `CONCAT_INCOMPATIBLE` for the first clip that cannot follow the first one. `number`: from 1. */
export function checkJoinable(first: FilmClip, clip: FilmClip, number: number): void {
  for (const { name, of } of PROPERTIES) {
    const [expected, found] = [of(first), of(clip)];
    if (expected !== found) {
      throw incompatible(number, name, shown(found, expected), shown(expected, found));
    }
  }
  // The first clip may hide pictures: its edits stand first.
  if (clip.hidden > 0 && number > 1) {
    throw incompatible(number, "edit list", `${clip.hidden} hidden pictures`, "none");
  }
}

/** The text from shortly before its first difference on. */
function shown(value: string, other: string): string {
  if (value.length <= SHOWN_CONFIG_BYTES) {
    return value;
  }
  let at = 0;
  while (at < value.length && value[at] === other[at]) {
    at++;
  }
  const from = Math.max(0, Math.min(at - 8, value.length - SHOWN_CONFIG_BYTES));
  return `${from > 0 ? "…" : ""}${value.slice(from, from + SHOWN_CONFIG_BYTES)}${from + SHOWN_CONFIG_BYTES < value.length ? "…" : ""}`;
}

function incompatible(number: number, name: string, found: string, expected: string): NodeError {
  return new NodeError(
    "CONCAT_INCOMPATIBLE",
    `Clip ${number} has another ${name} than the first clip: ${found} instead of ${expected}. Make all clips with the same settings of the encoder.`,
  );
}

/**
 * Joins the videos of clips, one after another, without a change of their packets. `open`: opens the video of a clip again; only
 * one is open at a time, because each holds its tables.
 */
export function joinFilms(
  films: readonly FilmClip[],
  open: (index: number) => Promise<MediaTrack>,
): JoinedFilms {
  const [first] = films;
  if (first === undefined) {
    throw new RangeError("At least one clip is joined.");
  }
  const isWebm = first.container === "webm";
  const timeScale = isWebm
    ? first.video.timeScale
    : movieTimeScale(films.map(({ video }) => video.timeScale));
  const { clips, edits } = placeClips(films, timeScale, isWebm);
  const places = clips.map((clip) => clip.base);
  const [edit] = edits;
  const isWhole = edits.length === 1 && edit?.start === 0 && first.video.edits.length === 0;
  const heads = () => joinedPackets(films, places, timeScale, open, headsOf);
  const track = copiedTrack(first.video, {
    timeScale,
    edits: isWebm || isWhole ? [] : edits,
    heads: isWebm ? undefined : heads,
    packets: () => joinedPackets(films, places, timeScale, open, (video) => video.packets()),
  });
  return { timeScale, clips, track };
}

/** The clips one after another, and the edits of the joined track. */
function placeClips(
  films: readonly FilmClip[],
  timeScale: number,
  isWebm: boolean,
): { readonly clips: readonly JoinedClip[]; readonly edits: readonly Edit[] } {
  const clips: JoinedClip[] = [];
  const edits: Edit[] = [];
  /** Start of a clip in the joined movie, and the tick of the joined track at which its first picture stands. */
  let [from, next] = [0, 0];
  for (const [index, film] of films.entries()) {
    const inMovie = scaled(film, timeScale);
    const { begin, parts } = partsOf(film, index);
    const duration = parts.reduce((sum, part) => sum + inMovie(part.duration), 0);
    const [pause, ...others] = parts;
    const isLate = !isWebm && index > 0 && pause?.start === null;
    const shown = isLate ? others : parts;
    const start = shown.find((part) => part.start !== null)?.start ?? begin;
    if (isLate) {
      // The last picture of the clip before stays: several pauses in one list confuse players.
      next += inMovie(pause.duration);
      lengthen(edits, inMovie(pause.duration));
    }
    const base = index === 0 ? inMovie(film.firstDts) : next - inMovie(start - film.firstDts);
    const placeOf = (ticks: number) => base + inMovie(ticks - film.firstDts);
    for (const part of shown) {
      const place = part.start === null ? null : placeOf(part.start);
      append(edits, { start: place, duration: inMovie(part.duration) });
    }
    const cutSeconds = film.parts.length > 0 ? 0 : begin / film.video.timeScale;
    clips.push({ base, from, to: from + duration, cutSeconds });
    from += duration;
    next = placeOf(nextStart(film, shown));
  }
  return { clips, edits };
}

/** What is shown of a clip. The first one begins as it did; without edits, later ones begin with their first picture. */
function partsOf({ parts, firstPts, endPts }: FilmClip, index: number) {
  const begin = index === 0 ? 0 : firstPts;
  return { begin, parts: parts.length > 0 ? parts : [{ start: begin, duration: endPts - begin }] };
}

/** Where the next clip can begin in the time of this one: at the end of what is shown, and after pictures that are hidden. */
function nextStart({ hidden, endPts }: FilmClip, shown: readonly ShownPart[]): number {
  const last = shown.at(-1);
  const end = last === undefined || last.start === null ? endPts : last.start + last.duration;
  return hidden > 0 ? Math.max(end, endPts) : end;
}

/** Adds an edit, or makes the last one longer if the new one continues it. */
function append(edits: Edit[], edit: { readonly start: number | null; readonly duration: number }) {
  const last = edits.at(-1);
  const isNext =
    last !== undefined &&
    (last.start === null ? edit.start === null : last.start + (last.duration ?? 0) === edit.start);
  if (isNext) {
    lengthen(edits, edit.duration);
  } else {
    edits.push(edit);
  }
}

function lengthen(edits: Edit[], ticks: number): void {
  const last = edits.at(-1);
  if (last !== undefined) {
    edits[edits.length - 1] = { ...last, duration: (last.duration ?? 0) + ticks };
  }
}

function scaled({ video }: FilmClip, timeScale: number): (ticks: number) => number {
  return (ticks) => Math.round((ticks * timeScale) / video.timeScale);
}

async function* joinedPackets<T extends PacketHead | MediaPacket>(
  films: readonly FilmClip[],
  places: readonly number[],
  timeScale: number,
  open: (index: number) => Promise<MediaTrack>,
  read: (video: MediaTrack) => AsyncIterable<T>,
): AsyncGenerator<T> {
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, film] of films.entries()) {
    const inMovie = scaled(film, timeScale);
    const place = places[index] ?? 0;
    // oxlint-disable-next-line no-await-in-loop -- only one clip is open at a time
    for await (const packet of read(await open(index))) {
      // Where durations vary, a clip may be decoded to its end later than the next one would begin.
      last = Math.max(last + 1, place + inMovie(packet.dts - film.firstDts));
      yield {
        ...packet,
        dts: last,
        pts: place + inMovie(packet.pts - film.firstDts),
        duration: inMovie(packet.duration),
      };
    }
  }
}
