import { ZIGZAG } from "../jpeg-tables.ts";
import { damagedJpeg, type JpegFrame } from "./jpeg-frame.ts";
import type { EntropyReader, HuffmanTable } from "./entropy-reader.ts";
import type { JpegScan, ScanComponent } from "./jpeg-reader.ts";

/** Coefficients of one row of units, by component, 64 for each block in row order. */
export type UnitRow = readonly Int16Array[];

const ORDER = Uint8Array.from(ZIGZAG);

/** Decodes a scan's blocks in order. Throws NodeError `IMAGE_UNREADABLE` if they are damaged. */
export class ScanDecoder {
  readonly #frame: JpegFrame;
  readonly #scan: JpegScan;
  readonly #data: EntropyReader;
  readonly #decodeBlock: (part: ScanComponent, out: Int16Array, at: number, order: number) => void;
  /** By component of the scan: the DC coefficient of the previous block. */
  readonly #previous: Int32Array;
  /** Number of following blocks without coefficients in this scan. */
  #emptyBlocks = 0;
  #untilRestart: number;
  #restarts = 0;

  constructor(frame: JpegFrame, scan: JpegScan) {
    this.#frame = frame;
    this.#scan = scan;
    this.#data = scan.data;
    this.#previous = new Int32Array(scan.components.length);
    this.#untilRestart = scan.restartInterval;
    this.#decodeBlock = this.#decoder();
  }

  /** Decodes the scan's part of one row of units; `row` from 0 in order. */
  decodeRow(row: number, out: UnitRow): void {
    const { components } = this.#scan;
    const [only] = components;
    if (components.length === 1 && only !== undefined) {
      this.#decodeOwnRows(row, out, only);
    } else {
      this.#decodeUnits(out);
    }
    this.#data.check();
  }

