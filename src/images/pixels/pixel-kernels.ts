/** Functions of pixels.wasm (wasm/pixels). Pointers and sizes are in bytes unless said otherwise. */
interface PixelCalls {
  premultiplied(rgba: number, width: number, out: number): void;
  add_opaque(rgba: number, width: number, box: number, sums: number): void;
  add_clear(rgba: number, width: number, box: number, sums: number): void;
  take_means(
    sums: number,
    boxes: number,
    inside: number,
    scale: number,
    divisor: number,
    out: number,
  ): void;
  across(
    row: number,
    count: number,
    first: number,
    taps: number,
    weights: number,
    out: number,
  ): void;
  across_opaque(
    rgba: number,
    count: number,
    first: number,
    taps: number,
    weights: number,
    out: number,
  ): void;
  /** `stride` is a number of samples. */
  down(
    ring: number,
    rows: number,
    stride: number,
    start: number,
    taps: number,
    weights: number,
    width: number,
    isOpaque: number,
    out: number,
  ): void;
  premultiply(rgba: number, samples: number, pixels: number): void;
  lay(rgba: number, samples: number, pixels: number, opacity: number): void;
  unpremultiply(samples: number, rgba: number, pixels: number): void;
  filter(
    rgba: number,
    width: number,
    count: number,
    channels: number,
    lines: number,
    line: number,
    out: number,
  ): void;
  /** 1 if the filter is one of PNG's, else 0. */
  unfilter(filter: number, row: number, above: number, length: number, step: number): number;
  expand(row: number, width: number, rgba: number): void;
  by_grid(pixels: number, count: number, grid: number, points: number, channels: number): void;
  by_black(pixels: number, count: number, isInverted: number): void;
  adler32(bytes: number, length: number, before: number): number;
}

const PAGE_BYTES = 65_536;
/** The module's own part of the memory (wasm/pixels/build.sh). */
const RESERVED_BYTES = 1_024;
/** Kernels work on four pixels at once, of which up to three are behind the row, with at most 8 bytes each. */
const ROOM_BYTES = 32;

const VECTOR_BYTES = 16;

/** The places of named parts in the memory of an instance. */
export class PixelLayout<Name extends string> {
  /** Of the memory: whole pages. */
  readonly bytes: number;
  readonly #places = new Map<string, number>();

  /** `sizes` are the bytes of each part; behind each is room for what kernels touch. */
  constructor(sizes: Readonly<Record<Name, number>>) {
    let at = RESERVED_BYTES;
    for (const [name, bytes] of Object.entries<number>(sizes)) {
      this.#places.set(name, at);
      at += Math.ceil(bytes / VECTOR_BYTES) * VECTOR_BYTES + ROOM_BYTES;
    }
    this.bytes = Math.ceil(at / PAGE_BYTES) * PAGE_BYTES;
  }

  at(name: Name): number {
    return this.#places.get(name) as number;
  }
}

/** An instance of pixels.wasm with a memory of its own, which does not grow. It lives as long as the picture it serves. */
export class PixelKernels {
  readonly call: PixelCalls;
  readonly buffer: ArrayBuffer;

  /** `module` is pixels.wasm. */
  constructor(module: WebAssembly.Module, { bytes }: { readonly bytes: number }) {
    const pages = bytes / PAGE_BYTES;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    // The module has these functions (test/unit/images/pixels/pixels-module.test.ts).
    this.call = exports as unknown as PixelCalls;
    this.buffer = memory.buffer;
  }

  /** A part of the memory as bytes. */
  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, at, length);
  }
}
