import { type CronExpression, type CronField, isEitherDay } from "./cron-expression.ts";
import type { ZoneClock, ZoneSpan } from "./zone-clock.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More than any change of an offset: Pacific/Apia skipped a whole day. */
const MARGIN_MS = 2 * DAY_MS;
/** The rarest date is 29 February on a given weekday across a year such as 2100: 40 years. */
const YEARS_MAX = 48;

/**
 * Times of a cron expression on the wall clock of a zone (docs/contract/schedules.md#daylight-saving). If the hour field
 * begins with `*`, every matching wall minute fires that exists, in both passes of a repeated hour. Otherwise a skipped
 * wall time fires at the first instant after the gap, and a repeated one at its first pass only.
 *
 * Walls are wall clock times as milliseconds, counted as if the wall clock were UTC.
 */
export class CronTimes {
  readonly #calendar: Calendar;
  readonly #zone: Pick<ZoneClock, "spanAt">;
  readonly #isEveryPass: boolean;

  constructor(cron: CronExpression, zone: Pick<ZoneClock, "spanAt">) {
    this.#calendar = new Calendar(cron);
    this.#zone = zone;
    this.#isEveryPass = cron.hours.isOpen;
  }

  /** Returns the first time strictly after `afterMs`; null if there is none within 48 years. */
  next(afterMs: number): number | null {
    // Cron times are whole seconds at least: the next one is not before the next second.
    let fromMs = Math.floor(afterMs / 1000) * 1000 + 1000;
    const untilMs = fromMs + YEARS_MAX * 366 * DAY_MS;
    while (fromMs < untilMs) {
      const span = this.#zone.spanAt(fromMs);
      const found = this.#nextInSpan(span, fromMs);
      if (found !== null) {
        return found;
      }
      // A later span may repeat or skip walls around its start, so the search skips to before the next match at most.
      const match = this.#calendar.next(span.endMs + span.offsetMs - MARGIN_MS);
      if (match === null) {
        return null;
      }
      fromMs = Math.max(span.endMs, match - span.offsetMs - 2 * MARGIN_MS);
    }
    return null;
  }

  /** The first time from `fromMs` on, within the span. */
  #nextInSpan(span: ZoneSpan, fromMs: number): number | null {
    const { startMs, endMs, offsetMs, offsetBeforeMs } = span;
    const wallBefore = startMs + offsetBeforeMs;
    const wallStart = startMs + offsetMs;
    let fromWall = fromMs + offsetMs;
    if (!this.#isEveryPass && offsetMs > offsetBeforeMs && fromMs <= startMs) {
      const skipped = this.#calendar.next(wallBefore);
      if (skipped !== null && skipped < wallStart) {
        return startMs;
      }
    }
    if (!this.#isEveryPass) {
      fromWall = Math.max(fromWall, this.#wallReached(span));
    }
    const wall = this.#calendar.next(fromWall);
    return wall !== null && wall - offsetMs < endMs ? wall - offsetMs : null;
  }

  /** The wall that the clock had reached when it last went back; walls of the span before it are second passes. */
  #wallReached({ startMs, offsetMs, offsetBeforeMs }: ZoneSpan): number {
    if (offsetMs !== offsetBeforeMs) {
      return startMs + offsetBeforeMs;
    }
    // The change may be in the piece before, which is longer than any repeated time.
    const before = this.#zone.spanAt(startMs - 1);
    return before.startMs + before.offsetBeforeMs;
  }
}

/** The matching minutes of a calendar without a time zone. */
class Calendar {
  readonly #minutes: Int8Array;
  readonly #hours: Int8Array;
  readonly #months: Int8Array;
  readonly #days: ReadonlySet<number>;
  readonly #weekdays: ReadonlySet<number>;
  readonly #isEither: boolean;

  constructor(cron: CronExpression) {
    this.#minutes = followers(cron.minutes, 59);
    this.#hours = followers(cron.hours, 23);
    this.#months = followers(cron.months, 12);
    this.#days = new Set(cron.days.values);
    this.#weekdays = new Set(cron.weekdays.values);
    this.#isEither = isEitherDay(cron);
  }

  /** Returns the first matching wall at or after `fromWall`; null if there is none within 48 years. */
  next(fromWall: number): number | null {
    const minuteWall = Math.ceil(fromWall / MINUTE_MS) * MINUTE_MS;
    const dayWall = Math.floor(minuteWall / DAY_MS) * DAY_MS;
    if (this.#matchesDay(dayWall)) {
      const minute = this.#nextMinute((minuteWall - dayWall) / MINUTE_MS);
      if (minute !== null) {
        return dayWall + minute * MINUTE_MS;
      }
    }
    const day = this.#nextDay(dayWall + DAY_MS);
    const minute = this.#nextMinute(0);
    return day === null || minute === null ? null : day + minute * MINUTE_MS;
  }

  /** The first matching minute of a day at or after `from`; null if there is none. */
  #nextMinute(from: number): number | null {
    const hour = Math.floor(from / 60);
    const nextHour = this.#hours[hour] ?? -1;
    if (nextHour === hour) {
      const minute = this.#minutes[from - hour * 60] ?? -1;
      if (minute !== -1) {
        return hour * 60 + minute;
      }
    }
    const later = nextHour === hour ? (this.#hours[hour + 1] ?? -1) : nextHour;
    return later === -1 ? null : later * 60 + (this.#minutes[0] ?? 0);
  }

  #nextDay(fromWall: number): number | null {
    const lastYear = new Date(fromWall).getUTCFullYear() + YEARS_MAX;
    for (let day = fromWall; ;) {
      const date = new Date(day);
      const year = date.getUTCFullYear();
      const month = date.getUTCMonth() + 1;
      const nextMonth = this.#months[month] ?? -1;
      if (year > lastYear) {
        return null;
      }
      if (nextMonth !== month) {
        day = nextMonth === -1 ? Date.UTC(year + 1, 0, 1) : Date.UTC(year, nextMonth - 1, 1);
      } else if (this.#matchesDay(day)) {
        return day;
      } else {
        day += DAY_MS;
      }
    }
  }

  #matchesDay(dayWall: number): boolean {
    const date = new Date(dayWall);
    const month = date.getUTCMonth() + 1;
    if (this.#months[month] !== month) {
      return false;
    }
    const isDay = this.#days.has(date.getUTCDate());
    const isWeekday = this.#weekdays.has(date.getUTCDay());
    return this.#isEither ? isDay || isWeekday : isDay && isWeekday;
  }
}

/** For each value up to `most`, the least value of the field that is not below it; -1 if there is none. */
function followers({ values }: CronField, most: number): Int8Array {
  const table = new Int8Array(most + 1).fill(-1);
  for (let value = most, next = -1; value >= 0; value--) {
    next = values.includes(value) ? value : next;
    table[value] = next;
  }
  return table;
}
