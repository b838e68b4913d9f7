import { readOpusHead } from "../../codec/opus-head.ts";
import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { TRACKS_MAX } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import type {
  MediaPacket,
  MediaTrack,
  OpenMedia,
  PacketRange,
  SoundTrim,
  TrackDescription,
} from "../media-track.ts";
import { PCM_BYTES } from "../wav/pcm.ts";
import { type Box, contentOf, findBox, readBoxes } from "./box-tree.ts";
import { editsInTicks, readEditList, readItunesTrim } from "./edit-list.ts";
import { type FragmentDefaults, fragmentSamples, readFragmentDefaults } from "./fragments.ts";
import { readPictureEntry } from "./picture-entry.ts";
import { readSampleEntry, type SampleEntry } from "./sample-entry.ts";
import { type Sample, SampleTable } from "./sample-table.ts";
import { readSoundEntry, type SoundEntry } from "./sound-entry.ts";

const KINDS: Readonly<Record<string, MediaTrack["kind"]>> = {
  soun: "sound",
  vide: "video",
  text: "subtitles",
  sbtl: "subtitles",
  subt: "subtitles",
  clcp: "subtitles",
};
const NO_DEFAULTS: FragmentDefaults = { duration: 0, size: 0, flags: 0 };

/** What all tracks of a file share. */
interface Movie {
  readonly window: ByteWindow;
  readonly isQuickTime: boolean;
  readonly timeScale: number;
  readonly moov: readonly Box[];
  readonly moofs: readonly Box[];
  readonly defaults: ReadonlyMap<number, FragmentDefaults>;
}

/** Opens an MP4, M4A or MOV. Throws NodeError with a code of docs/contract/media.md. */
export async function openMp4(window: ByteWindow): Promise<OpenMedia> {
  const boxes = await readBoxes(window);
  const moov = findBox(boxes, "moov")?.children;
  if (moov === undefined) {
    throw unreadableMedia('has no box "moov", which lists its tracks. Export it again.');
  }
  const ftyp = findBox(boxes, "ftyp");
  const brand = ftyp === undefined ? "qt  " : textAt(await window.read(ftyp.from, 4), 0);
  const mvhd = findBox(moov, "mvhd");
  const times = mvhd === undefined ? undefined : await readTimes(window, mvhd);
  if (times === undefined || times.timeScale === 0) {
    throw unreadableMedia("has no time scale. Export it again.");
  }
  const movie: Movie = {
    window,
    isQuickTime: brand === "qt  ",
    timeScale: times.timeScale,
    moov,
    moofs: boxes.filter(({ type }) => type === "moof"),
    defaults: await readFragmentDefaults(window, moov),
  };
  const traks = moov.filter(({ type }) => type === "trak");
  if (traks.length > TRACKS_MAX) {
    throw unreadableMedia(
      `has ${traks.length} tracks; at most 16 are accepted. Remove the others.`,
    );
  }
  const tracks: MediaTrack[] = [];
  for (const trak of traks) {
    // oxlint-disable-next-line no-await-in-loop -- they share the window's blocks
    tracks.push(await readTrack(movie, trak.children));
  }
  return {
    container: movie.isQuickTime ? "mov" : "mp4",
    sizeBytes: window.sizeBytes,
    tracks,
    seconds: times.duration === null ? null : times.duration / times.timeScale,
  };
}

interface Times {
  readonly timeScale: number;
  /** Null if unknown. */
  readonly duration: number | null;
  /** The two bytes of the language in an `mdhd`. */
  readonly language: number;
}

/** The times of a movie's or track's header, in its two versions. */
async function readTimes(window: ByteWindow, box: Box): Promise<Times> {
  const view = viewOf(await contentOf(window, box, 22, 1_024));
  const isLong = view.getUint8(0) === 1 && view.byteLength >= 34;
  const [low, high] = isLong ? [view.getUint32(28), view.getUint32(24)] : [view.getUint32(16), 0];
  const isUnknown = low === 0xffff_ffff && (!isLong || high === 0xffff_ffff);
  return {
    timeScale: view.getUint32(isLong ? 20 : 12),
    duration: isUnknown ? null : high * 2 ** 32 + low,
    language: view.getUint16(isLong ? 32 : 20),
  };
}

