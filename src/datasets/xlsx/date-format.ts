/** The parts of a date that a number format shows; none if it is not a date format. */
export type DateFormat = "none" | "date" | "datetime" | "time" | "duration";

/** Built-in formats by number (ECMA-376 part 1, 18.8.30); 27 to 36 and 50 to 58 are dates of East Asian locales. */
const BUILT_IN = new Map<number, DateFormat>([
  ...[14, 15, 16, 17].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 45, 47].map((id) => [id, "time"] as const),
  [22, "datetime"],
  [46, "duration"],
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "date"] as const),
  ...[32, 33, 34, 35, 55, 56].map((id) => [id, "time"] as const),
]);

/**
 * The date parts shown by the format of this number; `code` is its code if the workbook defines it.
 */
export function dateFormat(id: number, code: string | undefined): DateFormat {
  return code === undefined ? (BUILT_IN.get(id) ?? "none") : readCode(code);
}

function readCode(code: string): DateFormat {
  // Only the first section counts; literals, escapes, colors and conditions do not show parts of a
  // date.
  const [section = ""] = code.replaceAll(/"[^"]*"|\\.|_.|\*./g, "").split(";");
  if (/\[(?:h+|m+|s+)\]/i.test(section)) {
    return "duration";
  }
  const shows = section
    .replaceAll(/\[[^\]]*\]/g, "")
    .replaceAll(/AM\/PM|A\/P|General/gi, "")
    .toLowerCase();
  const hasTime = /[hs]/.test(shows);
  const hasDate = /[yd]/.test(shows) || (shows.includes("m") && !hasTime);
  if (hasDate) {
    return hasTime ? "datetime" : "date";
  }
  return hasTime ? "time" : "none";
}
