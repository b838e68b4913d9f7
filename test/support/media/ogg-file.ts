/** The checksum of a page, bit by bit (RFC 3533, section 6). */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc << 1) ^ (crc < 0 ? 0x04c1_1db7 : 0);
    }
  }
  return crc >>> 0;
}

export interface PageFields {
  readonly serial?: number;
  readonly sequence: number;
  readonly granule: number;
  /** 1 continued, 2 first, 4 last. */
  readonly flags?: number;
  readonly isWrong?: boolean;
}

/** A page with one whole packet of up to 65,024 bytes. */
export function oggPage(packet: Uint8Array, fields: PageFields): Buffer {
  const segments = Math.floor(packet.length / 255) + 1;
  const head = Buffer.alloc(27 + segments, 255);
  head.write("OggS", 0, "latin1");
  head[4] = 0;
  head[5] = fields.flags ?? 0;
  head.writeBigInt64LE(BigInt(fields.granule), 6);
  head.writeUInt32LE(fields.serial ?? 7, 14);
  head.writeUInt32LE(fields.sequence, 18);
  head.writeUInt32LE(0, 22);
  head[26] = segments;
  head[26 + segments] = packet.length % 255;
  const page = Buffer.concat([head, packet]);
  page.writeUInt32LE((checksum(page) ^ (fields.isWrong === true ? 1 : 0)) >>> 0, 22);
  return page;
}

const OPUS_HEAD = Buffer.from("4f707573486561640101380180bb0000000000", "hex");
const OPUS_TAGS = Buffer.from("4f70757354616773000000000000000000000000", "hex");
/** One frame of 20 ms of silence, mono. */
export const OPUS_SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
export const OPUS_PACKET_FRAMES = 960;

/** An Opus stream of packets of silence, one on each page. `change` replaces or removes a page. */
export function opusFile(
  packets: number,
  change: (fields: PageFields, number: number) => PageFields | undefined = (fields) => fields,
  serial = 7,
): Uint8Array {
  const pages = [
    oggPage(OPUS_HEAD, { serial, sequence: 0, granule: 0, flags: 2 }),
    oggPage(OPUS_TAGS, { serial, sequence: 1, granule: 0 }),
  ];
  for (let number = 0; number < packets; number++) {
    const fields = change(
      {
        serial,
        sequence: number + 2,
        granule: (number + 1) * OPUS_PACKET_FRAMES,
        flags: number === packets - 1 ? 4 : 0,
      },
      number,
    );
    if (fields !== undefined) {
      pages.push(oggPage(OPUS_SILENCE, fields));
    }
  }
  return Uint8Array.from(Buffer.concat(pages));
}
