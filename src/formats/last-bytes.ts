/** Keeps the end of a stream, in twice the memory of what it keeps. */
export class LastBytes {
  readonly #room: number;
  readonly #held: Uint8Array;
  #end = 0;

  /** `room`: number of bytes to keep. */
  constructor(room: number) {
    this.#room = room;
    this.#held = new Uint8Array(2 * room);
  }

  /** Copies the part of a piece that may be needed. */
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

  /** The last bytes: `room` bytes, or all if there are fewer. Valid until the next `push`. */
  bytes(): Uint8Array {
    return this.#held.subarray(Math.max(0, this.#end - this.#room), this.#end);
  }
}
