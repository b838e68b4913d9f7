declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*?raw" {
  const text: string;
  export default text;
}
declare module "omggif" {
  export class GifReader {
    constructor(bytes: Uint8Array);
    readonly width: number;
    readonly height: number;
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8ClampedArray): void;
  }
  export class GifWriter {
    constructor(
      out: number[],
      width: number,
      height: number,
      options: { palette: readonly number[] },
    );
    addFrame(
      x: number,
      y: number,
      width: number,
      height: number,
      indexes: readonly number[],
      options: { transparent: number },
    ): void;
    end(): number;
  }
}
declare module "linebreak" {
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { readonly position: number; readonly required: boolean } | null;
  }
}

declare module "pngjs" {
  export const PNG: {
    readonly sync: {
      /** Throws for a damaged file, a wrong checksum among the faults. */
      read(bytes: Uint8Array): { data: Uint8Array; width: number; height: number };
    };
  };
}
