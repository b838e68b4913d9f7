/** A chunk of a RIFF file. */
export interface WebpChunk {
  readonly name: string;
  readonly body: Uint8Array;
}

/** A WebP file of these chunks, in order. */
export function webpFile(chunks: readonly WebpChunk[]): Uint8Array {
  const length = chunks.reduce((sum, { body }) => sum + 8 + body.length + (body.length & 1), 12);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  const name = (at: number, text: string) => {
    for (let i = 0; i < 4; i++) {
      bytes[at + i] = text.charCodeAt(i);
    }
  };
  name(0, "RIFF");
  view.setUint32(4, length - 8, true);
  name(8, "WEBP");
  let at = 12;
  for (const chunk of chunks) {
    name(at, chunk.name);
    view.setUint32(at + 4, chunk.body.length, true);
    bytes.set(chunk.body, at + 8);
    at += 8 + chunk.body.length + (chunk.body.length & 1);
  }
  return bytes;
}
