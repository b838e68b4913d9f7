import { words } from "./words.ts";

const HEADER_BYTES = 12;
const RECORD_BYTES = 16;

/** A font split into its tables, to change and reassemble it. */
export class FontSurgery {
  magic: number;
  readonly tables = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(font: Uint8Array) {
    const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
    this.magic = view.getUint32(0);
    for (let i = 0; i < view.getUint16(4); i++) {
      const at = HEADER_BYTES + i * RECORD_BYTES;
      const tag = String.fromCharCode(...font.subarray(at, at + 4));
      const start = view.getUint32(at + 8);
      this.tables.set(tag, font.slice(start, start + view.getUint32(at + 12)));
    }
  }

  table(tag: string): Uint8Array<ArrayBuffer> {
    const table = this.tables.get(tag);
    if (table === undefined) {
      throw new Error(`The font has no table ${tag}.`);
    }
    return table;
  }

  view(tag: string): DataView {
    return new DataView(this.table(tag).buffer);
  }

  set(tag: string, table: Uint8Array<ArrayBuffer>): this {
    this.tables.set(tag, table);
    return this;
  }

  remove(...tags: string[]): this {
    tags.forEach((tag) => this.tables.delete(tag));
    return this;
  }

  /** Writes 16-bit words into a table. */
  poke(tag: string, at: number, ...values: number[]): this {
    const view = this.view(tag);
    values.forEach((value, i) => view.setUint16(at + i * 2, value & 0xffff));
    return this;
  }

  cut(tag: string, length: number): this {
    return this.set(tag, this.table(tag).slice(0, length));
  }

  /** Replaces the TrueType outlines, from "A" on, and updates everything that counts them. */
  glyphs(glyphs: readonly Uint8Array[]): this {
    const offsets = new DataView(new ArrayBuffer((glyphs.length + 1) * 4));
    const glyf = new Uint8Array(glyphs.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    glyphs.forEach((glyph, i) => {
      glyf.set(glyph, at);
      at += glyph.byteLength;
      offsets.setUint32((i + 1) * 4, at);
    });
    this.set("glyf", glyf).set("loca", new Uint8Array(offsets.buffer));
    return this.poke("head", 50, 1).count(glyphs.length);
  }

  /** Replaces the CFF outlines. */
  cff(cff: Uint8Array<ArrayBuffer>, glyphCount: number): this {
    this.magic = 0x4f54_544f;
    this.remove("glyf", "loca")
      .set("CFF ", cff)
      .set("maxp", words(0, 0x5000, glyphCount));
    return this.count(glyphCount);
  }

  /** Sets the number of glyphs wherever it is stored. */
  count(glyphCount: number): this {
    const metrics = new Uint8Array(4 + 2 * (glyphCount - 1));
    const map = words(4, 32, 0, 4, 4, 1, 0, 0x41, 0xffff, 0, 0x41, 0xffff, 1 - 0x41, 1, 0, 0);
    return this.poke("maxp", 4, glyphCount)
      .poke("hhea", 34, 1)
      .set("hmtx", metrics)
      .cmap([[3, 1, map]]);
  }

  /** Character maps by platform and encoding. */
  cmap(maps: readonly (readonly [platform: number, encoding: number, map: Uint8Array])[]): this {
    const header = [0, maps.length];
    let at = 4 + maps.length * 8;
    for (const [platform, encoding, map] of maps) {
      header.push(platform, encoding, at >>> 16, at & 0xffff);
      at += map.byteLength;
    }
    const table = new Uint8Array(at);
    table.set(words(...header));
    let end = header.length * 2;
    for (const [, , map] of maps) {
      table.set(map, end);
      end += map.byteLength;
    }
    return this.set("cmap", table);
  }

  /** Names: platform, encoding, language, number, bytes. */
  names(
    records: readonly (readonly [number, number, number, number, Uint8Array | string])[],
  ): this {
    const header = [0, records.length, 6 + records.length * 12];
    const bytes: number[] = [];
    for (const [platform, encoding, language, id, text] of records) {
      const value = typeof text === "string" ? utf16(text) : text;
      header.push(platform, encoding, language, id, value.byteLength, bytes.length);
      bytes.push(...value);
    }
    return this.set("name", Uint8Array.from([...words(...header), ...bytes]));
  }

  /** The file with correct checksums and each table at a multiple of 4. */
  build(): Uint8Array<ArrayBuffer> {
    const tables = [...this.tables];
    let at = HEADER_BYTES + tables.length * RECORD_BYTES;
    const places = tables.map(([, table]) => {
      const start = at;
      at += (table.byteLength + 3) & ~3;
      return start;
    });
    const font = new Uint8Array(at);
    const view = new DataView(font.buffer);
    view.setUint32(0, this.magic);
    view.setUint16(4, tables.length);
    tables.forEach(([tag, table], i) => {
      const start = places[i] ?? 0;
      font.set(table, start);
      font.set(new TextEncoder().encode(tag), HEADER_BYTES + i * RECORD_BYTES);
      view.setUint32(HEADER_BYTES + i * RECORD_BYTES + 8, start);
      view.setUint32(HEADER_BYTES + i * RECORD_BYTES + 12, table.byteLength);
    });
    return repairChecksums(font);
  }
}

/** Writes correct checksums into a font's directory, for tables inside the file. */
export function repairChecksums(font: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(font.buffer);
  for (let i = 0; i < view.getUint16(4); i++) {
    const record = HEADER_BYTES + i * RECORD_BYTES;
    if (record + RECORD_BYTES > font.byteLength) {
      break;
    }
    const start = view.getUint32(record + 8);
    const end = start + view.getUint32(record + 12);
    let sum = 0;
    for (let at = start; end <= font.byteLength && at < end; at++) {
      sum = (sum + ((font[at] ?? 0) << (24 - ((at - start) & 3) * 8))) | 0;
    }
    view.setUint32(record + 4, sum);
  }
  return font;
}

function utf16(text: string): Uint8Array {
  return words(...Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
}
