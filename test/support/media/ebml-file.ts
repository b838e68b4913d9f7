/** An element of EBML; `size` in place of its own, or "unknown". */
export function element(
  id: number,
  content: Uint8Array | readonly Uint8Array[],
  size?: number | "unknown",
): Buffer {
  const body = content instanceof Uint8Array ? content : Buffer.concat(content);
  const idText = id.toString(16);
  const head = Buffer.from(idText.padStart(idText.length + (idText.length % 2), "0"), "hex");
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) | BigInt(typeof size === "number" ? size : body.length));
  const unknown = Buffer.from([0x01, 255, 255, 255, 255, 255, 255, 255]);
  return Buffer.concat([head, size === "unknown" ? unknown : length, body]);
}

export function uint(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return element(id, bytes);
}

export const text = (id: number, value: string): Buffer =>
  element(id, Buffer.from(value, "latin1"));

const float = (id: number, value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
};

/** A simple block of track 1 at a relative time. `lacing`: bits of the flags. */
export function simpleBlock(data: Uint8Array, time: number, lacing = 0): Buffer {
  const head = Buffer.from([0x81, 0, 0, 0x80 | (lacing << 1)]);
  head.writeInt16BE(time, 1);
  return element(0xa3, Buffer.concat([head, data]));
}

export interface WebmFields {
  readonly docType?: string;
  readonly codec?: string;
  /** CodecPrivate; the head of Opus in stereo by default. */
  readonly config?: Uint8Array;
  readonly encodings?: Uint8Array;
  /** Entries in the list of tracks after the first one. */
  readonly moreTracks?: readonly Uint8Array[];
  readonly segmentSize?: number | "unknown";
  readonly clusters: readonly Uint8Array[];
}

const OPUS_HEAD = Buffer.from("4f707573486561640102380180bb0000000000", "hex");

export function webmFile(fields: WebmFields): Uint8Array {
  const audio = element(0xe1, [float(0xb5, 48_000), uint(0x9f, 2)]);
  const track = element(0xae, [
    uint(0xd7, 1),
    uint(0x83, 2),
    text(0x86, fields.codec ?? "A_OPUS"),
    element(0x63a2, fields.config ?? OPUS_HEAD),
    audio,
    ...(fields.encodings === undefined ? [] : [element(0x6d80, fields.encodings)]),
  ]);
  const header = element(0x1a45dfa3, [text(0x4282, fields.docType ?? "webm")]);
  const info = element(0x1549a966, [uint(0x2ad7b1, 1_000_000)]);
  const segment = element(
    0x18538067,
    [info, element(0x1654ae6b, [track, ...(fields.moreTracks ?? [])]), ...fields.clusters],
    fields.segmentSize,
  );
  return Uint8Array.from(Buffer.concat([header, segment]));
}

export function cluster(time: number, blocks: readonly Uint8Array[], size?: "unknown"): Buffer {
  return element(0x1f43b675, [uint(0xe7, time), ...blocks], size);
}
