import { constants } from "node:zlib";
import { joinPieces } from "../../../images/byte-writer.ts";
import { PngEncoder, ZlibPieces } from "../../../images/png/png-encoder.ts";
import type { PixelStream } from "./prepared-picture.ts";
import { passPng } from "./pass-png.ts";

/** Compresses decoded pixels as they come: the colors as a PNG does it, the opacities as rows of gray. */
export class PixelPacker {
  readonly #width: number;
  readonly #height: number;
  readonly #colors: PngEncoder;
  readonly #png: Uint8Array[] = [];
  readonly #deflater = new ZlibPieces(6, constants.Z_DEFAULT_STRATEGY);
  readonly #alpha: Uint8Array[] = [];
  #isOpaque = true;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#colors = new PngEncoder(width, height, true);
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
    this.#alpha.push(this.#deflater.add(alpha, false));
    this.#png.push(...copies(this.#colors.add(rgba)));
  }

  async end(): Promise<{ readonly pixels: PixelStream; readonly alpha: PixelStream | null }> {
    this.#png.push(...copies(this.#colors.end()));
    this.#alpha.push(this.#deflater.add(new Uint8Array(0), true));
    const pixels = await passPng(joinPieces(this.#png));
    if (pixels === undefined) {
      throw new Error("The encoder wrote a PNG that cannot be passed on.");
    }
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
}

/** Pieces are valid until the next is asked for. */
function* copies(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const piece of pieces) {
    yield piece.slice();
  }
}
