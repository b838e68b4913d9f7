/** A piece is worth the trip to the reader at this many UTF-16 units. */
const PIECE_UNITS = 32 * 1024;

/** Gathers small strings into pieces, so that a stream is neither one string nor a million. */
export class PieceBuffer {
  #parts: string[] = [];
  #units = 0;

  push(text: string): void {
    this.#parts.push(text);
    this.#units += text.length;
  }

  get isFull(): boolean {
    return this.#units >= PIECE_UNITS;
  }

  take(): string {
    const text = this.#parts.join("");
    this.#parts = [];
    this.#units = 0;
    return text;
  }
}
