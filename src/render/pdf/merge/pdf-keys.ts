import { Buffer } from "node:buffer";
import { createCipheriv, createHash } from "node:crypto";
import {
  PDFBool,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFRef,
  PDFString,
} from "pdf-lib";
import { decryptedKey, Rc4 } from "./pdf-cipher.ts";

/** An empty password (ISO 32000-1 §7.6.3.3, algorithm 2). */
const PADDING = Buffer.from(
  "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a",
  "hex",
);
/** Ends the keys of objects under AES of 128 bits. */
const AES_SALT = Buffer.from("sAlT");

/** A dictionary `/Encrypt`, or a stream, whose encryption is not known or damaged. The message continues a sentence about the document. */
export class UnknownEncryption extends Error {
  constructor() {
    super("is encrypted in a way that cannot be read");
  }
}

/** The key of a document of versions 1 to 4, if the empty password is right (algorithms 2 and 6). */
export function shortKey(
  dict: PDFDict,
  version: number,
  fileId: Uint8Array,
): Uint8Array | undefined {
  const revision = numberOf(dict, "R");
  const size = version === 1 ? 5 : keySize(dict, version);
  const [owner, user] = [bytesOf(dict, "O", 32), bytesOf(dict, "U", 32)];
  if (![2, 3, 4].includes(revision)) {
    throw new UnknownEncryption();
  }
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(numberOf(dict, "P") | 0);
  const isPlain = dict.lookup(PDFName.of("EncryptMetadata")) === PDFBool.False;
  const unencrypted = revision === 4 && isPlain ? Buffer.alloc(4, 255) : Buffer.alloc(0);
  let hash = md5(PADDING, owner, permissions, fileId, unencrypted);
  for (let i = 0; i < 50 && revision > 2; i++) {
    hash = md5(hash.subarray(0, size));
  }
  const key = hash.subarray(0, size);
  let check = new Rc4(key).apply(revision === 2 ? PADDING : md5(PADDING, fileId));
  for (let i = 1; i < 20 && revision > 2; i++) {
    check = new Rc4(key.map((byte) => byte ^ i)).apply(check);
  }
  return check.every((byte, i) => byte === user[i]) ? key : undefined;
}

/** In bytes. Documents without a length of their own have that of their filter, which some state in bytes. */
function keySize(dict: PDFDict, version: number): number {
  const filter = version === 4 ? filterOf(dict, "StmF") : undefined;
  const stated = (entries: PDFDict | undefined) =>
    entries?.lookup(PDFName.of("Length")) instanceof PDFNumber
      ? numberOf(entries, "Length")
      : undefined;
  const given = stated(dict) ?? stated(filter) ?? (version === 4 ? 128 : 40);
  const bits = version === 4 && given < 40 ? 8 * given : given;
  if (!Number.isInteger(bits) || bits < 40 || bits > 128 || bits % 8 !== 0) {
    throw new UnknownEncryption();
  }
  return bits / 8;
}

/** The key of a document of version 5, if the empty password is right (ISO 32000-2, algorithms 2.A and 11). */
export function longKey(dict: PDFDict): Uint8Array | undefined {
  const revision = numberOf(dict, "R");
  if (revision !== 5 && revision !== 6) {
    throw new UnknownEncryption();
  }
  const [user, wrapped] = [bytesOf(dict, "U", 48), bytesOf(dict, "UE", 32)];
  const hash = revision === 5 ? sha256 : hardenedHash;
  if (!Buffer.from(user.subarray(0, 32)).equals(hash(user.subarray(32, 40)))) {
    return undefined;
  }
  return decryptedKey(hash(user.subarray(40, 48)), wrapped);
}

/** The hash of revision 6 for an empty password (algorithm 2.B), at most 287 rounds. */
function hardenedHash(salt: Uint8Array): Uint8Array {
  let key = sha256(salt);
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32));
    cipher.setAutoPadding(false);
    const block = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => key)));
    // The first 16 bytes as a number, modulo 3: 256 is 1 there.
    const rest = block.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(["sha256", "sha384", "sha512"][rest] ?? "sha256")
      .update(block)
      .digest();
    last = block.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/** The key of one object (algorithm 1). */
export function objectKey(key: Uint8Array, ref: PDFRef, kind: "rc4" | "aes"): Uint8Array {
  const number = Buffer.alloc(5);
  number.writeUIntLE(ref.objectNumber % 0x1_00_00_00, 0, 3);
  number.writeUIntLE(ref.generationNumber % 0x1_00_00, 3, 2);
  const hash = md5(key, number, kind === "aes" ? AES_SALT : Buffer.alloc(0));
  return hash.subarray(0, Math.min(key.length + 5, 16));
}

/** The crypt filter that an entry of `/Encrypt` names. */
export function filterOf(dict: PDFDict, entry: "StmF" | "StrF"): PDFDict | undefined {
  const name = dict.lookup(PDFName.of(entry));
  const filters = dict.lookup(PDFName.of("CF"));
  const filter =
    filters instanceof PDFDict && name instanceof PDFName ? filters.lookup(name) : undefined;
  return filter instanceof PDFDict ? filter : undefined;
}

/** NaN if the entry is not a number. */
export function numberOf(dict: PDFDict, entry: string): number {
  const value = dict.lookup(PDFName.of(entry));
  return value instanceof PDFNumber ? value.asNumber() : NaN;
}

/** Throws `UnknownEncryption` if the entry is not a string of at least `size` bytes, of which the first are returned. */
function bytesOf(dict: PDFDict, entry: string, size: number): Uint8Array {
  const value = dict.lookup(PDFName.of(entry));
  const bytes = isString(value) ? value.asBytes() : new Uint8Array(0);
  if (bytes.length < size) {
    throw new UnknownEncryption();
  }
  return bytes.subarray(0, size);
}

export function isString(object: PDFObject | undefined): object is PDFString | PDFHexString {
  return object instanceof PDFString || object instanceof PDFHexString;
}

function md5(...parts: readonly Uint8Array[]): Uint8Array {
  return createHash("md5").update(Buffer.concat(parts)).digest();
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
