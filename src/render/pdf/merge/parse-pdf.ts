import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import {
  PDFArray,
  type PDFContext,
  PDFDocument,
  PDFName,
  PDFNull,
  type PDFObject,
  PDFParser,
  PDFRawStream,
  type PDFRef,
} from "pdf-lib";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { pdfEncrypted, pdfTooLargeToDecrypt, pdfUnreadable } from "./merge-errors.ts";
import type { StreamBodies } from "./stream-bodies.ts";

/** Of one file, those of arrays and dictionaries included; about a hundred bytes of memory each. */
const VALUES_MAX = 1_000_000;
/** Of all object streams of one file, decompressed. Deflate expands up to a thousandfold. */
const PACKED_BYTES_MAX = LIMITS.merged_objects.value;
/** The same for encrypted files, whose object streams can be measured only as they are stored. */
const ENCRYPTED_PACKED_BYTES_MAX = 96 * 1024;
/**
 * Bytes between objects that are looked at one by one, some ten microseconds each; a file has none, or some zeros, which
 * cost nothing.
 */
const STRAY_BYTES_MAX = 10_000;
/** Of an object's number or an offset. */
const DIGITS_MAX = 15;

const codesOf = (word: string) => Array.from(word, (character) => character.charCodeAt(0));
const STARTXREF = codesOf("startxref");
const ENDSTREAM = codesOf("endstream");

const TYPE = PDFName.of("Type");
const OBJECT_STREAM = PDFName.of("ObjStm");
const FILTER = PDFName.of("Filter");
const FLATE = PDFName.of("FlateDecode");

/**
 * pdf-lib's parser, which reads a file from its beginning and so needs no table of places (a wrong `startxref` does not
 * matter), with bounds on what it unpacks and on what it reads again and again. What passes a bound is the file's `reason`.
 */
class BoundedParser extends PDFParser {
  reason: string | undefined;
  /** Whether object streams are only measured: encrypted ones cannot be unpacked. */
  leavesPacked = false;
  /** Of an outline: is told the streams that lack their bytes. */
  bodies: StreamBodies | undefined;
  #objects = 0;
  #packedBytes = 0;
  #strayBytes = 0;
  #depth = 0;
  storedPackedBytes = 0;

  override parseObject(ref?: PDFRef): PDFObject {
    if (++this.#objects > VALUES_MAX) {
      return this.#refuse(`has more than ${VALUES_MAX} objects and values`);
    }
    const object = this.#parseValue(ref);
    if (!(object instanceof PDFRawStream) || object.dict.lookup(TYPE) !== OBJECT_STREAM) {
      return object;
    }
    this.storedPackedBytes += object.contents.length;
    if (this.leavesPacked) {
      return PDFNull;
    }
    const filter = object.dict.lookup(FILTER);
    const isPlain = filter === undefined || filter === FLATE || isOnly(filter, FLATE);
    if (!isPlain) {
      return this.#refuse("has an object stream with other compression than deflate");
    }
    const room = PACKED_BYTES_MAX - this.#packedBytes;
    const unpacked = filter === undefined ? object.contents.length : inflatedLength(object, room);
    if (unpacked === undefined || unpacked > room) {
      return this.#refuse("has object streams that are damaged or too large");
    }
    this.#packedBytes += unpacked;
    return object;
  }

