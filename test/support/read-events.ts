/** A server-sent event as a client reads it. */
export interface SentEvent {
  readonly id: string;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  readonly data: any;
}

/** The events in a part of a stream that ends between two of them, without comments and `retry`. */
export function parseEvents(text: string): SentEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.startsWith("id: "))
    .map((block) => {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))!
          .slice(name.length + 2);
      return { id: field("id"), event: field("event"), data: JSON.parse(field("data")) };
    });
}

/** Reads a stream of events as they arrive. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Everything received, including comments. */
  text = "";
  readonly events: SentEvent[] = [];
  isOver = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** Continues reading until `isThere`, or until the stream ends. */
  async until(isThere: (events: readonly SentEvent[]) => boolean): Promise<void> {
    while (!this.isOver && !isThere(this.events)) {
      const { done, value } = await this.#reader.read();
      if (done) {
        this.isOver = true;
        return;
      }
      const piece = this.#decoder.decode(value, { stream: true });
      this.text += piece;
      this.#rest += piece;
      const end = this.#rest.lastIndexOf("\n\n");
      if (end >= 0) {
        this.events.push(...parseEvents(this.#rest.slice(0, end + 2)));
        this.#rest = this.#rest.slice(end + 2);
      }
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}
