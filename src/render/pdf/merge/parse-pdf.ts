import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import {
  PDFArray,
  type PDFContext,
  PDFName,
  PDFNull,
  type PDFObject,
  PDFParser,
  PDFRawStream,
  type PDFRef,
} from "pdf-lib";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { pdfUnreadable } from "./merge-errors.ts";
import { encryptionOf, type PdfEncryption } from "./pdf-encryption.ts";
import type { PdfCipher } from "./pdf-cipher.ts";
import { UnknownEncryption } from "./pdf-keys.ts";
import type { StreamBodies } from "./stream-bodies.ts";

/** Of one file, those of arrays and dictionaries included; about a hundred bytes of memory each. */
const VALUES_MAX = 1_000_000;
/** Of all object streams of one file, decompressed. Deflate expands up to a thousandfold. */
const PACKED_BYTES_MAX = LIMITS.merged_objects.value;
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
  /** Whether object streams are left out: encrypted ones cannot be unpacked. */
  leavesPacked = false;
  encryption: PdfEncryption | undefined;
  /** Of an outline: is told the streams that lack their bytes. */
  bodies: StreamBodies | undefined;
  #objects = 0;
  #packedBytes = 0;
  #strayBytes = 0;
  #depth = 0;

  override parseObject(ref?: PDFRef): PDFObject {
    if (++this.#objects > VALUES_MAX) {
      return this.#refuse(`has more than ${VALUES_MAX} objects and values`);
    }
    const object = this.#parseValue(ref);
    if (!(object instanceof PDFRawStream) || object.dict.lookup(TYPE) !== OBJECT_STREAM) {
      return object;
    }
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
    const isWhole = this.#depth++ === 0;
    if (isWhole) {
      // The byte at which an object begins is not a stray one.
      this.#strayBytes--;
    }
    const object = super.parseObject(ref);
    this.#depth--;
    if (object instanceof PDFRawStream) {
      this.bodies?.found(object, this.bytes.offset());
    }
    return isWhole && ref !== undefined ? this.#decrypted(object, ref) : object;
  }

  #decrypted(object: PDFObject, ref: PDFRef): PDFObject {
    try {
      const isElsewhere = (stream: PDFRawStream, cipher: PdfCipher) =>
        this.bodies?.encrypt(stream, cipher) ?? false;
      return this.encryption?.decrypt(object, ref, isElsewhere) ?? object;
    } catch (error) {
      if (error instanceof UnknownEncryption) {
        return this.#refuse(error.message);
      }
      throw error;
    }
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
 * The objects of a PDF, decrypted. `bodies` are those of an outline, which are decrypted when they are read. Throws NodeError
 * `PDF_UNREADABLE`, or `PDF_ENCRYPTED` if the document needs a password; `name` begins the message.
 */
export async function parsePdf(
  bytes: Uint8Array,
  name: string,
  bodies?: StreamBodies,
): Promise<PDFContext> {
  const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
    "/Encrypt",
  );
  const encryption = isEncrypted ? await findEncryption(bytes, name) : undefined;
  return await parse(bytes, name, (parser) => {
    parser.bodies = bodies;
    parser.encryption = encryption;
  });
}

/** What the trailer names, which may stand after all objects. */
async function findEncryption(bytes: Uint8Array, name: string): Promise<PdfEncryption | undefined> {
  const context = await parse(bytes, name, (parser) => {
    parser.leavesPacked = true;
  });
  return encryptionOf(context, name);
}

async function parse(
  bytes: Uint8Array,
  name: string,
  prepare: (parser: BoundedParser) => void,
): Promise<PDFContext> {
  const parser = new BoundedParser(bytes, Infinity, true);
  prepare(parser);
  const context = await parser.parseDocument().catch((cause: unknown) => {
    throw pdfUnreadable(name, parser.reason ?? "is damaged or cut short", cause);
  });
  if (parser.reason !== undefined) {
    throw pdfUnreadable(name, parser.reason);
  }
  return context;
}