  /**
   * In a scan of one color, the unit is a block, and blocks beyond that color's edges are missing.
   */
  #decodeOwnRows(row: number, out: UnitRow, part: ScanComponent): void {
    const { v, width, height, blocksWide } = part.component;
    const columns = Math.ceil(width / 8);
    const rows = Math.min(v, Math.ceil(height / 8) - row * v);
    const coefficients = out[part.index] as Int16Array;
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        this.#beginUnit();
        this.#decodeBlock(part, coefficients, (y * blocksWide + x) * 64, 0);
      }
    }
  }

  #decodeUnits(out: UnitRow): void {
    const { components } = this.#scan;
    for (let unit = 0; unit < this.#frame.unitsWide; unit++) {
      this.#beginUnit();
      for (let order = 0; order < components.length; order++) {
        const part = components[order] as ScanComponent;
        const { h, v, blocksWide } = part.component;
        const coefficients = out[part.index] as Int16Array;
        for (let y = 0; y < v; y++) {
          for (let x = 0; x < h; x++) {
            const at = (y * blocksWide + unit * h + x) * 64;
            this.#decodeBlock(part, coefficients, at, order);
          }
        }
      }
    }
  }

  #beginUnit(): void {
    if (this.#scan.restartInterval === 0) {
      return;
    }
    if (this.#untilRestart === 0) {
      this.#data.restart(this.#restarts++ & 7);
      this.#previous.fill(0);
      this.#emptyBlocks = 0;
      this.#untilRestart = this.#scan.restartInterval;
    }
    this.#untilRestart--;
  }

  #decoder() {
    const { first, knownBits } = this.#scan;
    if (!this.#frame.isProgressive) {
      return this.#sequential.bind(this);
    }
    if (first === 0) {
      return knownBits === 0 ? this.#firstDc.bind(this) : this.#refineDc.bind(this);
    }
    return knownBits === 0 ? this.#firstAc.bind(this) : this.#refineAc.bind(this);
  }

  #nextDc(part: ScanComponent, order: number): number {
    const size = this.#data.symbol(need(part.dc));
    const value = (this.#previous[order] as number) + (size === 0 ? 0 : this.#data.value(size));
    this.#previous[order] = value;
    return value;
  }

  #sequential(part: ScanComponent, out: Int16Array, at: number, order: number): void {
    const data = this.#data;
    out[at] = this.#nextDc(part, order);
    const ac = need(part.ac);
    for (let k = 1; k < 64; k++) {
      const symbol = data.symbol(ac);
      const size = symbol & 15;
      if (size === 0) {
        if (symbol !== 0xf0) {
          return;
        }
        k += 15;
        continue;
      }
      k += symbol >> 4;
      const value = data.value(size);
      if (k > 63) {
        throw tooMany();
      }
      out[at + (ORDER[k] as number)] = value;
    }
  }

  #firstDc(part: ScanComponent, out: Int16Array, at: number, order: number): void {
    out[at] = this.#nextDc(part, order) << this.#scan.lowBits;
  }

  #refineDc(_part: ScanComponent, out: Int16Array, at: number): void {
    if (this.#data.bits(1) === 1) {
      out[at] = (out[at] as number) | (1 << this.#scan.lowBits);
    }
  }

  #firstAc({ ac }: ScanComponent, out: Int16Array, at: number): void {
    if (this.#emptyBlocks > 0) {
      this.#emptyBlocks--;
      return;
    }
    const { first, last, lowBits } = this.#scan;
    const table = need(ac);
    for (let k = first; k <= last; k++) {
      const symbol = this.#data.symbol(table);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (size === 0) {
        if (run < 15) {
          this.#emptyBlocks = this.#runOfBlocks(run) - 1;
          return;
        }
        k += 15;
        continue;
      }
      k += run;
      const value = this.#data.value(size);
      if (k > last) {
        throw tooMany();
      }
      out[at + (ORDER[k] as number)] = value << lowBits;
    }
  }

  #runOfBlocks(run: number): number {
    return (1 << run) + (run === 0 ? 0 : this.#data.bits(run));
  }

  #refineAc({ ac }: ScanComponent, out: Int16Array, at: number): void {
    const { first, last, lowBits } = this.#scan;
    let k = first;
    if (this.#emptyBlocks === 0) {
      const table = need(ac);
      for (; k <= last; k++) {
        const symbol = this.#data.symbol(table);
        const run = symbol >> 4;
        if ((symbol & 15) === 0 && run < 15) {
          this.#emptyBlocks = this.#runOfBlocks(run);
          break;
        }
        const isNew = (symbol & 15) !== 0;
        const value = isNew ? (this.#data.bits(1) === 1 ? 1 << lowBits : -1 << lowBits) : 0;
        k = this.#refineUpTo(out, at, k, run);
        if (isNew) {
          if (k > last) {
            throw tooMany();
          }
          out[at + (ORDER[k] as number)] = value;
        }
      }
    }
    if (this.#emptyBlocks > 0) {
      this.#refineUpTo(out, at, k, 64);
      this.#emptyBlocks--;
    }
  }

  /**
   * Adds one more bit to each known coefficient, up to the zero after `zeros` others; returns its
   * index.
   */
  #refineUpTo(out: Int16Array, at: number, from: number, zeros: number): number {
    const { last, lowBits } = this.#scan;
    const bit = 1 << lowBits;
    let k = from;
    for (; k <= last; k++) {
      const place = at + (ORDER[k] as number);
      const known = out[place] as number;
      if (known === 0) {
        if (--zeros < 0) {
          break;
        }
      } else if (this.#data.bits(1) === 1 && (known & bit) === 0) {
        out[place] = known + (known > 0 ? bit : -bit);
      }
    }
    return k;
  }
}

function need(table: HuffmanTable | undefined): HuffmanTable {
  if (table === undefined) {
    throw damagedJpeg("a Huffman table is missing");
  }
  return table;
}

function tooMany(): Error {
  return damagedJpeg("a block has too many coefficients");
}
