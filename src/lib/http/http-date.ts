const IMF_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A time in HTTP's format, in seconds: `Sun, 22 Nov 2026 10:00:00 GMT`. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/**
 * Milliseconds since 1970; undefined if the text is not a date in the current HTTP format (RFC 9110
 * §5.6.7), which is then ignored.
 */
export function parseHttpDate(text: string | null): number | undefined {
  const ms = text !== null && IMF_DATE.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
