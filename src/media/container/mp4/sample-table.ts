import { type ByteWindow, viewOf } from "../byte-window.ts";
import { PACKET_BYTES_MAX, PACKETS_MAX } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import { type Box, findBox } from "./box-tree.ts";
import { ChunkCursor, KeyCursor, OffsetCursor, RunCursor, TableCursor } from "./table-cursor.ts";

/** One sample of a table. Times are in ticks of the track, before its edit list. */
export interface Sample {
  readonly at: number;
  readonly bytes: number;
  readonly dts: number;
  readonly pts: number;
  readonly duration: number;
  readonly isKey: boolean;
}

/** Frames of PCM that count as one sample. */
const PCM_FRAMES = 4_096;

/** Where the entries of a table are. */
interface Table {
  readonly at: number;
  readonly entries: number;
}

interface Tables {
  readonly count: number;
  readonly sizes: Table | number;
  readonly offsets: Table;
  /** Offsets have 64 bits. */
  readonly isLong: boolean;
  readonly chunks: Table;
  readonly times: Table;
  readonly shifts: Table | undefined;
  readonly keys: Table | undefined;
}

/**
 * The sample tables of a track (ISO/IEC 14496-12, section 8.6 and 8.7). They are read in pieces whenever they are needed and are not held, so
 * that a long track takes no more memory than a short one. All tables are compared with each other and with the size of the file first.
 */
export class SampleTable {
  readonly count: number;
  readonly #window: ByteWindow;
  readonly #tables: Tables;
  /** Frames of PCM are samples of some bytes each; several are taken for one. */
  readonly #step: number;

  private constructor(window: ByteWindow, tables: Tables, frameBytes: number | null) {
    this.count = tables.count;
    this.#window = window;
    this.#tables = frameBytes === null ? tables : { ...tables, sizes: frameBytes };
    this.#step = frameBytes === null ? 1 : PCM_FRAMES;
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
    const tables = await findTables(window, stbl, frameBytes !== null);
    const table = new SampleTable(window, tables, frameBytes);
    await table.#check();
    return table;
  }

