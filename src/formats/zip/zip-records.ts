/** Records of a ZIP archive without ZIP64 (APPNOTE 6.3.10), little-endian. Names are UTF-8. */

export const STORED = 0;
export const DEFLATED = 8;

/** An archive or a file of it has no more bytes. */
export const ZIP_BYTES_MAX = 0xff_ff_ff_ff;

/** Bytes of the end of an archive. */
export const END_BYTES = 22;

/** A file whose bytes are known. */
export interface ZipFile {
  readonly name: string;
  readonly method: typeof STORED | typeof DEFLATED;
  /** Its header was written before its checksum and sizes were known, which follow its bytes. */
  readonly is_streamed: boolean;
  readonly crc: number;
  /** Bytes in the archive, and once unpacked. */
  readonly packed: number;
  readonly size: number;
  /** Where its header is in the archive. */
  readonly offset: number;
}

/** The most bytes that a stored file of this name and size adds to an archive, its entry in the directory included. */
export function bytesOfFile(name: string, size: number): number {
  return 30 + 16 + 46 + 2 * encoder.encode(name).byteLength + size;
}

/** The header before the bytes of a file. The checksum and sizes of a streamed one are zero. */
export function localHeader(file: ZipFile, modifiedMs: number): Uint8Array {
  const name = encoder.encode(file.name);
  const { bytes, view } = record(30, name, 0x04_03_4b_50);
  view.setUint16(4, 20, true);
  common(view, 6, file, modifiedMs);
  if (file.is_streamed) {
    for (const at of [14, 18, 22]) {
      view.setUint32(at, 0, true);
    }
  }
  view.setUint16(26, name.byteLength, true);
  return bytes;
}

/** What follows the bytes of a streamed file. */
export function dataDescriptor({ crc, packed, size }: ZipFile): Uint8Array {
  const { bytes, view } = record(16, new Uint8Array(), 0x08_07_4b_50);
  view.setUint32(4, crc, true);
  view.setUint32(8, packed, true);
  view.setUint32(12, size, true);
  return bytes;
}

/** The entry of a file in the directory at the end of the archive. */
export function directoryEntry(file: ZipFile, modifiedMs: number): Uint8Array {
  const name = encoder.encode(file.name);
  const { bytes, view } = record(46, name, 0x02_01_4b_50);
  // Made by version 2.0 on Unix, where the attributes are those of a regular file.
  view.setUint16(4, 0x03_14, true);
  view.setUint16(6, 20, true);
  common(view, 8, file, modifiedMs);
  view.setUint16(28, name.byteLength, true);
  view.setUint32(38, 0o10_0644 * 0x1_00_00, true);
  view.setUint32(42, file.offset, true);
  return bytes;
}

/** The end of an archive whose directory has `files` entries of `bytes` in all and begins at `offset`. */
export function endOfArchive(files: number, bytes: number, offset: number): Uint8Array {
  const { bytes: end, view } = record(END_BYTES, new Uint8Array(), 0x06_05_4b_50);
  view.setUint16(8, files, true);
  view.setUint16(10, files, true);
  view.setUint32(12, bytes, true);
  view.setUint32(16, offset, true);
  return end;
}

const encoder = new TextEncoder();

function record(length: number, name: Uint8Array, signature: number) {
  const bytes = new Uint8Array(length + name.byteLength);
  bytes.set(name, length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, signature, true);
  return { bytes, view };
}

/** The members that both headers of a file have, in the same order. */
function common(view: DataView, at: number, file: ZipFile, modifiedMs: number): void {
  // UTF-8 names; the sizes of a streamed file follow its bytes.
  view.setUint16(at, 0x08_00 | (file.is_streamed ? 0x00_08 : 0), true);
  view.setUint16(at + 2, file.method, true);
  const date = new Date(Math.max(modifiedMs, Date.UTC(1980, 0)));
  const seconds = Math.floor(date.getUTCSeconds() / 2);
  view.setUint16(at + 4, date.getUTCHours() * 0x8_00 + date.getUTCMinutes() * 0x20 + seconds, true);
  view.setUint16(
    at + 6,
    (date.getUTCFullYear() - 1980) * 0x2_00 + (date.getUTCMonth() + 1) * 0x20 + date.getUTCDate(),
    true,
  );
  view.setUint32(at + 8, file.crc, true);
  view.setUint32(at + 12, file.packed, true);
  view.setUint32(at + 16, file.size, true);
}
