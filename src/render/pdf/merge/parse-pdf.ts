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
import { pdfEncrypted, pdfUnreadable } from "./merge-errors.ts";

/** Of one file, those in object streams included; about a hundred bytes of memory each. */
const OBJECTS_MAX = 250_000;
/** Of all object streams of one file, decompressed. Deflate expands up to a thousandfold. */
const PACKED_BYTES_MAX = 48 * 1024 * 1024;
/** The same for encrypted files, whose object streams can be measured only as they are stored. */
const ENCRYPTED_PACKED_BYTES_MAX = 96 * 1024;
const ENDSTREAM = Array.from("endstream", (character) => character.charCodeAt(0));

const TYPE = PDFName.of("Type");
const OBJECT_STREAM = PDFName.of("ObjStm");
const FILTER = PDFName.of("Filter");
const FLATE = PDFName.of("FlateDecode");

/**
 * pdf-lib's parser, which reads a file from its beginning and so needs no table of places (a wrong `startxref` does not
 * matter), with bounds on what it unpacks. What passes a bound is noted and left out; the caller refuses the file.
 */
class BoundedParser extends PDFParser {
  reason: string | undefined;
  /** Whether object streams are only measured: encrypted ones cannot be unpacked. */
  leavesPacked = false;
  #objects = 0;
  #packedBytes = 0;
  storedPackedBytes = 0;

  override parseObject(ref?: PDFRef): PDFObject {
    if (ref !== undefined && ++this.#objects > OBJECTS_MAX) {
      return this.#refuse(`has more than ${OBJECTS_MAX} objects`);
    }
    const object = super.parseObject(ref);
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

  #refuse(reason: string): PDFObject {
    this.reason ??= reason;
    return PDFNull;
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

/** The objects of a PDF, decrypted. Throws NodeError `PDF_UNREADABLE` or `PDF_ENCRYPTED`; `name` begins the message. */
export async function parsePdf(bytes: Uint8Array, name: string): Promise<PDFContext> {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("/Encrypt")) {
    const { context, storedPackedBytes } = await parse(bytes, name, true);
    if (context.lookup(context.trailerInfo.Encrypt) !== undefined) {
      if (storedPackedBytes > ENCRYPTED_PACKED_BYTES_MAX) {
        throw pdfUnreadable(name, "is encrypted and has too many packed objects");
      }
      return decrypt(bytes, name);
    }
  }
  return (await parse(bytes, name, false)).context;
}

async function parse(bytes: Uint8Array, name: string, leavesPacked: boolean) {
  const parser = new BoundedParser(bytes, Infinity, true);
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
