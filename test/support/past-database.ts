/** Databases of earlier code, dated as if that code had run an hour ago. */

/** A time in milliseconds of the years 2026 to 2033. A test's own marks, such as a key that never expires, are later. */
const TIME_MS = /\b1[789]\d{11}\b/gu;
const AGE_MS = 3_600_000;

/**
 * Moves all times of a dump by the same duration, so that its earliest one was an hour ago: leases have ended, time
 * limits and sessions have not, on whatever day the test runs.
 *
 * @param dump statements that create tables and insert rows.
 * @returns the statements, and the duration in milliseconds by which their times are later than in the dump.
 */
export function movedToNow(dump: string): { sql: string; byMs: number } {
  const times = [...dump.matchAll(TIME_MS)].map(([text]) => Number(text));
  if (times.length === 0) {
    return { sql: dump, byMs: 0 };
  }
  const byMs = Date.now() - AGE_MS - Math.min(...times);
  return { sql: dump.replaceAll(TIME_MS, (text) => String(Number(text) + byMs)), byMs };
}
