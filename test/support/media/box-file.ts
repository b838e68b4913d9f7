/** Boxes of an MP4 that a test changes. */
export interface TestBox {
  readonly type: string;
  /** Content, or inner boxes. */
  readonly content: Buffer | readonly TestBox[];
}

const CONTAINERS = new Set(["moov", "trak", "edts", "mdia", "minf", "stbl", "udta"]);

export function parseBoxes(bytes: Uint8Array): readonly TestBox[] {
  const buffer = Buffer.from(bytes);
  const boxes: TestBox[] = [];
  for (let at = 0; at < buffer.length;) {
    const size = buffer.readUInt32BE(at) || buffer.length - at;
    const type = buffer.toString("latin1", at + 4, at + 8);
    const content = buffer.subarray(at + 8, at + size);
    boxes.push({ type, content: CONTAINERS.has(type) ? parseBoxes(content) : content });
    at += size;
  }
  return boxes;
}

export function writeBoxes(boxes: readonly TestBox[]): Buffer {
  return Buffer.concat(boxes.map(({ type, content }) => box(type, content)));
}

export function box(type: string, content: Uint8Array | readonly TestBox[]): Buffer {
  const body = content instanceof Uint8Array ? content : writeBoxes(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** The boxes with another content of those at a path, for example "moov/trak/tkhd"; undefined removes them. */
export function withBox(
  boxes: readonly TestBox[],
  path: string,
  change: (content: Buffer) => Buffer | undefined,
): readonly TestBox[] {
  const [first = "", ...rest] = path.split("/");
  return boxes.flatMap((inner) => {
    if (inner.type !== first) {
      return [inner];
    }
    if (rest.length > 0 && !(inner.content instanceof Buffer)) {
      return [
        { ...inner, content: withBox(inner.content as readonly TestBox[], rest.join("/"), change) },
      ];
    }
    const whole =
      inner.content instanceof Buffer
        ? inner.content
        : writeBoxes(inner.content as readonly TestBox[]);
    const content = change(Buffer.from(whole));
    return content === undefined ? [] : [{ type: inner.type, content }];
  });
}

/** A file with one changed box. */
export function editedBox(
  bytes: Uint8Array,
  path: string,
  change: (content: Buffer) => Buffer | undefined,
): Uint8Array {
  return Uint8Array.from(writeBoxes(withBox(parseBoxes(bytes), path, change)));
}

/** A table of 32-bit numbers with version, flags and the count of its entries. */
export function table(count: number, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(8 + values.length * 4);
  buffer.writeUInt32BE(count, 4);
  for (const [i, value] of values.entries()) {
    buffer.writeInt32BE(value | 0, 8 + 4 * i);
  }
  return buffer;
}
