/** Pages of Ogg (RFC 3533). */

const HEAD_BYTES = 27;
export const SEGMENTS_MAX = 255;
const SEGMENT_BYTES = 255;
const CRC_AT = 22;

/** CRC-32 with the polynomial of Ethernet, most significant bit first, from 0. */
const CRC = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let i = 0; i < 8; i++) {
    value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  }
  return value;
});

export interface OggPage {
  /** Whole packets. */
  readonly packets: readonly Uint8Array[];
  /** Position of the last packet's end. */
  readonly granule: number;
  readonly sequence: number;
  readonly serial: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Segments that a packet takes of a page. */
export function segmentsOf(packetBytes: number): number {
  return Math.floor(packetBytes / SEGMENT_BYTES) + 1;
}

/** The bytes of a page. Throws RangeError for more than 255 segments. */
export function writeOggPage(page: OggPage): Uint8Array<ArrayBuffer> {
  const { packets } = page;
  const segments = packets.reduce((sum, { byteLength }) => sum + segmentsOf(byteLength), 0);
  if (segments > SEGMENTS_MAX) {
    throw new RangeError(`A page has at most ${SEGMENTS_MAX} segments.`);
  }
  const body = packets.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = new Uint8Array(HEAD_BYTES + segments + body);
  const view = new DataView(bytes.buffer);
  bytes.set([0x4f, 0x67, 0x67, 0x53, 0, (page.isFirst ? 2 : 0) | (page.isLast ? 4 : 0)]);
  view.setBigInt64(6, BigInt(page.granule), true);
  view.setUint32(14, page.serial, true);
  view.setUint32(18, page.sequence, true);
  bytes[26] = segments;
  let lacing = HEAD_BYTES;
  let at = HEAD_BYTES + segments;
  for (const packet of packets) {
    const whole = segmentsOf(packet.byteLength) - 1;
    bytes.fill(SEGMENT_BYTES, lacing, lacing + whole);
    bytes[lacing + whole] = packet.byteLength % SEGMENT_BYTES;
    lacing += whole + 1;
    bytes.set(packet, at);
    at += packet.byteLength;
  }
  view.setInt32(CRC_AT, checksum(bytes), true);
  return bytes;
}

/** Of a page whose checksum is 0. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.byteLength; i++) {
    crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ (bytes[i] as number)] as number);
  }
  return crc;
}
