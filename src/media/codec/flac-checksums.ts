/** Checksums in frames of FLAC (RFC 9639, sections 9.1.8 and 9.3). Loops stay within the arrays. */

/** Of x⁸ + x² + x + 1. */
const CRC_8 = table(8, 0x07);
/** Of x¹⁶ + x¹⁵ + x² + 1. */
const CRC_16 = table(16, 0x8005);

function table(bits: 8 | 16, polynomial: number): Uint16Array {
  const mask = 2 ** bits - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let i = 0; i < 8; i++) {
      value = (value << 1) ^ ((value >> (bits - 1)) & 1 ? polynomial : 0);
    }
    return value & mask;
  });
}

/** The checksum of a header, from byte `from` to `to` - 1. */
export function flacCrc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) {
    crc = CRC_8[crc ^ (bytes[i] ?? 0)] as number;
  }
  return crc;
}

/** The checksum of the first `length` bytes of a frame; 0 for a frame with its checksum. */
export function flacCrc16(frame: Uint8Array, length: number): number {
  let crc = 0;
  for (let i = 0; i < length; i++) {
    crc = ((crc << 8) & 0xffff) ^ (CRC_16[(crc >> 8) ^ (frame[i] as number)] as number);
  }
  return crc;
}