  #parseValue(ref: PDFRef | undefined): PDFObject {
    if (this.#depth++ === 0) {
      // The byte at which an object begins is not a stray one.
      this.#strayBytes--;
    }
    const object = super.parseObject(ref);
    this.#depth--;
    if (object instanceof PDFRawStream) {
      this.bodies?.found(object, this.bytes.offset());
    }
    return object;
  }

  /** The first `endstream`, whatever stands before it; pdf-lib counts the word "stream" in the data. */
  protected override findEndOfStreamFallback(): number {
    const start = this.bytes.offset();
    while (!this.bytes.done()) {
      const at = this.bytes.offset();
      if (this.matchKeyword(ENDSTREAM)) {
        return at;
      }
      this.bytes.next();
    }
    this.bytes.moveTo(start);
    throw new Error("A stream does not end.");
  }

  /** Counts the looks for the word that come last at each stray byte. */
  protected override matchKeyword(keyword: number[]): boolean {
    const isMatch = super.matchKeyword(keyword);
    if (!isMatch && STARTXREF.every((code, i) => code === keyword[i])) {
      if (++this.#strayBytes > STRAY_BYTES_MAX) {
        this.#refuse(`has more than ${STRAY_BYTES_MAX} bytes between its objects`);
      }
    }
    return isMatch;
  }

  /** pdf-lib reads all digits at each of them. */
  protected override parseRawInt(): number {
    let value = 0;
    let digits = 0;
    while (!this.bytes.done()) {
      const digit = this.bytes.peek() - 48;
      if (digit < 0 || digit > 9) {
        break;
      }
      if (++digits > DIGITS_MAX) {
        return this.#refuse("has numbers that are too long");
      }
      value = value * 10 + digit;
      this.bytes.next();
    }
    if (digits === 0) {
      throw new Error("A number is missing.");
    }
    return value;
  }

  /** Ends the parsing: what is thrown in an object is not tried again. */
  #refuse(reason: string): never {
    this.reason ??= reason;
    throw new Error(reason);
  }
}

function isOnly(filter: PDFObject, name: PDFName): boolean {
  return filter instanceof PDFArray && filter.size() === 1 && filter.lookup(0) === name;
}

function inflatedLength({ contents }: PDFRawStream, most: number): number | undefined {
  try {
    return inflateSync(contents, { maxOutputLength: Math.max(1, most) }).length;
  } catch {
    return undefined;
  }
}

/**
 * The objects of a PDF, decrypted. `bodies` are those of an outline, which cannot be decrypted. Throws NodeError `PDF_UNREADABLE`,
 * `PDF_ENCRYPTED` or, for an encrypted outline, `FILE_TOO_LARGE`; `name` begins the message.
 */
export async function parsePdf(
  bytes: Uint8Array,
  name: string,
  bodies?: StreamBodies,
): Promise<PDFContext> {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("/Encrypt")) {
    const { context, storedPackedBytes } = await parse(bytes, name, true);
    if (context.lookup(context.trailerInfo.Encrypt) !== undefined) {
      if (bodies !== undefined) {
        throw pdfTooLargeToDecrypt(name);
      }
      if (storedPackedBytes > ENCRYPTED_PACKED_BYTES_MAX) {
        throw pdfUnreadable(name, "is encrypted and has too many packed objects");
      }
      return decrypt(bytes, name);
    }
  }
  return (await parse(bytes, name, false, bodies)).context;
}

async function parse(
  bytes: Uint8Array,
  name: string,
  leavesPacked: boolean,
  bodies?: StreamBodies,
) {
  const parser = new BoundedParser(bytes, Infinity, true);
  parser.bodies = bodies;
  parser.leavesPacked = leavesPacked;
  const context = await parser.parseDocument().catch((cause: unknown) => {
    throw pdfUnreadable(name, parser.reason ?? "is damaged or cut short", cause);
  });
  if (parser.reason !== undefined) {
    throw pdfUnreadable(name, parser.reason);
  }
  return { context, storedPackedBytes: parser.storedPackedBytes };
}

/** An empty user password opens what only an owner password protects. */
async function decrypt(bytes: Uint8Array, name: string): Promise<PDFContext> {
  try {
    const document = await PDFDocument.load(bytes, { password: "", updateMetadata: false });
    return document.context;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "";
    throw /password/i.test(message)
      ? pdfEncrypted(name, cause)
      : pdfUnreadable(name, "is encrypted in a way that cannot be read", cause);
  }
}
