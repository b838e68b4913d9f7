import { Buffer } from "node:buffer";
import type { FormDigest, FormPart } from "./form-digest.ts";
import { FormError } from "./form-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const HEADERS_BYTES_MAX = LIMITS.form_headers.value;

const CRLF = Buffer.from("\r\n");
const HEADERS_END = Buffer.from("\r\n\r\n");

/**
 * Returns the next bytes of a body; undefined at its end. The previous bytes are no longer in use.
 */
export type ReadBytes = () => Promise<Uint8Array | undefined>;

/**
 * Reads a `multipart/form-data` body part by part (RFC 7578), with at most one piece and one
 * boundary in memory: call `start`, then `nextPart` and `partBytes` alternately. Every method
 * throws FormError if the form is malformed or cut short.
 */
export class FormStream {
  readonly #read: ReadBytes;
  readonly #delimiter: Buffer;
  readonly #digest: FormDigest | undefined;
  #held: Buffer = Buffer.alloc(0);
  #isEnded = false;

  /** `digest` receives every part and its bytes as they are read. */
  constructor(read: ReadBytes, boundary: string, digest?: FormDigest) {
    this.#read = read;
    this.#digest = digest;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Reads to the first boundary and discards a preamble. */
  async start(): Promise<void> {
    // A line break is prepended, because the first boundary may be at the very beginning.
    this.#held = Buffer.from(CRLF);
    let passed = 0;
    for await (const piece of this.#bytes()) {
      passed += piece.byteLength;
      if (passed > HEADERS_BYTES_MAX) {
        throw new FormError("The form does not begin with its boundary.");
      }
    }
  }

  /**
   * Headers of the part that begins here; read its bytes to their end with `partBytes`. Undefined
   * at the form's end.
   */
  async nextPart(): Promise<FormPart | undefined> {
    await this.#fill(2);
    if (this.#held.subarray(0, 2).toString("latin1") === "--") {
      return undefined;
    }
    let end = -1;
    while ((end = this.#held.indexOf(HEADERS_END)) === -1) {
      // A part of the end mark may be in the buffer; the size of pieces must not change what is
      // rejected.
      if (this.#held.byteLength > HEADERS_BYTES_MAX + HEADERS_END.byteLength) {
        throw tooLong();
      }
      await this.#more();
    }
    if (end > HEADERS_BYTES_MAX) {
      throw tooLong();
    }
    const lineStart = this.#held.indexOf(CRLF);
    // RFC 2046 allows only white space between the boundary and the line break.
    if (lineStart > end || !/^[ \t]*$/.test(this.#held.subarray(0, lineStart).toString("latin1"))) {
      throw new FormError("A boundary of the form is followed by other characters.");
    }
    const headers = this.#held.subarray(lineStart, end).toString("utf8");
    this.#held = this.#held.subarray(end + HEADERS_END.byteLength);
    // A part without bytes ends at once: its delimiter uses the line break of the headers.
    const part = disposition(headers);
    this.#digest?.begin(part);
    return part;
  }

  /** Bytes up to the next boundary, which is consumed. */
  async *partBytes(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of this.#bytes()) {
      this.#digest?.update(piece);
      yield piece;
    }
  }

  async *#bytes(): AsyncGenerator<Uint8Array, void> {
    const delimiter = this.#delimiter;
    for (;;) {
      const at = this.#held.indexOf(delimiter);
      if (at !== -1) {
        if (at > 0) {
          yield plain(this.#held, at);
        }
        this.#held = this.#held.subarray(at + delimiter.byteLength);
        return;
      }
      const safe = this.#held.byteLength - delimiter.byteLength + 1;
      if (safe > 0) {
        yield plain(this.#held, safe);
        this.#held = this.#held.subarray(safe);
      }
      // A possible beginning of a boundary, followed by the next piece.
      const tail = Buffer.from(this.#held);
      const piece = await this.#next();
      const seam = Buffer.concat([tail, piece.subarray(0, delimiter.byteLength - 1)]);
      if (piece.byteLength >= delimiter.byteLength && seam.indexOf(delimiter) === -1) {
        // No boundary across the seam: the piece is not appended, because that would copy the whole
        // file.
        if (tail.byteLength > 0) {
          yield plain(tail, tail.byteLength);
        }
        this.#held = piece;
      } else {
        this.#held = Buffer.concat([tail, piece]);
      }
    }
  }

  async #fill(bytes: number): Promise<void> {
    while (this.#held.byteLength < bytes) {
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    // The source may reuse its buffer, so the remaining bytes are copied first.
    const kept = Buffer.from(this.#held);
    this.#held = Buffer.concat([kept, await this.#next()]);
  }

  async #next(): Promise<Buffer> {
    const next = this.#isEnded ? undefined : await this.#read();
    if (next === undefined) {
      this.#isEnded = true;
      throw new FormError(
        "The form ends before its last boundary: the upload was cut short. Send it again.",
      );
    }
    return Buffer.from(next.buffer, next.byteOffset, next.byteLength);
  }
}

/**
 * The first bytes of a Buffer as a plain Uint8Array, whose `slice` makes a copy; that of a Buffer
 * does not.
 */
function plain({ buffer, byteOffset }: Buffer, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

function disposition(headers: string): FormPart {
  const line = headers.split("\r\n").find((header) => /^content-disposition\s*:/i.test(header));
  const value = line?.slice(line.indexOf(":") + 1) ?? "";
  if (!/^\s*form-data\s*(?:;|$)/i.test(value)) {
    throw new FormError("A field of the form lacks its Content-Disposition: form-data.");
  }
  const parameters = new Map<string, string>();
  for (const match of value.matchAll(/;\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)) {
    const [, name = "", quoted, plain] = match;
    if (!parameters.has(name.toLowerCase())) {
      parameters.set(name.toLowerCase(), quoted ?? plain ?? "");
    }
  }
  const field = parameters.get("name");
  const fileName = parameters.get("filename");
  return { field: unescaped(field), fileName: unescaped(fileName) };
}

/**
 * Browsers write `"` and line breaks as %22, %0D and %0A (WHATWG HTML); other clients escape with a
 * backslash.
 */
function unescaped(text: string | undefined): string | undefined {
  return text
    ?.replaceAll(/%(22|0d|0a)/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/\\(["\\])/g, "$1");
}

function tooLong(): FormError {
  return new FormError(`The headers of a field have more than ${HEADERS_BYTES_MAX} bytes.`);
}
