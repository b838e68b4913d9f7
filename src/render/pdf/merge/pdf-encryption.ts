import { Buffer } from "node:buffer";
import {
  PDFArray,
  PDFBool,
  type PDFContext,
  PDFDict,
  PDFName,
  type PDFObject,
  PDFRawStream,
  type PDFRef,
  PDFString,
} from "pdf-lib";
import { pdfEncrypted, pdfUnreadable } from "./merge-errors.ts";
import { decrypted, type PdfCipher } from "./pdf-cipher.ts";
import {
  filterOf,
  isString,
  longKey,
  numberOf,
  objectKey,
  shortKey,
  UnknownEncryption,
} from "./pdf-keys.ts";

/** How a crypt filter encrypts. */
type Method = "none" | "rc4" | "aes128" | "aes256";

const METHODS: Readonly<Record<string, Method>> = {
  "/None": "none",
  "/V2": "rc4",
  "/AESV2": "aes128",
  "/AESV3": "aes256",
};
const NONE: PdfCipher = { kind: "none" };

/** The encryption of a PDF that opens without a password (ISO 32000-2 §7.6). */
export class PdfEncryption {
  readonly #key: Uint8Array;
  readonly #strings: Method;
  readonly #streams: Method;
  readonly #hasPlainMetadata: boolean;
  /** The key of the last object under each method: its strings share it. */
  #last: { readonly ref: PDFRef; readonly method: Method; readonly cipher: PdfCipher } | undefined;

  /** Throws `UnknownEncryption`, and returns undefined if the document needs a password. */
  static of(dict: PDFDict, fileId: Uint8Array): PdfEncryption | undefined {
    const version = numberOf(dict, "V");
    if (nameOf(dict, "Filter") !== "/Standard" || ![1, 2, 4, 5].includes(version)) {
      throw new UnknownEncryption();
    }
    const key = version === 5 ? longKey(dict) : shortKey(dict, version, fileId);
    return key === undefined ? undefined : new PdfEncryption(dict, version, key);
  }

  private constructor(dict: PDFDict, version: number, key: Uint8Array) {
    this.#key = key;
    this.#strings = version < 4 ? "rc4" : methodOf(dict, "StrF", key);
    this.#streams = version < 4 ? "rc4" : methodOf(dict, "StmF", key);
    this.#hasPlainMetadata =
      version >= 4 && dict.lookup(PDFName.of("EncryptMetadata")) === PDFBool.False;
  }

  /**
   * Decrypts an object with all that is in it, in place where that is possible. The bytes of a stream for which `isElsewhere` returns
   * true stay as they are. Throws `UnknownEncryption` for a stream with a crypt filter of its own.
   */
  decrypt(
    object: PDFObject,
    ref: PDFRef,
    isElsewhere: (stream: PDFRawStream, cipher: PdfCipher) => boolean,
  ): PDFObject {
    if (!(object instanceof PDFRawStream)) {
      return this.#decryptedValue(object, ref);
    }
    this.#decryptIn(object.dict, ref);
    const cipher = this.#cipherOf(object, ref);
    if (!isElsewhere(object, cipher)) {
      object.contents = decrypted(cipher, object.contents);
    }
    return object;
  }

  #cipherOf({ dict }: PDFRawStream, ref: PDFRef): PdfCipher {
    const type = nameOf(dict, "Type");
    const isPlain = type === "/XRef" || (type === "/Metadata" && this.#hasPlainMetadata);
    return isPlain || hasIdentityFilter(dict) ? NONE : this.#cipher(this.#streams, ref);
  }

  #decryptedValue(object: PDFObject, ref: PDFRef): PDFObject {
    if (isString(object)) {
      const bytes = decrypted(this.#cipher(this.#strings, ref), object.asBytes());
      return PDFString.of(
        Buffer.from(bytes)
          .toString("latin1")
          .replace(/[\\()]/g, "\\$&"),
      );
    }
    if (object instanceof PDFArray) {
      for (const [i, value] of object.asArray().entries()) {
        object.set(i, this.#decryptedValue(value, ref));
      }
    } else if (object instanceof PDFDict) {
      this.#decryptIn(object, ref);
    }
    return object;
  }

  #decryptIn(dict: PDFDict, ref: PDFRef): void {
    for (const [key, value] of dict.entries()) {
      dict.set(key, this.#decryptedValue(value, ref));
    }
  }

  #cipher(method: Method, ref: PDFRef): PdfCipher {
    if (method === "none") {
      return NONE;
    }
    if (method === "aes256") {
      return { kind: "aes", key: this.#key };
    }
    if (this.#last?.ref !== ref || this.#last.method !== method) {
      const kind = method === "rc4" ? "rc4" : "aes";
      this.#last = { ref, method, cipher: { kind, key: objectKey(this.#key, ref, kind) } };
    }
    return this.#last.cipher;
  }
}

/**
 * The encryption that a document's trailer names; undefined if it names none. Throws NodeError `PDF_ENCRYPTED` if the document
 * needs a password, and `PDF_UNREADABLE`; `name` begins the message.
 */
export function encryptionOf(context: PDFContext, name: string): PdfEncryption | undefined {
  const { Encrypt, ID } = context.trailerInfo;
  const dict = context.lookup(Encrypt);
  if (dict === undefined) {
    return undefined;
  }
  try {
    if (!(dict instanceof PDFDict)) {
      throw new UnknownEncryption();
    }
    const ids = context.lookup(ID);
    const id = ids instanceof PDFArray && ids.size() > 0 ? ids.lookup(0) : undefined;
    const encryption = PdfEncryption.of(dict, isString(id) ? id.asBytes() : new Uint8Array(0));
    if (encryption === undefined) {
      throw pdfEncrypted(name);
    }
    return encryption;
  } catch (cause) {
    throw cause instanceof UnknownEncryption ? pdfUnreadable(name, cause.message, cause) : cause;
  }
}

/** What an entry of `/Encrypt` says of strings or streams. Throws `UnknownEncryption`. */
function methodOf(dict: PDFDict, entry: "StmF" | "StrF", key: Uint8Array): Method {
  const name = nameOf(dict, entry);
  if (name === undefined || name === "/Identity") {
    return "none";
  }
  const filter = filterOf(dict, entry);
  const method = METHODS[(filter && nameOf(filter, "CFM")) ?? "/None"];
  // The sizes that Node's ciphers accept.
  const isSized =
    method === "aes256" ? key.length === 32 : key.length === 16 || method !== "aes128";
  if (filter === undefined || method === undefined || !isSized) {
    throw new UnknownEncryption();
  }
  return method;
}

/** Whether a stream is left as it is by a filter of its own. Throws `UnknownEncryption` if that names another one. */
function hasIdentityFilter(dict: PDFDict): boolean {
  const [filter, parameters] = [first(dict, "Filter"), first(dict, "DecodeParms")];
  if (filter !== PDFName.of("Crypt")) {
    return false;
  }
  const name = parameters instanceof PDFDict ? nameOf(parameters, "Name") : undefined;
  if (name !== undefined && name !== "/Identity") {
    throw new UnknownEncryption();
  }
  return true;
}

/** The value of an entry, or the first of several. */
function first(dict: PDFDict, entry: string): PDFObject | undefined {
  const value = dict.lookup(PDFName.of(entry));
  return value instanceof PDFArray && value.size() > 0 ? value.lookup(0) : value;
}

function nameOf(dict: PDFDict, entry: string): string | undefined {
  const value = dict.lookup(PDFName.of(entry));
  return value instanceof PDFName ? value.asString() : undefined;
}
