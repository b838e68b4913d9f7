/**
 * The bytes of a small file, which are sent with its reference. Each form is created from the other
 * on first use.
 */
export class FileContent {
  #bytes: Uint8Array | undefined;
  #base64: string | undefined;

  private constructor(bytes: Uint8Array | undefined, base64: string | undefined) {
    this.#bytes = bytes;
    this.#base64 = base64;
  }

  static ofBytes(bytes: Uint8Array): FileContent {
    return new FileContent(bytes, undefined);
  }

  static ofBase64(text: string): FileContent {
    return new FileContent(undefined, text);
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= new Uint8Array(Buffer.from(this.#base64 ?? "", "base64")));
  }

  get base64(): string {
    if (this.#base64 === undefined) {
      const { buffer, byteOffset, byteLength } = this.bytes;
      this.#base64 = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
    }
    return this.#base64;
  }
}

/** Number of base64 characters for that many bytes, including padding. */
export function base64Chars(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Returns the number of bytes that a base64 text with padding holds; undefined if the text is not base64. */
export function base64Bytes(text: string): number | undefined {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = (text.length / 4) * 3 - padding;
  // Decoded, which leaves out what is not base64: a regular expression takes ten times as long for a file.
  const isBase64 =
    text.length % 4 === 0 &&
    !text.includes("-") &&
    !text.includes("_") &&
    Buffer.from(text, "base64").byteLength === bytes;
  return isBase64 ? bytes : undefined;
}
