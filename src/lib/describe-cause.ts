/** Frames are enough to find a defect, and a log line stays small. */
const FRAMES_MAX = 12;

/** What the platform itself says when it fails: fixed words, and the first thing an operator asks. */
const PLATFORM_WORDS = [
  "Network connection lost",
  "Durable Object reset because its code was updated",
  "Durable Object storage operation exceeded timeout",
  "Durable Object is overloaded",
  "exceeded its memory limit",
  "exceeded its CPU time limit",
  "Too many subrequests",
  "database or disk is full",
  "SQLITE_CONSTRAINT",
  "SQLITE_ERROR",
  "SQLITE_TOOBIG",
  "does not implement the method",
] as const;

/**
 * What a log may keep of something thrown: its class, where it was thrown, and words that only the
 * platform uses. Never its message, which may quote an input, an address or a key.
 */
export function describeCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return typeof thrown;
  }
  const name = /^[A-Za-z]\w{0,60}$/.test(thrown.name) ? thrown.name : "Error";
  const said = PLATFORM_WORDS.filter((words) => thrown.message.includes(words));
  return [[name, ...said].join(": "), ...framesOf(thrown)].join("\n");
}

/** The lines after the message; a message of several lines must not pass for frames. */
function framesOf({ stack, message }: Error): string[] {
  if (stack === undefined) {
    return [];
  }
  const at = message === "" ? 0 : stack.indexOf(message);
  const frames = at < 0 ? "" : stack.slice(at + message.length);
  return frames
    .split("\n")
    .filter((line) => /^\s+at \S/.test(line))
    .slice(0, FRAMES_MAX);
}
