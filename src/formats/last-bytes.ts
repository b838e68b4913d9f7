/** Keeps the end of what passes, in twice its room. */
export class LastBytes {
  readonly #room: number;
  readonly #held: Uint8Array;
  #end = 0;

  /** `room`: how many bytes are kept. */
  constructor(room: number) {
    this.#room = room;
    this.#held = new Uint8Array(2 * room);
  }

  /** Copies what may be wanted of a piece. */
  push(piece: Uint8Array): void {
    const wanted = piece.subarray(Math.max(0, piece.byteLength - this.#room));
    if (this.#end + wanted.byteLength > this.#held.byteLength) {
      const kept = this.#room - wanted.byteLength;
      this.#held.copyWithin(0, this.#end - kept, this.#end);
      this.#end = kept;
    }
    this.#held.set(wanted, this.#end);
    this.#end += wanted.byteLength;
  }

  /** The last bytes that passed: so many as there is room for, or all. Valid until the next `push`. */
  bytes(): Uint8Array {
    return this.#held.subarray(Math.max(0, this.#end - this.#room), this.#end);
  }
}
