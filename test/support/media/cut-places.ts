/** Places in the fixtures of test/golden/media at which a part begins: boxes, elements, pages, chunks and frames. */
export function partStarts(name: string, bytes: Uint8Array): readonly number[] {
  const buffer = Buffer.from(bytes);
  if (/\.(?:mp4|m4a|mov)$/.test(name)) {
    return boxStarts(buffer, 0, buffer.length);
  }
  if (name.endsWith(".webm")) {
    return elementStarts(buffer, 0, buffer.length);
  }
  if (/\.(?:ogg|opus)$/.test(name)) {
    return marks(buffer, (at) => buffer.toString("latin1", at, at + 4) === "OggS");
  }
  const second = name.endsWith(".flac") ? 0xf8 : name.endsWith(".aac") ? 0xf1 : 0xfb;
  return marks(buffer, (at) => buffer[at] === 0xff && buffer[at + 1] === second);
}

function marks(buffer: Buffer, isMark: (at: number) => boolean): readonly number[] {
  return Array.from({ length: buffer.length }, (_, at) => at).filter(isMark);
}

const CONTAINERS = new Set([
  "moov",
  "trak",
  "edts",
  "mdia",
  "minf",
  "stbl",
  "udta",
  "moof",
  "traf",
]);

function boxStarts(buffer: Buffer, from: number, to: number): readonly number[] {
  const starts: number[] = [];
  for (let at = from; at + 8 <= to;) {
    starts.push(at);
    const size = buffer.readUInt32BE(at);
    if (CONTAINERS.has(buffer.toString("latin1", at + 4, at + 8))) {
      starts.push(...boxStarts(buffer, at + 8, at + size));
    }
    at += Math.max(size, 8);
  }
  return starts;
}

const MASTERS = new Set([0x1853_8067, 0x1654_ae6b, 0xae, 0x1f43_b675, 0xa0, 0x1549_a966]);

function elementStarts(buffer: Buffer, from: number, to: number): readonly number[] {
  const starts: number[] = [];
  for (let at = from; at < to;) {
    starts.push(at);
    const idBytes = Math.clz32((buffer[at] ?? 0) << 24) + 1;
    const id = buffer.readUIntBE(at, Math.min(idBytes, 4));
    const first = buffer[at + idBytes] ?? 0;
    const sizeBytes = Math.clz32(first << 24) + 1;
    let size = first & (0x7f >> (sizeBytes - 1));
    for (let i = 1; i < sizeBytes; i++) {
      size = size * 256 + (buffer[at + idBytes + i] ?? 0);
    }
    const content = at + idBytes + sizeBytes;
    if (MASTERS.has(id)) {
      starts.push(...elementStarts(buffer, content, Math.min(content + size, to)));
    }
    at = content + size;
  }
  return starts;
}
