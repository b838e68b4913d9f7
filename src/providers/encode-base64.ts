const BYTES_PER_GROUP = 3;

/** The base64 of bytes that arrive in pieces. */
export async function* encodeBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % BYTES_PER_GROUP);
    if (whole > 0) {
      yield bytes.toString("base64", 0, whole);
    }
    rest = bytes.subarray(whole);
  }
  if (rest.length > 0) {
    yield rest.toString("base64");
  }
}

/** Characters of the base64 of so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_GROUP) * 4;
}
