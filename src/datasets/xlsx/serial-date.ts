import type { DateFormat } from "./date-format.ts";

const DAY_MS = 86_400_000;
/** Day 0 for serial numbers from 61 on: Excel counts a nonexistent 29 February 1900. */
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
/** Days between the two date systems. */
const DAYS_1904 = 1_462;
/** 9999-12-31 in the 1900 system. */
const SERIAL_END = 2_958_466;

/**
 * Converts a serial number to ISO 8601, with the parts that its format shows; undefined if it is
 * outside the range of dates. The nonexistent day, serial number 60, becomes `1900-02-29`, as in
 * Excel.
 */
export function serialToIso(
  serial: number,
  format: Exclude<DateFormat, "none">,
  is1904: boolean,
): string | undefined {
  const days = Math.floor(serial);
  if (!Number.isFinite(serial) || serial < 0 || days + (is1904 ? DAYS_1904 : 0) >= SERIAL_END) {
    return undefined;
  }
  const in1900 = days + (is1904 ? DAYS_1904 : 0);
  if (format === "date" && days === serial && in1900 > 60) {
    return isoDay(in1900);
  }
  return format === "duration"
    ? clock(Math.round(serial * DAY_MS))
    : dateAndTime(serial, format, is1904);
}

function dateAndTime(
  serial: number,
  format: "date" | "datetime" | "time",
  is1904: boolean,
): string {
  const days = Math.floor(serial);
  const timeMs = Math.round((serial - days) * DAY_MS);
  if (format === "time" && days === 0) {
    return clock(timeMs % DAY_MS);
  }
  const showsTime = format !== "date" || (timeMs !== 0 && timeMs !== DAY_MS);
  if (!is1904 && days === 60) {
    return `1900-02-29${showsTime ? `T${clock(timeMs % DAY_MS)}` : ""}`;
  }
  const shift = is1904 || days > 60 ? 0 : DAY_MS;
  const ms = (is1904 ? EPOCH_1904_MS : EPOCH_1900_MS) + shift + days * DAY_MS + timeMs;
  const iso = new Date(ms).toISOString();
  return showsTime ? iso.slice(0, -1).replace(/\.000$/, "") : iso.slice(0, 10);
}

/** The days of a table repeat, and calendar calculations are slow. */
const isoDays = new Map<number, string>();
const DAYS_KEPT_MAX = 10_000;

function isoDay(serial: number): string {
  let day = isoDays.get(serial);
  if (day === undefined) {
    if (isoDays.size === DAYS_KEPT_MAX) {
      isoDays.clear();
    }
    day = new Date(EPOCH_1900_MS + serial * DAY_MS).toISOString().slice(0, 10);
    isoDays.set(serial, day);
  }
  return day;
}

function clock(ms: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const seconds = Math.floor(ms / 1_000);
  const rest = ms % 1_000;
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(3, "0")}`;
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
