const PIECE_BYTES = 64 * 1024;

/** Bytes that are written in pieces, so that growing copies nothing. */
export class ByteWriter {
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #piece = new Uint8Array(PIECE_BYTES);
  #length = 0;

  put(byte: number): void {
    if (this.#length === PIECE_BYTES) {
      this.#pieces.push(this.#piece);
      this.#piece = new Uint8Array(PIECE_BYTES);
      this.#length = 0;
    }
    this.#piece[this.#length++] = byte;
  }

  /** The bytes written since the last call. */
  take(): Uint8Array[] {
    const taken = [...this.#pieces, this.#piece.slice(0, this.#length)];
    this.#pieces = [];
    this.#length = 0;
    return taken;
  }
}

/** All pieces, copied into one. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
