import { ZIGZAG } from "../jpeg-tables.ts";
import {
  damagedJpeg,
  type JpegComponent,
  type JpegFrame,
  readJpegFrame,
  word,
} from "./jpeg-frame.ts";
import { EntropyReader, type HuffmanTable, readHuffmanTable } from "./entropy-reader.ts";

export interface ScanComponent {
  /** Index in the frame. */
  readonly index: number;
  readonly component: JpegComponent;
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
}

/** A scan with the tables that apply to it. */
export interface JpegScan {
  readonly components: readonly ScanComponent[];
  /** First and last coefficient, and the numbers of known and omitted bits (T.81 G.1.1.1). */
  readonly first: number;
  readonly last: number;
  readonly knownBits: number;
  readonly lowBits: number;
  /** Number of units between two restart markers, 0 without. */
  readonly restartInterval: number;
  readonly data: EntropyReader;
}

/** The color model of the samples. */
export type JpegColors = "gray" | "rgb" | "ycc";

const UNIT_BLOCKS_MAX = 10;

/**
 * Reads the segments of a JPEG, one scan after the other. `readJpegHeader` has checked them before.
 */
export class JpegReader {
  readonly #bytes: Uint8Array;
  readonly #dc: (HuffmanTable | undefined)[] = [];
  readonly #ac: (HuffmanTable | undefined)[] = [];
  readonly #tables: (Int32Array | undefined)[] = [];
  /** By component, with the values at the beginning of its first scan. */
  readonly #quanta: (Int32Array | undefined)[] = [];
  #frame: JpegFrame | undefined;
  #restartInterval = 0;
  #hasJfif = false;
  #adobeTransform: number | undefined;
  #scan: JpegScan | undefined;
  #at = 2;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get frame(): JpegFrame {
    if (this.#frame === undefined) {
      throw damagedJpeg("a scan comes before its frame");
    }
    return this.#frame;
  }

  /** As in libjpeg: by JFIF, Adobe's segment, and the ids of the components. */
  get colors(): JpegColors {
    const ids = this.frame.components.map(({ id }) => id);
    if (ids.length === 1) {
      return "gray";
    }
    if (this.#hasJfif) {
      return "ycc";
    }
    if (this.#adobeTransform !== undefined) {
      return this.#adobeTransform === 0 ? "rgb" : "ycc";
    }
    return String.fromCharCode(...ids) === "RGB" ? "rgb" : "ycc";
  }

  /** Quantization steps of a component, by row. */
  quantaOf(index: number): Int32Array {
    const quanta = this.#quanta[index];
    if (quanta === undefined) {
      throw damagedJpeg("a color is missing");
    }
    return quanta;
  }

  /** The next scan, undefined after the last one. The rest of the previous scan is skipped. */
  nextScan(): JpegScan | undefined {
    const bytes = this.#bytes;
    this.#at = this.#scan?.data.end ?? this.#at;
    for (;;) {
      const mark = bytes.indexOf(0xff, this.#at);
      const marker = bytes[mark + 1];
      if (mark === -1 || marker === undefined || marker === 0xd9) {
        return undefined;
      }
      this.#at = mark + 1;
      if (marker === 0 || marker === 0xff || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) {
        continue;
      }
      const length = word(bytes, mark + 2);
      const body = bytes.subarray(mark + 4, mark + 2 + length);
      this.#at = mark + 2 + length;
      if (marker === 0xda) {
        this.#scan = this.#readScan(body);
        return this.#scan;
      }
      this.#readSegment(marker, body);
    }
  }

  #readSegment(marker: number, body: Uint8Array): void {
    const starts = (text: string) => Array.from(text).every((c, i) => body[i] === c.charCodeAt(0));
    if (marker === 0xc4) {
      this.#readHuffmanTables(body);
    } else if (marker >= 0xc0 && marker <= 0xc2) {
      this.#frame = readJpegFrame(marker, body);
    } else if (marker === 0xdb) {
      this.#readQuanta(body);
    } else if (marker === 0xdd) {
      this.#restartInterval = word(body, 0);
    } else if (marker === 0xe0 && body.length >= 14 && starts("JFIF\0")) {
      this.#hasJfif = true;
    } else if (marker === 0xee && body.length >= 12 && starts("Adobe")) {
      this.#adobeTransform = body[11] ?? 0;
    }
  }

  #readHuffmanTables(body: Uint8Array): void {
    for (let at = 0; at < body.length;) {
      const id = body[at] ?? 0;
      const isDc = id < 16;
      if ((id & 15) > 3 || id > 31) {
        throw damagedJpeg("a Huffman table has an invalid number");
      }
      const { table, end } = readHuffmanTable(body, at + 1, isDc);
      (isDc ? this.#dc : this.#ac)[id & 15] = table;
      at = end;
    }
  }

  #readQuanta(body: Uint8Array): void {
    for (let at = 0; at < body.length;) {
      const id = body[at++] ?? 0;
      const bytes = id >> 4 === 0 ? 1 : 2;
      if (id > 31 || (id & 15) > 3 || at + 64 * bytes > body.length) {
        throw damagedJpeg("a quantization table is incomplete");
      }
      const table = new Int32Array(64);
      for (const place of ZIGZAG) {
        table[place] = bytes === 1 ? (body[at] ?? 0) : word(body, at);
        at += bytes;
      }
      this.#tables[id & 15] = table;
    }
  }

  #readScan(body: Uint8Array): JpegScan {
    const { components } = this.frame;
    const count = body[0] ?? 0;
    const chosen = Array.from({ length: count }, (_, i): ScanComponent => {
      const id = body[1 + i * 2];
      const tables = body[2 + i * 2] ?? 0;
      const index = components.findIndex((component) => component.id === id);
      const component = components[index];
      if (component === undefined) {
        throw damagedJpeg("a scan refers to a missing color");
      }
      this.#quanta[index] ??= this.#tables[component.quantaId];
      this.quantaOf(index);
      return { index, component, dc: this.#dc[tables >> 4], ac: this.#ac[tables & 15] };
    });
    const blocks = chosen.reduce((sum, { component: { h, v } }) => sum + h * v, 0);
    if (
      count < 1 ||
      new Set(chosen.map(({ index }) => index)).size < count ||
      (count > 1 && blocks > UNIT_BLOCKS_MAX)
    ) {
      throw damagedJpeg("a scan has too many colors");
    }
    const { first, last, knownBits, lowBits } = this.#readBand(body, count);
    return {
      components: chosen,
      first,
      last,
      knownBits,
      lowBits,
      restartInterval: this.#restartInterval,
      data: new EntropyReader(this.#bytes, this.#at),
    };
  }
  /** The coefficients in a scan, and their bits: all, unless it is progressive. */
  #readBand(body: Uint8Array, count: number) {
    if (!this.frame.isProgressive) {
      return { first: 0, last: 63, knownBits: 0, lowBits: 0 };
    }
    const at = 1 + count * 2;
    const [first = 0, last = 0, bits = 0] = body.subarray(at, at + 3);
    const knownBits = bits >> 4;
    const lowBits = bits & 15;
    const isRange = first === 0 ? last === 0 : last >= first && last <= 63 && count === 1;
    if (!isRange || lowBits > 13 || (knownBits !== 0 && knownBits !== lowBits + 1)) {
      throw damagedJpeg("a scan refers to invalid coefficients");
    }
    return { first, last, knownBits, lowBits };
  }
}