  /** The samples in the order of their decoding, from the last key sample that is decoded at or before a tick on. */
  async *samples(fromTick = 0): AsyncGenerator<Sample> {
    const start = fromTick <= 0 ? 0 : await this.#keyBefore(fromTick);
    const { offsets: offsetTable, isLong, chunks: chunkTable, times, shifts } = this.#tables;
    const offsets = new OffsetCursor(this.#cursor(offsetTable, isLong ? 2 : 1), isLong);
    const chunks = new ChunkCursor(this.#cursor(chunkTable, 3));
    const sizes = this.#sizeCursor();
    const durations = new RunCursor(this.#cursor(times, 2));
    const shiftRuns = new RunCursor(shifts && this.#cursor(shifts, 2));
    const keys = new KeyCursor(this.#keyCursor());
    let [index, dts] = [0, 0];
    // Tables are read where a piece of them ends: nothing is waited for at the other samples.
    for (let chunk = 0; chunk < offsetTable.entries && index < this.count; chunk++) {
      // oxlint-disable-next-line no-await-in-loop -- chunk after chunk
      const perChunk = chunks.samplesOf(chunk) ?? (await chunks.samplesOfLater(chunk));
      // oxlint-disable-next-line no-await-in-loop -- chunk after chunk
      let at = await offsets.take();
      const end = Math.min(this.count, index + perChunk);
      while (index < end) {
        const frames = Math.min(this.#step, end - index);
        // oxlint-disable-next-line no-await-in-loop -- sample after sample
        const bytes = frames * (sizes.next() ?? (await sizes.take()) ?? 0);
        // oxlint-disable-next-line no-await-in-loop -- sample after sample
        const duration = durations.take(frames) ?? (await durations.takeMore(frames));
        // oxlint-disable-next-line no-await-in-loop -- sample after sample
        const shift = shiftRuns.take(1) ?? (await shiftRuns.takeMore(1));
        // oxlint-disable-next-line no-await-in-loop -- sample after sample
        const isKey = keys.has(index + 1) ?? (await keys.hasLater(index + 1));
        if (index >= start) {
          yield { at, bytes, dts, pts: dts + shift, duration, isKey };
        }
        at += bytes;
        dts += duration;
        index += frames;
      }
    }
  }

  #cursor({ at, entries }: Table, perEntry = 1): TableCursor {
    return new TableCursor(this.#window, at, entries * perEntry);
  }

  #sizeCursor(): Pick<TableCursor, "next" | "take"> {
    const { sizes } = this.#tables;
    if (typeof sizes !== "number") {
      return this.#cursor(sizes);
    }
    return { next: () => sizes, take: () => Promise.resolve(sizes) };
  }

  #keyCursor(): TableCursor | undefined {
    const { keys } = this.#tables;
    return keys === undefined ? undefined : this.#cursor(keys);
  }

  /** Index of the last key sample that is decoded at or before a tick. */
  async #keyBefore(tick: number): Promise<number> {
    const at = await this.#indexAt(tick);
    const index = at - (at % this.#step);
    const keys = this.#keyCursor();
    if (keys === undefined) {
      return index;
    }
    let key = 1;
    // oxlint-disable-next-line no-await-in-loop -- one after another
    for (let next = await keys.take(); next !== undefined; next = await keys.take()) {
      if (next > index + 1) {
        break;
      }
      key = next;
    }
    return key - 1;
  }

  /** Index of the sample that is decoded at a tick; of the last one behind the end. */
  async #indexAt(tick: number): Promise<number> {
    let [index, start] = [0, 0];
    const times = new RunCursor(this.#cursor(this.#tables.times, 2));
    // oxlint-disable-next-line no-await-in-loop -- run after run
    for (let run = await times.nextRun(); run !== undefined; run = await times.nextRun()) {
      const { count, value } = run;
      if (value > 0 && start + count * value > tick) {
        return index + Math.floor((tick - start) / value);
      }
      index += count;
      start += count * value;
    }
    return Math.max(0, this.count - 1);
  }

  /** Every sample lies in the file, and the tables describe as many samples. */
  async #check(): Promise<void> {
    const { times, shifts } = this.#tables;
    const chunked = await this.#chunkedSamples();
    if (chunked < this.count) {
      throw disagree(`${chunked} samples in chunks, ${this.count} sizes`);
    }
    const timed = await this.#total(times);
    if (timed.samples !== this.count) {
      throw disagree(`${timed.samples} durations, ${this.count} sizes`);
    }
    if (timed.isNegative) {
      throw disagree("a negative duration");
    }
    const shifted = shifts === undefined ? this.count : (await this.#total(shifts)).samples;
    if (shifted < this.count) {
      throw disagree(`${shifted} composition offsets, ${this.count} sizes`);
    }
    await this.#checkKeys();
    let total = 0;
    for await (const { at, bytes } of this.samples()) {
      if (bytes > PACKET_BYTES_MAX) {
        throw unreadableMedia("has a packet of more than 32 MiB. Export it again.");
      }
      if (at + bytes > this.#window.sizeBytes) {
        throw truncatedMedia(`ends before its packet at byte ${at}.`);
      }
      total += bytes;
      // Packets may share bytes, but a small file must not stand for terabytes of them.
      if (total > this.#window.sizeBytes) {
        throw disagree(`more bytes of packets than the file has (${this.#window.sizeBytes})`);
      }
    }
  }

  async #total(table: Table): Promise<{ readonly samples: number; readonly isNegative: boolean }> {
    let samples = 0;
    let isNegative = false;
    const runs = new RunCursor(this.#cursor(table, 2));
    // oxlint-disable-next-line no-await-in-loop -- run after run
    for (let run = await runs.nextRun(); run !== undefined; run = await runs.nextRun()) {
      samples += run.count;
      isNegative ||= run.value < 0;
    }
    return { samples, isNegative };
  }

  /** Number of samples in all chunks. */
  async #chunkedSamples(): Promise<number> {
    const numbers = this.#cursor(this.#tables.chunks, 3);
    const chunksMax = this.#tables.offsets.entries;
    let samples = 0;
    let before = { first: 0, perChunk: 0 };
    for (let run = 0; run < this.#tables.chunks.entries; run++) {
      // oxlint-disable-next-line no-await-in-loop -- run after run
      const [first, perChunk, description] = [
        ((await numbers.take()) ?? 0) - 1,
        (await numbers.take()) ?? 0,
        await numbers.take(),
      ];
      // Only one description is read, so that the configuration is the same for all samples.
      if (description !== 1) {
        throw unreadableMedia("changes its format within a track. Export it again.");
      }
      if (first < before.first || (run === 0 && first !== 0) || first > chunksMax) {
        throw disagree("chunks");
      }
      samples += (first - before.first) * before.perChunk;
      before = { first, perChunk };
    }
    return samples + (chunksMax - before.first) * before.perChunk;
  }

  /** Key samples are numbered from 1 and rise. */
  async #checkKeys(): Promise<void> {
    const keys = this.#keyCursor();
    let before = 0;
    // oxlint-disable-next-line no-await-in-loop -- one after another
    for (let key = await keys?.take(); key !== undefined; key = await keys?.take()) {
      if (key <= before || key > this.count) {
        throw disagree("key samples");
      }
      before = key;
    }
  }
}

function disagree(what: string) {
  return unreadableMedia(`has sample tables that disagree: ${what}. Export it again.`);
}

async function findTables(
  window: ByteWindow,
  stbl: readonly Box[],
  isPcm: boolean,
): Promise<Tables> {
  const { count, sizes } = await findSizes(window, stbl, isPcm);
  const long = findBox(stbl, "co64");
  const isLong = long !== undefined;
  const [shifts, keys] = [findBox(stbl, "ctts"), findBox(stbl, "stss")];
  return {
    count,
    sizes,
    offsets: await findTable(window, long ?? needed(stbl, "stco"), isLong ? 2 : 1),
    isLong,
    chunks: await findTable(window, needed(stbl, "stsc"), 3),
    times: await findTable(window, needed(stbl, "stts"), 2),
    shifts: shifts === undefined ? undefined : await findTable(window, shifts, 2),
    keys: keys === undefined ? undefined : await findTable(window, keys, 1),
  };
}

async function findSizes(
  window: ByteWindow,
  stbl: readonly Box[],
  isPcm: boolean,
): Promise<Pick<Tables, "count" | "sizes">> {
  const box = needed(stbl, "stsz");
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
  return { count, sizes: await findTable(window, { ...box, from: box.from + 4 }, 1) };
}

function needed(stbl: readonly Box[], type: string): Box {
  const box = findBox(stbl, type);
  if (box === undefined) {
    throw unreadableMedia(`has no box "${type}". Export it again.`);
  }
  return box;
}

/** The entries of a table, of so many numbers of 32 bits: they follow version and flags, and their count. */
async function findTable(window: ByteWindow, box: Box, perEntry: number): Promise<Table> {
  const head = await window.read(box.from, 8);
  const entries = head.byteLength < 8 ? 0 : viewOf(head).getUint32(4);
  if (entries > PACKETS_MAX) {
    throw tooMany(box.type, entries);
  }
  const at = box.from + 8;
  if (at + entries * perEntry * 4 > box.to) {
    throw unreadableMedia(
      `has a box "${box.type}" of ${entries} entries, which does not hold them. Export it again.`,
    );
  }
  return { at, entries };
}

function tooMany(type: string, count: number) {
  return unreadableMedia(
    `has a box "${type}" of ${count} entries; at most 2,000,000 are accepted. Split it.`,
  );
}
