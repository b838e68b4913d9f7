const SHOWN_CHARS_MAX = 60;

/** A value as messages quote it: short, and never a list or an object as a whole. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) {
    return `a list of ${value.length}`;
  }
  if (typeof value === "object" && value !== null) {
    return "an object";
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    // JSON has no word for it, and the caller wrote digits.
    return "a number beyond 1.8e308";
  }
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
