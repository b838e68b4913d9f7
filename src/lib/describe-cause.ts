/** Frames are enough to find a defect, and a log line stays small. */
const FRAMES_MAX = 12;

/**
 * What a log may keep of something thrown: its class and where it was thrown. Never its message,
 * which may quote an input, an address or a key.
 */
export function describeCause(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return typeof thrown;
  }
  const name = /^[A-Za-z]\w{0,60}$/.test(thrown.name) ? thrown.name : "Error";
  return [name, ...framesOf(thrown)].join("\n");
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