async function readTrack(movie: Movie, trak: readonly Box[]): Promise<MediaTrack> {
  const { window } = movie;
  const need = (...path: readonly string[]) => {
    const box = findBox(trak, ...path);
    if (box === undefined) {
      throw unreadableMedia(`has a track without a box "${path.at(-1) ?? ""}". Export it again.`);
    }
    return box;
  };
  const { timeScale, language } = await readTimes(window, need("mdia", "mdhd"));
  if (timeScale === 0) {
    throw unreadableMedia("has a track without a time scale. Export it again.");
  }
  const handler = textAt(await contentOf(window, need("mdia", "hdlr"), 12, 4_096), 8);
  const stbl = need("mdia", "minf", "stbl").children;
  const { id, matrix, shownSize } = await readTrackHeader(window, need("tkhd"));
  const kind = KINDS[handler] ?? "other";
  const entry =
    kind === "sound" || kind === "video"
      ? await readSampleEntry(
          window,
          need("mdia", "minf", "stbl", "stsd"),
          handler,
          movie.isQuickTime,
        )
      : undefined;
  const edits = await readEditList(window, trak);
  const coded = await readCoding(movie, entry, kind, matrix, edits.length > 0);
  const packets = new Mp4Packets(movie, stbl, id, coded.pcm);
  // Before the tables are read, the header's own duration; it may be 0 in fragmented files.
  const trackDuration = movie.moofs.length > 0 ? null : await tableDuration(window, stbl);
  const hasPictures = kind === "video" && edits.length > 0;
  const trackEnd =
    trackDuration === null || !hasPictures ? trackDuration : await presentedEnd(window, stbl);
  return {
    id,
    kind,
    codec: coded.codec,
    codecId: coded.codecId,
    timeScale,
    duration: trackDuration,
    packetCount: null,
    language: languageOf(language),
    config: coded.config,
    sound: coded.sound,
    pcm: coded.pcm,
    picture: coded.picture,
    edits: editsInTicks(edits, movie.timeScale, timeScale, trackEnd),
    description: entry === undefined ? null : describe(movie, entry, shownSize),
    prepare: () => packets.prepare(),
    heads: (range) => packets.heads(range),
    packets: (range) => packets.read(range),
  };
}

/** Tables are read in pieces of this size, and up to this one: a longer table is judged when it is needed. */
const PIECE_BYTES = 65_536;
const TABLE_BYTES_MAX = 16 * 1024 * 1024;

/** Counts and values of a table of runs: a box `stts` or `ctts`. */
async function* runsOf(
  window: ByteWindow,
  box: Box,
): AsyncGenerator<{ readonly count: number; readonly value: number }> {
  const head = await window.read(box.from, 8);
  const count = head.byteLength < 8 ? 0 : viewOf(head).getUint32(4);
  const length = Math.min(count * 8, box.to - box.from - 8, TABLE_BYTES_MAX);
  for (let at = 0; at + 8 <= length; at += PIECE_BYTES) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const view = viewOf(await window.read(box.from + 8 + at, Math.min(PIECE_BYTES, length - at)));
    for (let i = 0; i + 8 <= view.byteLength; i += 8) {
      yield { count: view.getUint32(i), value: view.getInt32(i + 4) };
    }
  }
}

/** Sum of the durations in a box `stts`, without the other tables. */
async function tableDuration(window: ByteWindow, stbl: readonly Box[]): Promise<number | null> {
  const box = findBox(stbl, "stts");
  if (box === undefined) {
    return null;
  }
  let duration = 0;
  for await (const { count, value } of runsOf(window, box)) {
    duration += count * (value >>> 0);
  }
  return duration;
}

/**
 * End of the picture that is presented last. It may be later than the sum of all durations: pictures that are reordered are presented later
 * than they are decoded, by as much as their composition offsets say.
 */
async function presentedEnd(window: ByteWindow, stbl: readonly Box[]): Promise<number> {
  const [stts, ctts] = [findBox(stbl, "stts"), findBox(stbl, "ctts")];
  if (stts === undefined) {
    return 0;
  }
  const none = { count: Number.POSITIVE_INFINITY, value: 0 };
  const offsets = ctts === undefined ? undefined : runsOf(window, ctts);
  let [dts, end] = [0, 0];
  let shift = { count: 0, value: 0 };
  for await (const { count, value } of runsOf(window, stts)) {
    for (let left = count; left > 0;) {
      while (shift.count === 0) {
        // oxlint-disable-next-line no-await-in-loop -- run after run
        const next = await offsets?.next();
        shift = next?.done === false ? next.value : none;
      }
      const together = Math.min(left, shift.count);
      dts += together * (value >>> 0);
      end = Math.max(end, dts + shift.value);
      left -= together;
      shift = { count: shift.count - together, value: shift.value };
    }
  }
  return end;
}

function describe(
  { isQuickTime }: Movie,
  { bytes, stsdVersion }: SampleEntry,
  shownSize: Uint8Array,
): TrackDescription {
  return { container: isQuickTime ? "mov" : "mp4", sampleEntry: bytes, stsdVersion, shownSize };
}

type Coding = Pick<MediaTrack, "codec" | "codecId" | "config" | "sound" | "picture"> & {
  readonly pcm: SoundEntry["pcm"];
};

