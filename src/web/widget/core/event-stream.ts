/** Server-sent events from the text of a response (HTML Living Standard, "Interpreting an event stream"). */

export interface StreamEvent {
  /** The last id seen, which resumes the stream after this event. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Longest line that is read, in UTF-16 units; events of runs have a few hundred. */
const LINE_MAX = 1_048_576;

/** Returns a function that takes the next piece of text and returns the events that it completes. Throws for a line over 1 MiB. */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let rest = "";
  let id = "";
  let event = "";
  let data: string[] = [];
  return (piece) => {
    const events: StreamEvent[] = [];
    // A carriage return at the end may be the first half of a line's end.
    const text = rest + piece;
    const isCut = text.endsWith("\r");
    const lines = (isCut ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? "") + (isCut ? "\r" : "");
    if (rest.length > LINE_MAX) {
      throw new Error("A line of the event stream is longer than 1 MiB.");
    }
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) {
          events.push({ id, event: event === "" ? "message" : event, data: data.join("\n") });
        }
        event = "";
        data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "id" && !value.includes("\0")) {
        id = value;
      } else if (name === "event") {
        event = value;
      } else if (name === "data") {
        data.push(value);
      }
    }
    return events;
  };
}
