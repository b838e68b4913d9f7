/** Times that an author writes as text (docs/contract/media.md#times). */

const PLAIN_SECONDS = /^\d+(?:\.\d{1,9})?$/;
const CLOCK_TIME = /^(\d{2,}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)$/;

/**
 * Seconds of a time: `12`, `12.5`, or `HH:MM:SS` with an optional fraction (`00:01:02.250`). Undefined for any other
 * text, a sign, an exponent, spaces, `MM:SS`, or a number that is not finite.
 */
export function parseMediaTime(text: string): number | undefined {
  if (PLAIN_SECONDS.test(text)) {
    return finite(Number(text));
  }
  const [, hours, minutes, seconds] = CLOCK_TIME.exec(text) ?? [];
  if (hours === undefined) {
    return undefined;
  }
  return finite(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function finite(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? seconds : undefined;
}
