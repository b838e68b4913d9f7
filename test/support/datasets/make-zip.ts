import { crc32, deflateRawSync } from "node:zlib";

/** False statements of an entry's header. */
export interface Claims {
  readonly expandedBytes?: number;
  readonly compressedBytes?: number;
  readonly flags?: number;
  readonly method?: number;
  readonly crc32?: number;
  readonly name?: string;
  /** Bytes of the extra field. */
  readonly extra?: Uint8Array;
}

export interface ZipPart {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly isStored?: boolean;
  /** Sizes and checksum follow the data, as in a stream. */
  readonly isStreamed?: boolean;
  /** Sizes are in Zip64 fields, as streaming writers put them. */
  readonly isWide?: boolean;
  /** The directory's header; also the local header before the data unless `own` differs. */
  readonly claims?: Claims & { readonly offset?: number };
  /** The local header before the data only. */
  readonly own?: Claims;
}

export interface ZipClaims {
  readonly entries?: number;
  readonly offset?: number;
  readonly prefix?: string;
  readonly comment?: string;
  /** A Zip64 record before the end, and its false statements. */
  readonly wide?: { readonly entries?: number; readonly offset?: number; readonly at?: number };
}

/** A ZIP archive with arbitrary false statements. */
export function makeZip(parts: readonly ZipPart[], end: ZipClaims = {}): Uint8Array {
  const chunks: Buffer[] = [Buffer.from(end.prefix ?? "")];
  const directory: Buffer[] = [];
  let at = chunks[0]!.length;
  for (const part of parts) {
    const { name, data, isStored = false, isStreamed = false, claims = {}, own = {} } = part;
    const bytes = Buffer.from(data as Uint8Array);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const truth = {
      name,
      flags: isStreamed ? 8 : 0,
      method: isStored ? 0 : 8,
      crc32: crc32(bytes),
      compressedBytes: packed.length,
      expandedBytes: bytes.length,
      offset: at,
      extra: new Uint8Array(),
      ...claims,
    };
    const ownTruth = isStreamed
      ? { ...truth, crc32: 0, compressedBytes: 0, expandedBytes: 0 }
      : truth;
    const header = record(0x04034b50, part.isWide === true, { ...ownTruth, ...own });
    directory.push(record(0x02014b50, part.isWide === true, truth));
    chunks.push(header, packed);
    at += header.length + packed.length;
    if (isStreamed) {
      const descriptor = Buffer.alloc(16);
      [0x08074b50, truth.crc32, truth.compressedBytes, truth.expandedBytes].forEach((figure, i) => {
        descriptor.writeUInt32LE(figure, i * 4);
      });
      chunks.push(descriptor);
      at += descriptor.length;
    }
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  return new Uint8Array(Buffer.concat([...chunks, ...directory, ...endOf(parts, at, size, end)]));
}

function record(
  signature: number,
  isWide: boolean,
  says: Required<Claims> & { readonly offset: number },
): Buffer {
  const isOwn = signature === 0x04034b50;
  const name = Buffer.from(says.name);
  const extra = Buffer.concat([says.extra, ...(isWide ? [wideField(says)] : [])]);
  const fixed = Buffer.alloc(isOwn ? 30 : 46);
  fixed.writeUInt32LE(signature, 0);
  // The directory's record has one more field before these.
  const from = isOwn ? 0 : 2;
  fixed.writeUInt16LE(isWide ? 45 : 20, 4 + from);
  fixed.writeUInt16LE(says.flags, 6 + from);
  fixed.writeUInt16LE(says.method, 8 + from);
  fixed.writeUInt32LE(says.crc32, 14 + from);
  fixed.writeUInt32LE(isWide ? 0xffffffff : says.compressedBytes, 18 + from);
  fixed.writeUInt32LE(isWide ? 0xffffffff : says.expandedBytes, 22 + from);
  fixed.writeUInt16LE(name.length, 26 + from);
  fixed.writeUInt16LE(extra.length, 28 + from);
  if (!isOwn) {
    fixed.writeUInt32LE(says.offset, 42);
  }
  return Buffer.concat([fixed, name, extra]);
}

function wideField(says: Required<Claims>): Buffer {
  const field = Buffer.alloc(20);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(16, 2);
  field.writeBigUInt64LE(BigInt(says.expandedBytes), 4);
  field.writeBigUInt64LE(BigInt(says.compressedBytes), 12);
  return field;
}

function endOf(parts: readonly ZipPart[], at: number, size: number, end: ZipClaims): Buffer[] {
  const comment = Buffer.from(end.comment ?? "");
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(end.entries ?? parts.length, 8);
  last.writeUInt16LE(end.entries ?? parts.length, 10);
  last.writeUInt32LE(size, 12);
  last.writeUInt32LE(end.offset ?? at, 16);
  last.writeUInt16LE(comment.length, 20);
  const { wide } = end;
  if (wide === undefined) {
    return [last, comment];
  }
  last.fill(0xff, 8, 20);
  const record64 = Buffer.alloc(56);
  record64.writeUInt32LE(0x06064b50, 0);
  record64.writeBigUInt64LE(44n, 4);
  record64.writeUInt16LE(45, 12);
  record64.writeUInt16LE(45, 14);
  record64.writeBigUInt64LE(BigInt(wide.entries ?? parts.length), 24);
  record64.writeBigUInt64LE(BigInt(wide.entries ?? parts.length), 32);
  record64.writeBigUInt64LE(BigInt(size), 40);
  record64.writeBigUInt64LE(BigInt(wide.offset ?? at), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(wide.at ?? at + size), 8);
  locator.writeUInt32LE(1, 16);
  return [record64, locator, last, comment];
}
