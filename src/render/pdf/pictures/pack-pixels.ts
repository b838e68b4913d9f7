import { joinPieces } from "../../../images/byte-writer.ts";
import { MOST_MATCHES, PngEncoder, ZlibPieces } from "../../../images/png/png-encoder.ts";
import { readPngLayout } from "../../../images/png/read/png-layout.ts";
import type { PixelStream } from "./prepared-picture.ts";
import { rowsOf } from "./pass-png.ts";

/** The name of a chunk with rows: IDAT. */
const ROWS = [0x49, 0x44, 0x41, 0x54];

/** Compresses decoded pixels as they come: the colors as a PNG does it, the opacities as rows of gray. */
export class PixelPacker {
  readonly #width: number;
  readonly #height: number;
  readonly #colors: PngEncoder;
  /** The file's chunks before its rows, and one with rows. */
  readonly #head: Uint8Array[] = [];
  readonly #rows: Uint8Array[] = [];
  readonly #deflater = new ZlibPieces(() => MOST_MATCHES);
  readonly #alpha: Uint8Array[] = [];
  #isOpaque = true;
  /** Of everything that is compressed so far. */
  bytes = 0;

  /** `pixels` is pixels.wasm. */
  constructor(pixels: WebAssembly.Module, width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#colors = new PngEncoder(pixels, width, height, true);
  }

  /** The next complete rows; their opacities are overwritten. */
  add(rgba: Uint8ClampedArray): void {
    const alpha = new Uint8Array(rgba.length / 4);
    for (let i = 0; i < alpha.length; i++) {
      const value = rgba[i * 4 + 3] as number;
      alpha[i] = value;
      this.#isOpaque &&= value === 255;
      rgba[i * 4 + 3] = 255;
    }
    const packed = this.#deflater.add(alpha, false);
    this.#alpha.push(packed);
    this.bytes += packed.byteLength;
    this.#take(this.#colors.add(rgba));
  }

  end(): { readonly pixels: PixelStream; readonly alpha: PixelStream | null } {
    this.#take(this.#colors.end());
    this.#alpha.push(this.#deflater.add(new Uint8Array(0), true));
    // Its rows are never joined: they may be most of the memory that a render has.
    const pixels = rowsOf(readPngLayout(joinPieces(this.#head)), this.#rows);
    if (this.#isOpaque) {
      return { pixels, alpha: null };
    }
    const alpha: PixelStream = {
      width: this.#width,
      height: this.#height,
      color: { kind: "gray" },
      bits: 8,
      encoding: "flate",
      isInverted: false,
      clearColor: null,
      data: this.#alpha,
    };
    return { pixels, alpha };
  }

  #take(chunks: Iterable<Uint8Array>): void {
    for (const chunk of chunks) {
      this.bytes += chunk.byteLength;
      const isRows = ROWS.every((code, i) => chunk[4 + i] === code);
      if (isRows) {
        this.#rows.push(chunk.subarray(8, -4));
      }
      if (!isRows || this.#rows.length === 1) {
        this.#head.push(chunk);
      }
    }
  }
}
