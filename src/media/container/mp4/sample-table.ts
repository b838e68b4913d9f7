import { type ByteWindow, viewOf } from "../byte-window.ts";
import { PACKET_BYTES_MAX, PACKETS_MAX } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import { type Box, findBox } from "./box-tree.ts";

/** One sample of a table. Times are in ticks of the track, before its edit list. */
export interface Sample {
  readonly at: number;
  readonly bytes: number;
  readonly dts: number;
  readonly pts: number;
  readonly duration: number;
  readonly isKey: boolean;
}

/** Bytes of a table that are read at a time. */
const PIECE_BYTES = 512 * 1024;
/** Frames of PCM that count as one sample. */
const PCM_FRAMES = 4_096;

/** Values with the number of samples that have them, one run after another. */
interface Runs {
  readonly counts: Uint32Array;
  readonly values: Int32Array;
}

/**
 * The sample tables of a track (ISO/IEC 14496-12, section 8.6 and 8.7): about 13 bytes for a sample. All tables are
 * compared with each other and with the size of the file first.
 */
export class SampleTable {
  readonly count: number;
  /** Ticks of all samples. */
  readonly duration: number;
  readonly #sizes: Uint32Array | number;
  readonly #offsets: Float64Array | Uint32Array;
  /** First chunk (from 0) and samples of each chunk, of each run of chunks. */
  readonly #firstChunks: Uint32Array;
  readonly #perChunk: Uint32Array;
  readonly #times: Runs;
  readonly #shifts: Runs | undefined;
  readonly #keys: Uint32Array | undefined;
  /** Frames of PCM are samples of some bytes each; several are taken for one. */
  readonly #step: number;

  private constructor(tables: Tables, frameBytes: number | null) {
    this.count = tables.count;
    this.#sizes = frameBytes ?? tables.sizes;
    this.#offsets = tables.offsets;
    this.#firstChunks = tables.firstChunks;
    this.#perChunk = tables.perChunk;
    this.#times = tables.times;
    this.#shifts = tables.shifts;
    this.#keys = tables.keys;
    this.#step = frameBytes === null ? 1 : PCM_FRAMES;
    this.duration = durationOf(tables.times);
  }

  /**
   * Reads the tables of a box `stbl`. `frameBytes`: of PCM, else null. Throws NodeError `MEDIA_UNREADABLE` for tables that
   * disagree or are too long, `MEDIA_TRUNCATED` for samples beyond the end of the file.
   */
  static async read(
    window: ByteWindow,
    stbl: readonly Box[],
    frameBytes: number | null,
  ): Promise<SampleTable> {
    const tables = await readTables(window, stbl, frameBytes !== null);
    const table = new SampleTable(tables, frameBytes);
    table.#check(window.sizeBytes);
    return table;
  }

  /** Number of samples as they are returned. */
  get packetCount(): number | null {
    return this.#step === 1 ? this.count : null;
  }

