/** Fields of a WAV; those that are absent are right for two channels of 16 bits. */
export interface WavFields {
  readonly samples?: Uint8Array;
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly bits?: number;
  readonly blockAlign?: number;
  readonly form?: "RIFF" | "RF64" | "BW64";
  /** Size that the chunk of samples states. */
  readonly dataSize?: number;
  /** Length that the chunk `ds64` states. */
  readonly longSize?: number;
  /** The first two bytes of the subtype of an extensible format. */
  readonly subtype?: number;
  /** Chunks before the format. */
  readonly before?: readonly Uint8Array[];
  readonly order?: "format first" | "samples first" | "no samples" | "no format";
}

export function chunk(name: string, content: Uint8Array, size = content.length): Uint8Array {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

const SUBTYPE_TAIL = Buffer.from("000000001000800000aa00389b71", "hex");

export function wavFile(fields: WavFields = {}): Uint8Array {
  const { samples = new Uint8Array(400), tag = 1, channels = 2, rate = 44_100, bits = 16 } = fields;
  const { blockAlign = (channels * bits) / 8, form = "RIFF", order = "format first" } = fields;
  const format = Buffer.alloc(fields.subtype === undefined ? 16 : 40);
  format.writeUInt16LE(fields.subtype === undefined ? tag : 0xfffe, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE((rate * blockAlign) >>> 0, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bits, 14);
  if (fields.subtype !== undefined) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(bits, 18);
    format.writeUInt16LE(fields.subtype, 24);
    SUBTYPE_TAIL.copy(format, 26);
  }
  const long = Buffer.alloc(28);
  long.writeBigUInt64LE(BigInt(fields.longSize ?? samples.length), 8);
  const chunks = [
    ...(form === "RIFF" ? [] : [chunk("ds64", long)]),
    ...(fields.before ?? []),
    chunk("fmt ", format),
    chunk("data", samples, fields.dataSize ?? (form === "RIFF" ? samples.length : 0xffff_ffff)),
  ];
  const ordered = inOrder(chunks, order);
  const body = Buffer.concat([Buffer.from("WAVE", "latin1"), ...ordered]);
  return Uint8Array.from(chunk(form, body));
}

function inOrder(chunks: readonly Uint8Array[], order: WavFields["order"]): readonly Uint8Array[] {
  switch (order) {
    case "samples first":
      return chunks.toReversed();
    case "no samples":
      return chunks.slice(0, -1);
    case "no format":
      return chunks.slice(-1);
    default:
      return chunks;
  }
}
