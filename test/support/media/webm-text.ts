/** Reads the subtitles of a WebM by the Matroska specification (RFC 9559), with no code of the service. */

const SEGMENT = 0x1853_8067;
const INFO = 0x1549_a966;
const TRACKS = 0x1654_ae6b;
const TRACK = 0xae;
const CLUSTER = 0x1f43_b675;
const BLOCK_GROUP = 0xa0;

interface Element {
  readonly id: number;
  readonly data: Buffer;
}

export interface WebmSubtitles {
  readonly codec: string;
  readonly language: string;
  readonly isDefault: boolean;
  readonly cues: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly text: string;
  }[];
}

/** The tracks of subtitles, in the order of the file. */
export function readWebmSubtitles(bytes: Uint8Array): readonly WebmSubtitles[] {
  const segment = only(elementsOf(Buffer.from(bytes)), SEGMENT);
  const parts = elementsOf(segment);
  const scale = numberOf(elementsOf(only(parts, INFO)), 0x2a_d7b1, 1_000_000) / 1_000_000;
  return elementsOf(only(parts, TRACKS))
    .filter(({ id }) => id === TRACK)
    .map(({ data }) => elementsOf(data))
    .filter((track) => numberOf(track, 0x83, 0) === 17)
    .map((track) => ({
      codec: only(track, 0x86).toString("latin1"),
      language: only(track, 0x22_b59c).toString("latin1"),
      isDefault: numberOf(track, 0x88, 1) === 1,
      cues: cuesOf(parts, numberOf(track, 0xd7, 0), scale),
    }));
}

/** Each cue is a BlockGroup, because a SimpleBlock has no duration. */
function cuesOf(parts: readonly Element[], track: number, scale: number): WebmSubtitles["cues"] {
  return parts
    .filter(({ id }) => id === CLUSTER)
    .flatMap(({ data }) => {
      const cluster = elementsOf(data);
      const time = numberOf(cluster, 0xe7, 0);
      return cluster
        .filter(({ id }) => id === BLOCK_GROUP)
        .map((group) => elementsOf(group.data))
        .flatMap((group) => {
          const block = only(group, 0xa1);
          if (block.readUInt8(0) !== 0x80 + track) {
            return [];
          }
          const startMs = (time + block.readInt16BE(1)) * scale;
          const endMs = startMs + numberOf(group, 0x9b, 0) * scale;
          return [{ startMs, endMs, text: block.toString("utf8", 4) }];
        });
    });
}

function elementsOf(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const idBytes = Math.clz32(bytes.readUInt8(at)) - 23;
    const id = bytes.readUIntBE(at, idBytes);
    at += idBytes;
    const sizeBytes = Math.clz32(bytes.readUInt8(at)) - 23;
    const size = Number(
      BigInt(`0x${bytes.toString("hex", at, at + sizeBytes)}`) &
        ((1n << BigInt(7 * sizeBytes)) - 1n),
    );
    at += sizeBytes;
    found.push({ id, data: bytes.subarray(at, at + size) });
    at += size;
  }
  return found;
}

function only(elements: readonly Element[], wanted: number): Buffer {
  const found = elements.find(({ id }) => id === wanted);
  if (found === undefined) {
    throw new Error(`There is no element 0x${wanted.toString(16)}.`);
  }
  return found.data;
}

function numberOf(elements: readonly Element[], wanted: number, fallback: number): number {
  const found = elements.find(({ id }) => id === wanted);
  return found === undefined ? fallback : Number(`0x${found.data.toString("hex") || "0"}`);
}
