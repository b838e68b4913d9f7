const SHOWN_CHARS_MAX = 60;

/** A value as quoted in messages: short, and never a whole list or object. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) {
    return `a list of ${value.length}`;
  }
  if (typeof value === "object" && value !== null) {
    return "an object";
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    // JSON has no notation for infinity; the caller wrote digits.
    return "a number beyond 1.8e308";
  }
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
