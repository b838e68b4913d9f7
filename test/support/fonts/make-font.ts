/** A valid static TrueType font of two glyphs, small enough to make many. */
export interface FontSpec {
  readonly family?: string;
  readonly weight?: number;
  readonly isItalic?: boolean;
  /** Width of the one drawn glyph: another width gives another font. */
  readonly width?: number;
  /** Padded to this size by bytes after the last table. */
  readonly sizeBytes?: number;
}

const EMPTY = new Uint8Array(0);

export function makeFont(spec: FontSpec = {}): Uint8Array<ArrayBuffer> {
  const { family = "Test Sans", weight = 400, isItalic = false, width = 500 } = spec;
  const macStyle = isItalic ? 2 : 0;
  const glyph = words(1, 0, 0, width, 500, 3, 0);
  // Four corners; every coordinate is a word, every flag "on the curve".
  const outline = join(glyph, bytes(1, 1, 1, 1), words(0, width, 0, -width, 0, 0, 500, 0));
  const glyf = outline.byteLength % 2 === 0 ? outline : join(outline, bytes(0));
  return fontFile(
    {
      "OS/2": os2(weight, isItalic),
      cmap: join(
        words(0, 1, 3, 1, 0, 12),
        words(4, 32, 0, 4, 4, 1, 0, 0x41, 0xffff, 0, 0x41, 0xffff, 1 - 0x41, 1, 0, 0),
      ),
      glyf,
      head: join(
        words(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, 1000),
        new Uint8Array(16),
        words(0, 0, width, 500, macStyle, 8, 2, 0, 0),
      ),
      hhea: words(1, 0, 800, -200, 0, 600, 0, 0, width, 1, 0, 0, 0, 0, 0, 0, 0, 2),
      hmtx: words(600, 0, 600, 0),
      loca: words(0, 0, glyf.byteLength / 2),
      maxp: words(1, 0, 2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
      name: names(family, `${String(weight)}${isItalic ? " Italic" : ""}`),
      post: join(words(3, 0), new Uint8Array(28)),
    },
    spec.sizeBytes,
  );
}

function os2(weight: number, isItalic: boolean): Uint8Array {
  const table = new Uint8Array(96);
  const view = new DataView(table.buffer);
  view.setUint16(0, 4);
  view.setUint16(2, 600);
  view.setUint16(4, weight);
  view.setUint16(6, 5);
  view.setUint16(62, isItalic ? 1 : 0x40);
  view.setUint16(64, 0x41);
  view.setUint16(66, 0x41);
  view.setInt16(68, 800);
  view.setInt16(70, -200);
  view.setUint16(74, 800);
  view.setUint16(76, 200);
  return table;
}

function names(family: string, subfamily: string): Uint8Array {
  const texts = [
    [1, family],
    [2, subfamily],
    [4, `${family} ${subfamily}`],
    [6, `${family}-${subfamily}`.replaceAll(" ", "")],
  ] as const;
  const records: number[] = [];
  let storage: Uint8Array = EMPTY;
  for (const [id, text] of texts) {
    const encoded = words(...Array.from(text, (letter) => letter.charCodeAt(0)));
    records.push(3, 1, 0x409, id, encoded.byteLength, storage.byteLength);
    storage = join(storage, encoded);
  }
  return join(words(0, texts.length, 6 + 12 * texts.length), words(...records), storage);
}

/** A file with these tables in the order of their tags, as required. */
function fontFile(
  tables: Readonly<Record<string, Uint8Array>>,
  sizeBytes: number | undefined,
): Uint8Array<ArrayBuffer> {
  const tags = Object.keys(tables);
  let at = 12 + 16 * tags.length;
  let records: Uint8Array = words(1, 0, tags.length, 0, 0, 0);
  let content: Uint8Array = EMPTY;
  for (const tag of tags) {
    const table = tables[tag] ?? EMPTY;
    const padded = join(table, new Uint8Array(-table.byteLength & 3));
    const record = new DataView(new ArrayBuffer(16));
    for (let i = 0; i < 4; i++) {
      record.setUint8(i, tag.charCodeAt(i));
    }
    record.setUint32(4, sumOf(padded));
    record.setUint32(8, at);
    record.setUint32(12, table.byteLength);
    records = join(records, new Uint8Array(record.buffer));
    content = join(content, padded);
    at += padded.byteLength;
  }
  const file = new Uint8Array(Math.max(sizeBytes ?? 0, at));
  file.set(join(records, content));
  return file;
}

function sumOf(padded: Uint8Array): number {
  const view = new DataView(padded.buffer, padded.byteOffset, padded.byteLength);
  let sum = 0;
  for (let at = 0; at < padded.byteLength; at += 4) {
    sum = (sum + view.getUint32(at)) >>> 0;
  }
  return sum;
}

/** Big-endian 16-bit words. */
function words(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 2));
  for (const [i, value] of values.entries()) {
    view.setUint16(i * 2, value & 0xffff);
  }
  return new Uint8Array(view.buffer);
}

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
