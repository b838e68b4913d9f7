import { BoundedCache } from "../../../lib/memory/bounded-cache.ts";

const MINUTE_MS = 60_000;
/**
 * Length of the pieces in which the offsets of a zone are looked up. In the time zone database, no offset since 1970
 * has lasted for less than 6.9 days, so a piece has at most one change, and has none if its ends have one offset.
 */
const PIECE_MS = 4 * 24 * 60 * MINUTE_MS;
/** About 11 years of a zone. */
const PIECES_MAX = 1_024;
/** The database has about 600 names, of which one isolate seldom sees more than a few. */
const ZONES_MAX = 64;
const NAME_CHARS_MAX = 64;

/** A part of a zone's time with one offset: wall clock time is UTC plus `offsetMs`. */
export interface ZoneSpan {
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  readonly offsetMs: number;
  /** The offset before `startMs`. It is `offsetMs` where a span ends for another reason than a change. */
  readonly offsetBeforeMs: number;
}

/** Offsets of one time zone, from the runtime's data. Times are milliseconds since 1970 in UTC, from 1970 on. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #pieces = new BoundedCache<number, readonly ZoneSpan[]>(PIECES_MAX);
  readonly #offsets = new BoundedCache<number, number>(PIECES_MAX);

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  /** Returns the span that contains the time. */
  spanAt(ms: number): ZoneSpan {
    const index = Math.floor(ms / PIECE_MS);
    const spans = this.#pieces.getOrMake(index, () => this.#findSpans(index));
    const [first, second] = spans;
    const span = second !== undefined && ms >= second.startMs ? second : first;
    if (span === undefined) {
      throw new Error("A piece of a time zone has no span.");
    }
    return span;
  }

  #findSpans(index: number): ZoneSpan[] {
    const startMs = index * PIECE_MS;
    const endMs = startMs + PIECE_MS;
    const before = this.#offsetBefore(startMs);
    const first = this.#offsetFrom(index);
    const last = this.#offsetBefore(endMs);
    if (first === last) {
      return [{ startMs, endMs, offsetMs: first, offsetBeforeMs: before }];
    }
    const changeMs = this.#findChange(startMs, endMs, first);
    return [
      { startMs, endMs: changeMs, offsetMs: first, offsetBeforeMs: before },
      { startMs: changeMs, endMs, offsetMs: last, offsetBeforeMs: first },
    ];
  }

  /** The first whole second with another offset. */
  #findChange(fromMs: number, untilMs: number, offsetMs: number): number {
    let same = fromMs / 1000;
    let other = untilMs / 1000 - 1;
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.#readOffset(middle * 1000) === offsetMs) {
        same = middle;
      } else {
        other = middle;
      }
    }
    return other * 1000;
  }

  #offsetFrom(index: number): number {
    return this.#offsets.getOrMake(index * PIECE_MS, () => this.#readOffset(index * PIECE_MS));
  }

  #offsetBefore(ms: number): number {
    return this.#offsets.getOrMake(ms - 1000, () => this.#readOffset(ms - 1000));
  }

  /** `GMT`, `GMT+05:45` or `GMT-00:44:30` at the end of a formatted time. */
  #readOffset(ms: number): number {
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(this.#format.format(ms));
    if (match === null) {
      throw new Error("The runtime formats offsets of time zones in an unknown way.");
    }
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = match;
    const size = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1000;
    return sign === "-" ? -size : size;
  }
}

const clocks = new BoundedCache<string, ZoneClock>(ZONES_MAX);

/** Returns the clock of an IANA time zone; undefined if the runtime has no zone of this name. */
export function findZoneClock(name: string): ZoneClock | undefined {
  // Intl also accepts offsets such as "+02:00", which are not names of zones.
  if (name.length > NAME_CHARS_MAX || !/^[A-Za-z][\w+/-]*$/.test(name)) {
    return undefined;
  }
  try {
    return clocks.getOrMake(
      name.toLowerCase(),
      () =>
        new ZoneClock(
          new Intl.DateTimeFormat("en-US", {
            timeZone: name,
            year: "numeric",
            timeZoneName: "longOffset",
          }),
        ),
    );
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}