  /** The samples in the order of their decoding, from the last key sample that is decoded at or before a tick on. */
  *samples(fromTick = 0): Generator<Sample> {
    const start = fromTick <= 0 ? 0 : this.#keyBefore(fromTick);
    const times = new RunReader(this.#times);
    const shifts = this.#shifts === undefined ? undefined : new RunReader(this.#shifts);
    let index = 0;
    let dts = 0;
    let run = 0;
    let keyAt = 0;
    for (let chunk = 0; chunk < this.#offsets.length && index < this.count; chunk++) {
      while (run + 1 < this.#firstChunks.length && (this.#firstChunks[run + 1] ?? 0) <= chunk) {
        run++;
      }
      let at = this.#offsets[chunk] ?? 0;
      const end = Math.min(this.count, index + (this.#perChunk[run] ?? 0));
      while (index < end) {
        const frames = Math.min(this.#step, end - index);
        const bytes = this.#bytesOf(index) * frames;
        const duration = times.take(frames);
        const shift = shifts?.take(1) ?? 0;
        while (this.#keys !== undefined && (this.#keys[keyAt] ?? Infinity) < index + 1) {
          keyAt++;
        }
        if (index >= start) {
          const isKey = this.#keys === undefined || this.#keys[keyAt] === index + 1;
          yield { at, bytes, dts, pts: dts + shift, duration, isKey };
        }
        at += bytes;
        dts += duration;
        index += frames;
      }
    }
  }

  #bytesOf(index: number): number {
    return typeof this.#sizes === "number" ? this.#sizes : (this.#sizes[index] ?? 0);
  }

  /** Index of the last key sample that is decoded at or before a tick. */
  #keyBefore(tick: number): number {
    const times = new RunReader(this.#times);
    let index = times.indexAt(tick, this.count);
    index -= index % this.#step;
    if (this.#keys === undefined) {
      return index;
    }
    let key = 1;
    for (const next of this.#keys) {
      if (next > index + 1) {
        break;
      }
      key = next;
    }
    return key - 1;
  }

  /** Every sample lies in the file, and the tables describe as many samples. */
  #check(sizeBytes: number): void {
    const chunked = this.#chunkedSamples();
    if (chunked < this.count) {
      throw disagree(`${chunked} samples in chunks, ${this.count} sizes`);
    }
    const timed = total(this.#times.counts);
    if (timed !== this.count) {
      throw disagree(`${timed} durations, ${this.count} sizes`);
    }
    if (this.#times.values.some((value) => value < 0)) {
      throw disagree("a negative duration");
    }
    const shifted = this.#shifts === undefined ? this.count : total(this.#shifts.counts);
    if (shifted < this.count) {
      throw disagree(`${shifted} composition offsets, ${this.count} sizes`);
    }
    checkKeys(this.#keys ?? new Uint32Array(0), this.count);
    for (const { at, bytes } of this.samples()) {
      if (bytes > PACKET_BYTES_MAX) {
        throw unreadableMedia("has a packet of more than 32 MiB. Export it again.");
      }
      if (at + bytes > sizeBytes) {
        throw truncatedMedia(`ends before its packet at byte ${at}.`);
      }
    }
  }

  /** Number of samples in all chunks. */
  #chunkedSamples(): number {
    let samples = 0;
    for (const [run, first] of this.#firstChunks.entries()) {
      const next = this.#firstChunks[run + 1] ?? this.#offsets.length;
      if (next < first || (run === 0 && first !== 0) || next > this.#offsets.length) {
        throw disagree("chunks");
      }
      samples += (next - first) * (this.#perChunk[run] ?? 0);
    }
    return samples;
  }
}

/** Key samples are numbered from 1 and rise. */
function checkKeys(keys: Uint32Array, count: number): void {
  let before = 0;
  for (const key of keys) {
    if (key <= before || key > count) {
      throw disagree("key samples");
    }
    before = key;
  }
}

function disagree(what: string) {
  return unreadableMedia(`has sample tables that disagree: ${what}. Export it again.`);
}

function total(counts: Uint32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function durationOf({ counts, values }: Runs): number {
  return counts.reduce((sum, count, i) => sum + count * (values[i] ?? 0), 0);
}

/** Walks over runs, sample by sample. */
class RunReader {
  readonly #runs: Runs;
  #run = 0;
  #used = 0;

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** The sum of the values of the next samples. */
  take(samples: number): number {
    let sum = 0;
    for (let left = samples; left > 0;) {
      const room = (this.#runs.counts[this.#run] ?? Infinity) - this.#used;
      if (room <= 0) {
        this.#run++;
        this.#used = 0;
        continue;
      }
      const taken = Math.min(room, left);
      sum += taken * (this.#runs.values[this.#run] ?? 0);
      this.#used += taken;
      left -= taken;
    }
    return sum;
  }

  /** Index of the sample at a tick, of `count`. */
  indexAt(tick: number, count: number): number {
    let index = 0;
    let start = 0;
    for (const [run, samples] of this.#runs.counts.entries()) {
      const value = this.#runs.values[run] ?? 0;
      if (start + samples * value > tick && value > 0) {
        return index + Math.floor((tick - start) / value);
      }
      index += samples;
      start += samples * value;
    }
    return Math.max(0, count - 1);
  }
}

interface Tables {
  readonly count: number;
  readonly sizes: Uint32Array | number;
  readonly offsets: Float64Array | Uint32Array;
  readonly firstChunks: Uint32Array;
  readonly perChunk: Uint32Array;
  readonly times: Runs;
  readonly shifts: Runs | undefined;
  readonly keys: Uint32Array | undefined;
}

async function readTables(
  window: ByteWindow,
  stbl: readonly Box[],
  isPcm: boolean,
): Promise<Tables> {
  const { count, sizes } = await readSizes(window, stbl, isPcm);
  const long = findBox(stbl, "co64");
  const chunks = await readTable(window, long ?? needed(stbl, "stco"), long === undefined ? 1 : 2);
  const offsets =
    long === undefined
      ? chunks
      : Float64Array.from(
          { length: chunks.length / 2 },
          (_, i) => (chunks[2 * i] ?? 0) * 2 ** 32 + (chunks[2 * i + 1] ?? 0),
        );
  const toChunks = await readTable(window, needed(stbl, "stsc"), 3);
  const runs = toChunks.length / 3;
  // Only one description is read, so that the configuration is the same for all samples.
  if (Array.from({ length: runs }, (_, i) => toChunks[3 * i + 2]).some((entry) => entry !== 1)) {
    throw unreadableMedia("changes its format within a track. Export it again.");
  }
  const shifts = findBox(stbl, "ctts");
  const keys = findBox(stbl, "stss");
  return {
    count,
    sizes,
    offsets,
    firstChunks: Uint32Array.from({ length: runs }, (_, i) => (toChunks[3 * i] ?? 0) - 1),
    perChunk: Uint32Array.from({ length: runs }, (_, i) => toChunks[3 * i + 1] ?? 0),
    times: await readRuns(window, needed(stbl, "stts")),
    shifts: shifts === undefined ? undefined : await readRuns(window, shifts),
    keys: keys === undefined ? undefined : await readTable(window, keys, 1),
  };
}

async function readSizes(
  window: ByteWindow,
  stbl: readonly Box[],
  isPcm: boolean,
): Promise<Pick<Tables, "count" | "sizes">> {
  const box = findBox(stbl, "stsz");
  if (box === undefined) {
    throw unreadableMedia('has no box "stsz". Export it again.');
  }
  const head = viewOf(await window.read(box.from, 12));
  if (box.to - box.from < 12) {
    throw unreadableMedia('has a damaged box "stsz". Export it again.');
  }
  const [size, count] = [head.getUint32(4), head.getUint32(8)];
  if (size !== 0) {
    if (count > PACKETS_MAX && !isPcm) {
      throw tooMany("stsz", count);
    }
    return { count, sizes: size };
  }
  return { count, sizes: await readTable(window, { ...box, from: box.from + 4 }, 1) };
}

async function readRuns(window: ByteWindow, box: Box): Promise<Runs> {
  const table = await readTable(window, box, 2);
  const runs = table.length / 2;
  return {
    counts: Uint32Array.from({ length: runs }, (_, i) => table[2 * i] ?? 0),
    values: Int32Array.from({ length: runs }, (_, i) => table[2 * i + 1] ?? 0),
  };
}

function needed(stbl: readonly Box[], type: string): Box {
  const box = findBox(stbl, type);
  if (box === undefined) {
    throw unreadableMedia(`has no box "${type}". Export it again.`);
  }
  return box;
}

/** The numbers of 32 bits in a table: version and flags, the count of its entries, and the entries. */
async function readTable(window: ByteWindow, box: Box, perEntry: number): Promise<Uint32Array> {
  const head = await window.read(box.from, 8);
  const count = head.byteLength < 8 ? 0 : viewOf(head).getUint32(4);
  if (count > PACKETS_MAX) {
    throw tooMany(box.type, count);
  }
  const length = count * perEntry;
  if (box.from + 8 + length * 4 > box.to) {
    throw unreadableMedia(
      `has a box "${box.type}" of ${count} entries, which does not hold them. Export it again.`,
    );
  }
  const values = new Uint32Array(length);
  for (let filled = 0; filled < length;) {
    const wanted = Math.min(PIECE_BYTES, (length - filled) * 4);
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const view = viewOf(await window.read(box.from + 8 + filled * 4, wanted));
    for (let at = 0; at < wanted; at += 4) {
      values[filled++] = view.getUint32(at);
    }
  }
  return values;
}

function tooMany(type: string, count: number) {
  return unreadableMedia(
    `has a box "${type}" of ${count} entries; at most 2,000,000 are accepted. Split it.`,
  );
}
