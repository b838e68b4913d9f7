/** UTF-16 code units from which a piece is passed to the reader. */
const PIECE_UNITS = 32 * 1024;

/** Joins short strings to pieces, so that a stream is neither one string nor a million. */
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
