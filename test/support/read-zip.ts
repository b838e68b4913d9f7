/**
 * Reads a ZIP of stored and deflated files from its central directory, as an unzip program does, and verifies the CRC and sizes of
 * every entry. Written from the format's specification (APPNOTE 6.3), independent of the writer.
 */
import { crc32, inflateRawSync } from "node:zlib";

export function readZip(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.byteLength - 22;
  if (view.getUint32(end, true) !== 0x06054b50) {
    throw new Error("no end of central directory at the end");
  }
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  let at = view.getUint32(end + 16, true);
  if (at + size !== end) {
    throw new Error("the central directory does not end where the end record begins");
  }
  const files = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== 0x02014b50) {
      throw new Error(`no central header for entry ${i}`);
    }
    const [method, crc, packed, plain] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 16, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 24, true),
    ];
    const nameBytes = view.getUint16(at + 28, true);
    const name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(at + 46, at + 46 + nameBytes),
    );
    const local = view.getUint32(at + 42, true);
    if (view.getUint32(local, true) !== 0x04034b50 || (method !== 0 && method !== 8)) {
      throw new Error(`${name} is not a stored or deflated file`);
    }
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const body = bytes.subarray(start, start + packed);
    const data = method === 0 ? body : new Uint8Array(inflateRawSync(body));
    if (data.byteLength !== plain || crc32(data) !== crc) {
      throw new Error(`${name} does not match its checksum`);
    }
    if (files.has(name)) {
      throw new Error(`${name} is there twice`);
    }
    files.set(name, data);
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return files;
}
