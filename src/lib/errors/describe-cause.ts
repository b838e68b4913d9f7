/** A few frames are enough to find a defect, and keep log lines short. */
const FRAMES_MAX = 12;

/** Fixed messages of the platform, which operators need first. */
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
 * The parts of a thrown value that a log may contain: its class, its stack frames, and the
 * platform's fixed messages. Never its own message, which may quote an input, an address or a key.
 */
export function describeCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return typeof thrown;
  }
  const name = /^[A-Za-z]\w{0,60}$/.test(thrown.name) ? thrown.name : "Error";
  const said = PLATFORM_WORDS.filter((words) => thrown.message.includes(words));
  return [[name, ...said].join(": "), ...framesOf(thrown)].join("\n");
}

/** The lines after the message; the lines of a long message must not count as frames. */
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
