/** A chunk of a RIFF file. */
export interface WebpChunk {
  readonly name: string;
  readonly pieces: readonly Uint8Array[];
}

/** A WebP file of these chunks, in order, in pieces. */
export function* webpFile(chunks: readonly WebpChunk[]): Generator<Uint8Array> {
  const sizes = chunks.map(({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 0));
  const length = sizes.reduce((sum, size) => sum + 8 + size + (size & 1), 12);
  yield Uint8Array.from([...ascii("RIFF"), ...u32(length - 8), ...ascii("WEBP")]);
  for (const [i, { name, pieces }] of chunks.entries()) {
    const size = sizes[i] ?? 0;
    yield Uint8Array.from([...ascii(name), ...u32(size)]);
    yield* pieces;
    // Chunks begin at even places.
    yield new Uint8Array(size & 1);
  }
}

const ascii = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

const u32 = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
