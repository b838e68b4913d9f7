import { crc32, deflateRawSync } from "node:zlib";

export interface ZipPart {
  readonly name: string;
  readonly data: string | Uint8Array;
  readonly isStored?: boolean;
  /** What the directory says instead of the truth. */
  readonly claims?: {
    readonly expandedBytes?: number;
    readonly compressedBytes?: number;
    readonly offset?: number;
    readonly flags?: number;
    readonly method?: number;
  };
}

/** A ZIP archive whose directory may lie. */
export function makeZip(
  parts: readonly ZipPart[],
  end: { readonly entries?: number; readonly offset?: number; readonly prefix?: string } = {},
): Uint8Array {
  const chunks: Buffer[] = [Buffer.from(end.prefix ?? "")];
  const directory: Buffer[] = [];
  let at = chunks[0]!.length;
  for (const { name, data, isStored = false, claims = {} } of parts) {
    const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const method = claims.method ?? (isStored ? 0 : 8);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(method, 8);
    header.writeUInt32LE(crc32(bytes), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(bytes.length, 22);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(claims.flags ?? 0, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(claims.compressedBytes ?? packed.length, 20);
    entry.writeUInt32LE(claims.expandedBytes ?? bytes.length, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE(claims.offset ?? at, 42);
    directory.push(entry, Buffer.from(name));
    chunks.push(header, Buffer.from(name), packed);
    at += header.length + Buffer.byteLength(name) + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.entries ?? parts.length, 8);
  record.writeUInt16LE(end.entries ?? parts.length, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(end.offset ?? at, 16);
  return new Uint8Array(Buffer.concat([...chunks, ...directory, record]));
}
