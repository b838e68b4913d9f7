const SECONDS = /^\d+$/;
/** The three forms of an HTTP date (RFC 9110 §5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The moment before which a `Retry-After` header forbids another request (RFC 9110 §10.2.3), in
 * milliseconds since 1970: from seconds counted from `nowMs`, or from a date. Null when the header
 * is missing or is neither. May be Infinity.
 */
export function retryAfterFloor(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) {
    return nowMs + Number(text) * 1_000;
  }
  const form = HTTP_DATES.findIndex((date) => date.test(text));
  if (form === -1) {
    return null;
  }
  // Only the last form does not name its zone.
  const ms = Date.parse(form === 2 ? `${text} GMT` : text);
  return Number.isNaN(ms) ? null : ms;
}