async function readCoding(
  { window, moov }: Movie,
  entry: SampleEntry | undefined,
  kind: MediaTrack["kind"],
  matrix: Uint8Array,
  hasEdits: boolean,
): Promise<Coding> {
  const nothing = { config: new Uint8Array(0), sound: null, picture: null, pcm: null };
  if (entry === undefined) {
    return { ...nothing, codec: null, codecId: "" };
  }
  if (kind === "video") {
    return { ...nothing, ...readPictureEntry(entry, matrix) };
  }
  const coded = readSoundEntry(entry);
  // An edit list outranks iTunes's note, which players without one follow.
  const trim = hasEdits ? null : await trimWithoutEdits(window, moov, coded);
  return { ...nothing, ...coded, sound: { ...coded.sound, trim } };
}

async function trimWithoutEdits(
  window: ByteWindow,
  moov: readonly Box[],
  { codec, config }: SoundEntry,
): Promise<SoundTrim | null> {
  if (codec === "opus") {
    return { skip: readOpusHead(config).preSkip, frames: null };
  }
  return codec === "aac" ? await readItunesTrim(window, moov) : null;
}

async function readTrackHeader(window: ByteWindow, tkhd: Box) {
  const content = await contentOf(window, tkhd, 84, 1_024);
  const isLong = content[0] === 1 && content.byteLength >= 96;
  return {
    id: viewOf(content).getUint32(isLong ? 20 : 12),
    matrix: content.slice(isLong ? 52 : 40, isLong ? 88 : 76),
    shownSize: content.slice(isLong ? 88 : 76, isLong ? 96 : 84),
  };
}

/** Three letters of 5 bits each; older numbers of QuickTime count as undetermined. */
function languageOf(packed: number): string {
  const letters = [10, 5, 0].map((shift) => ((packed >> shift) & 0x1f) + 0x60);
  const isText = letters.every((letter) => letter >= 0x61 && letter <= 0x7a);
  return isText ? String.fromCharCode(...letters) : "und";
}

/** The packets of one track: those of the sample tables, then those of fragments. */
class Mp4Packets {
  readonly #movie: Movie;
  readonly #stbl: readonly Box[];
  readonly #track: number;
  readonly #frameBytes: number | null;
  #table: Promise<SampleTable> | undefined;

  constructor(movie: Movie, stbl: readonly Box[], track: number, pcm: SoundEntry["pcm"]) {
    this.#movie = movie;
    this.#stbl = stbl;
    this.#track = track;
    this.#frameBytes = pcm === null ? null : PCM_BYTES[pcm.codec] * pcm.channels;
  }

  async prepare(): Promise<void> {
    await this.#readTable();
  }

  async *read({ from = 0 }: PacketRange = {}): AsyncGenerator<MediaPacket> {
    const { window } = this.#movie;
    const table = await this.#readTable();
    const copies = new SmallCopies();
    for await (const sample of table.samples(from)) {
      yield packetOf(
        sample,
        window.peek(sample.at, sample.bytes) ?? (await window.read(sample.at, sample.bytes)),
        copies,
      );
    }
    for await (const sample of this.#fragments(from)) {
      yield packetOf(sample, await window.read(sample.at, sample.bytes), copies);
    }
  }

  async *heads({ from = 0 }: PacketRange = {}): AsyncGenerator<Sample> {
    const table = await this.#readTable();
    yield* table.samples(from);
    yield* this.#fragments(from);
  }

  async *#fragments(from: number): AsyncGenerator<Sample> {
    const { window, moofs, defaults } = this.#movie;
    if (moofs.length === 0) {
      return;
    }
    const fragments = fragmentSamples(
      window,
      moofs,
      this.#track,
      defaults.get(this.#track) ?? NO_DEFAULTS,
    );
    for await (const sample of fragments) {
      if (sample.dts + sample.duration > from) {
        yield sample;
      }
    }
  }

  #readTable(): Promise<SampleTable> {
    this.#table ??= SampleTable.read(this.#movie.window, this.#stbl, this.#frameBytes);
    return this.#table;
  }
}

function packetOf(
  { dts, pts, duration, isKey, bytes, at }: Sample,
  view: Uint8Array,
  copies: SmallCopies,
): MediaPacket {
  if (view.byteLength < bytes) {
    throw truncatedMedia(`ends before its packet at byte ${at}.`);
  }
  return { data: copies.of(view), dts, pts, duration, isKey };
}

const SLAB_BYTES = 64 * 1024;

/**
 * Copies of small packets, many in one buffer. A view of the file that anyone keeps, even a generator that waits, would keep a
 * whole block of it.
 */
class SmallCopies {
  #slab = new Uint8Array(SLAB_BYTES);
  #filled = 0;

  /** A copy, or the view itself where it has more than a quarter of a buffer. */
  of(view: Uint8Array): Uint8Array {
    const { byteLength } = view;
    if (byteLength > SLAB_BYTES / 4) {
      return view;
    }
    if (this.#filled + byteLength > SLAB_BYTES) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#filled = 0;
    }
    const at = this.#filled;
    this.#slab.set(view, at);
    this.#filled = at + byteLength;
    return this.#slab.subarray(at, this.#filled);
  }
}
