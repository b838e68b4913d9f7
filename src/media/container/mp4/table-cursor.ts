import { type ByteWindow, viewOf } from "../byte-window.ts";
import { truncatedMedia } from "../media-error.ts";

/** A multiple of 4, 8 and 12, so that no entry is torn apart. Small against what an hour of packets would take. */
const PIECE_BYTES = 48 * 1024;
const NOTHING: DataView = new DataView(new ArrayBuffer(0));

/** Walks over numbers of 32 bits in a file, of which one piece is held. */
export class TableCursor {
  readonly #window: ByteWindow;
  #piece = NOTHING;
  #at = 0;
  /** Position of the next piece, and of the end of the numbers. */
  #next: number;
  readonly #end: number;

  constructor(window: ByteWindow, from: number, numbers: number) {
    this.#window = window;
    this.#next = from;
    this.#end = from + numbers * 4;
  }

  /** The next number if it is held. */
  next(): number | undefined {
    if (this.#at === this.#piece.byteLength) {
      return undefined;
    }
    this.#at += 4;
    return this.#piece.getUint32(this.#at - 4);
  }

  /** The next number, read if it is not held; undefined behind the last one. Throws NodeError `MEDIA_TRUNCATED`. */
  async take(): Promise<number | undefined> {
    if (this.#at === this.#piece.byteLength && this.#next < this.#end) {
      const length = Math.min(PIECE_BYTES, this.#end - this.#next);
      const bytes = await this.#window.readOnce(this.#next, length);
      if (bytes.byteLength < length) {
        throw truncatedMedia(`ends within its tables, at byte ${this.#next}.`);
      }
      this.#piece = viewOf(bytes);
      this.#at = 0;
      this.#next += length;
    }
    return this.next();
  }
}

/** Walks over runs, each of a count and a value with a sign, sample by sample. Without numbers all values are 0. */
export class RunCursor {
  readonly #numbers: TableCursor | undefined;
  #left: number;
  #value = 0;

  constructor(numbers: TableCursor | undefined) {
    this.#numbers = numbers;
    this.#left = numbers === undefined ? Number.POSITIVE_INFINITY : 0;
  }

  /** The sum of the values of the next samples, if they are of the same run. */
  take(samples: number): number | undefined {
    if (this.#left < samples) {
      return undefined;
    }
    this.#left -= samples;
    return samples * this.#value;
  }

  /** The same over several runs. Samples behind the last run count 0. */
  async takeMore(samples: number): Promise<number> {
    let sum = 0;
    for (let wanted = samples; wanted > 0;) {
      const taken = Math.min(this.#left, wanted);
      sum += taken * this.#value;
      this.#left -= taken;
      wanted -= taken;
      // oxlint-disable-next-line no-await-in-loop -- run after run
      if (wanted > 0 && (await this.nextRun()) === undefined) {
        break;
      }
    }
    return sum;
  }

  /** Begins the next run; undefined behind the last one. */
  async nextRun(): Promise<{ readonly count: number; readonly value: number } | undefined> {
    const count = await this.#numbers?.take();
    if (count === undefined) {
      return undefined;
    }
    this.#left = count;
    this.#value = ((await this.#numbers?.take()) ?? 0) | 0;
    return { count, value: this.#value };
  }
}

/** Walks over the numbers of key samples, from 1, which rise. Without numbers every sample is one. */
export class KeyCursor {
  readonly #numbers: TableCursor | undefined;
  /** The key sample at or after the last one that was asked for; infinity behind the last one. */
  #next = 0;

  constructor(numbers: TableCursor | undefined) {
    this.#numbers = numbers;
  }

  /** Whether a sample is a key; undefined if that must be read. */
  has(sample: number): boolean | undefined {
    if (this.#numbers === undefined) {
      return true;
    }
    return this.#next < sample ? undefined : this.#next === sample;
  }

  /** The same for a sample that is not before those that were asked for. */
  async hasLater(sample: number): Promise<boolean> {
    while (this.#next < sample) {
      // oxlint-disable-next-line no-await-in-loop -- key after key
      this.#next = (await this.#numbers?.take()) ?? Number.POSITIVE_INFINITY;
    }
    return this.#next === sample;
  }
}

/** Walks over positions of 32 or 64 bits. */
export class OffsetCursor {
  readonly #numbers: TableCursor;
  readonly #isLong: boolean;

  constructor(numbers: TableCursor, isLong: boolean) {
    this.#numbers = numbers;
    this.#isLong = isLong;
  }

  /** The next position. */
  async take(): Promise<number> {
    const high = this.#isLong ? await this.#numbers.take() : 0;
    return (high ?? 0) * 2 ** 32 + ((await this.#numbers.take()) ?? 0);
  }
}

/** Walks over a box `stsc`: runs of chunks with as many samples. */
export class ChunkCursor {
  readonly #numbers: TableCursor;
  #perChunk = 0;
  /** First chunk of the next run, from 0; infinity behind the last one, undefined before the first one. */
  #nextFirst: number | undefined;

  constructor(numbers: TableCursor) {
    this.#numbers = numbers;
  }

  /** Samples of a chunk, if its run is that of the chunk before. */
  samplesOf(chunk: number): number | undefined {
    return this.#nextFirst !== undefined && chunk < this.#nextFirst ? this.#perChunk : undefined;
  }

  /** Samples of a chunk that is not before those that were asked for. */
  async samplesOfLater(chunk: number): Promise<number> {
    this.#nextFirst ??= await this.#first();
    while (this.#nextFirst <= chunk) {
      // oxlint-disable-next-line no-await-in-loop -- run after run
      this.#perChunk = (await this.#numbers.take()) ?? 0;
      // oxlint-disable-next-line no-await-in-loop -- the description of the samples
      await this.#numbers.take();
      // oxlint-disable-next-line no-await-in-loop -- run after run
      this.#nextFirst = await this.#first();
    }
    return this.#perChunk;
  }

  async #first(): Promise<number> {
    const first = await this.#numbers.take();
    return first === undefined ? Number.POSITIVE_INFINITY : first - 1;
  }
}
