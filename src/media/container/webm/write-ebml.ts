import { joinBytes } from "../mp4/write-box.ts";

/** Elements of EBML (RFC 8794) as bytes. */

/** An element with these contents, and a size of as few bytes as it needs. */
export function element(id: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return joinBytes(elementHead(id, content), ...parts);
}

/** The head of an element whose content of `size` bytes follows. */
export function elementHead(id: number, size: number, sizeBytes = 0): Uint8Array<ArrayBuffer> {
  return joinBytes(idBytes(id), variableNumber(size, sizeBytes));
}

/** An unsigned number in as few bytes as it needs, or in `bytes`. */
export function unsigned(id: number, value: number, bytes = 0): Uint8Array<ArrayBuffer> {
  return element(id, bigEndian(value, Math.max(1, bytes, bytesOf(value))));
}

/** A signed number in 8 bytes. */
export function signed(id: number, value: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(8);
  new DataView(content.buffer).setBigInt64(0, BigInt(value));
  return element(id, content);
}

/** A float of 64 bits. */
export function float(id: number, value: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(8);
  new DataView(content.buffer).setFloat64(0, value);
  return element(id, content);
}

export function string(id: number, value: string): Uint8Array<ArrayBuffer> {
  return element(id, new TextEncoder().encode(value));
}

/** A number whose first byte tells its length. All bits 1 would mean "unknown". */
export function variableNumber(value: number, bytes = 0): Uint8Array<ArrayBuffer> {
  let length = Math.max(1, bytes);
  while (value >= 2 ** (7 * length) - 1) {
    length++;
  }
  const written = bigEndian(value, length);
  written[0] = (written[0] ?? 0) | (0x80 >> (length - 1));
  return written;
}

function idBytes(id: number): Uint8Array<ArrayBuffer> {
  return bigEndian(id, bytesOf(id));
}

function bytesOf(value: number): number {
  let bytes = 0;
  for (let left = value; left >= 1; left /= 256) {
    bytes++;
  }
  return bytes;
}

function bigEndian(value: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let left = value;
  for (let i = length - 1; i >= 0; i--) {
    bytes[i] = left % 256;
    left = Math.floor(left / 256);
  }
  return bytes;
}
