const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

export interface DateValue {
  /** Milliseconds since 1970 in UTC; without a zone the text counts as UTC. */
  readonly ms: number;
  readonly hasTime: boolean;
  readonly hasZone: boolean;
}

/**
 * Reads an ISO 8601 date, `2026-01-31`, or a time, `2026-01-31T09:30:00+01:00`, seconds and zone left out at will;
 * undefined for any other text and for days that the calendar does not have.
 */
export function readDate(text: string): DateValue | undefined {
  // No date is longer, and the pattern is not tried on texts of megabytes.
  const match = text.length > 40 ? null : DATE.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, year, month, day, hour, minute, second = "0", fraction = "", zone] = match;
  const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second)];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const offset = zone === undefined ? 0 : offsetMinutes(zone);
  const isOnCalendar =
    date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isOnCalendar || h > 23 || m > 59 || s > 59 || offset === undefined) {
    return undefined;
  }
  const sinceMidnight = ((h * 60 + m - offset) * 60 + s) * 1_000;
  const ms = date.getTime() + sinceMidnight + Math.floor(Number(`0.${fraction}0`) * 1_000);
  return { ms, hasTime: hour !== undefined, hasZone: zone !== undefined };
}

function offsetMinutes(zone: string): number | undefined {
  if (/^z$/i.test(zone)) {
    return 0;
  }
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) {
    return undefined;
  }
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
