import type { RunningCodec } from "../codec/wasm-codec.ts";
import type { Raster } from "../raster/raster.ts";

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface SvgRenderer {
  /**
   * Throws an Error with the reason if the text is not a valid SVG. `fit` scales it by one side, in
   * px.
   */
  open(svg: string, fit?: { readonly side: "width" | "height"; readonly px: number }): SvgDrawing;
}

/** A drawing in the renderer's memory, until `free`. */
export interface SvgDrawing {
  readonly width: number;
  readonly height: number;
  /** The drawing as plain paths. */
  resolved(): string;
  /**
   * Bounds of everything drawn, in units of the drawing, including parts outside of its own edges.
   * Undefined if nothing is drawn.
   */
  bounds(): Bounds | undefined;
  /** Premultiplied, in the renderer's own memory, until `free`. */
  pixels(): Raster;
  /** Releases the drawing and its pixels. */
  free(): void;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __wbindgen_add_to_stack_pointer: (bytes: number) => number;
  readonly __wbindgen_malloc: (bytes: number, align: number) => number;
  readonly __wbindgen_free: (at: number, bytes: number, align: number) => void;
  readonly resvg_new: (
    result: number,
    svg: number,
    options: number,
    length: number,
    fonts: number,
  ) => void;
  readonly resvg_width: (drawing: number) => number;
  readonly resvg_height: (drawing: number) => number;
  readonly resvg_toString: (result: number, drawing: number) => void;
  readonly resvg_getBBox: (drawing: number) => number;
  readonly __wbg_get_bbox_x: (bounds: number) => number;
  readonly __wbg_get_bbox_y: (bounds: number) => number;
  readonly __wbg_get_bbox_width: (bounds: number) => number;
  readonly __wbg_get_bbox_height: (bounds: number) => number;
  readonly __wbg_bbox_free: (bounds: number) => void;
  readonly resvg_render: (result: number, drawing: number) => void;
  readonly renderedimage_width: (image: number) => number;
  readonly renderedimage_height: (image: number) => number;
  readonly renderedimage_pixels: (image: number) => number;
  readonly __wbg_renderedimage_free: (image: number) => void;
  readonly __wbg_resvg_free: (drawing: number) => void;
}

/** undefined, null, true and false have fixed indices in the glue of wasm-bindgen. */
const FIRST_OBJECT = 132;
const RESPONSE_BYTES = 16;

/**
 * Starts resvg with custom glue: the package's glue can be started only once in an isolate, so the
 * memory of a drawing's layers, 80 MiB and more, would never be released.
 */
export async function startSvgRenderer(
  module: WebAssembly.Module,
): Promise<RunningCodec<SvgRenderer>> {
  const objects = new Map<number, unknown>();
  let last = FIRST_OBJECT;
  const hold = (object: unknown): number => {
    last += 1;
    objects.set(last, object);
    return last;
  };
  const take = (at: number): unknown => {
    const object = objects.get(at);
    objects.delete(at);
    return object;
  };
  const bytes = () => new Uint8Array(exports.memory.buffer);
  const words = () => new Int32Array(exports.memory.buffer);
  const text = (at: number, length: number): string =>
    new TextDecoder().decode(bytes().subarray(at >>> 0, (at >>> 0) + length));
  const put = (given: string): { at: number; length: number } => {
    const encoded = new TextEncoder().encode(given);
    const at = exports.__wbindgen_malloc(encoded.length, 1) >>> 0;
    bytes().set(encoded, at);
    return { at, length: encoded.length };
  };
  const known: Readonly<Record<string, (...given: number[]) => unknown>> = {
    __wbg_new_28c511d9baebfa89: (at = 0, length = 0) => hold(new Error(text(at, length))),
    // The renderer would copy its bytes; all calls on it end before the bytes do.
    __wbg_new_63b92bc8671ed464: (of = 0) => hold(objects.get(of)),
    __wbg_buffer_12d079cc21e14bdb: (of = 0) => hold((objects.get(of) as WebAssembly.Memory).buffer),
    __wbg_newwithbyteoffsetandlength_aa4a17c33a06e5cb: (of = 0, at = 0, length = 0) =>
      hold(new Uint8Array(objects.get(of) as ArrayBuffer, at >>> 0, length >>> 0)),
    __wbg_length_c20a40f15020d68a: (of = 0) => (objects.get(of) as Uint8Array).length,
    __wbg_set_a47bac70306a19a7: (to = 0, from = 0, at = 0) => {
      (objects.get(to) as Uint8Array).set(objects.get(from) as Uint8Array, at >>> 0);
    },
    // SVGs are passed as text.
    __wbg_instanceof_Uint8Array_2b3bbecd033d19f6: () => 0,
    __wbindgen_memory: () => hold(exports.memory),
    __wbindgen_object_drop_ref: (at = 0) => void objects.delete(at),
    __wbindgen_string_new: (at = 0, length = 0) => hold(text(at, length)),
    __wbindgen_string_get(result = 0, of = 0) {
      const { at, length } = put(objects.get(of) as string);
      words().set([at, length], result >> 2);
    },
    __wbindgen_throw: (at = 0, length = 0) => {
      throw new Error(text(at, length));
    },
  };
  const unused = (name: string) => () => {
    throw new Error(`The SVG renderer requested ${name}, which drawing must not need.`);
  };
  const imports = WebAssembly.Module.imports(module).map(
    ({ name }) => [name, known[name] ?? unused(name)] as const,
  );
  if (!Object.keys(known).every((name) => imports.some(([given]) => given === name))) {
    throw new Error("The SVG renderer's module does not match this glue.");
  }
  const instance = await WebAssembly.instantiate(module, { wbg: Object.fromEntries(imports) });
  // The exports of a wasm module are untyped; the module is a pinned file.
  const exports = instance.exports as unknown as Exports;

  /**
   * Calls functions that return their results in memory: a number and an error, or an address and a
   * length.
   */
  const answered = (call: (result: number) => void): [number, number, number] => {
    const at = exports.__wbindgen_add_to_stack_pointer(-RESPONSE_BYTES);
    try {
      call(at);
      const [first = 0, second = 0, third = 0] = words().subarray(at >> 2, (at >> 2) + 3);
      return [first, second, third];
    } finally {
      exports.__wbindgen_add_to_stack_pointer(RESPONSE_BYTES);
    }
  };
  const pointer = (call: (result: number) => void): number => {
    const [at, thrown, hasThrown] = answered(call);
    if (hasThrown !== 0) {
      throw take(thrown);
    }
    return at >>> 0;
  };
  const renderer: SvgRenderer = {
    open(svg, fit) {
      const fitTo = fit === undefined ? { mode: "original" } : { mode: fit.side, value: fit.px };
      const drawing = pointer((result) => {
        const options = put(JSON.stringify({ fitTo, font: { loadSystemFonts: false } }));
        exports.resvg_new(result, hold(svg), options.at, options.length, 0);
      });
      let image: number | undefined;
      return {
        width: exports.resvg_width(drawing),
        height: exports.resvg_height(drawing),
        resolved() {
          const [at, length] = answered((result) => exports.resvg_toString(result, drawing));
          const resolved = text(at, length);
          exports.__wbindgen_free(at, length, 1);
          return resolved;
        },
        bounds() {
          const at = exports.resvg_getBBox(drawing) >>> 0;
          if (at === 0) {
            return undefined;
          }
          const bounds = {
            x: exports.__wbg_get_bbox_x(at),
            y: exports.__wbg_get_bbox_y(at),
            width: exports.__wbg_get_bbox_width(at),
            height: exports.__wbg_get_bbox_height(at),
          };
          exports.__wbg_bbox_free(at);
          return bounds;
        },
        pixels() {
          image = pointer((result) => exports.resvg_render(result, drawing));
          const drawn = take(exports.renderedimage_pixels(image)) as Uint8Array<ArrayBuffer>;
          return {
            rgba: new Uint8ClampedArray(drawn.buffer, drawn.byteOffset, drawn.length),
            width: exports.renderedimage_width(image) >>> 0,
            height: exports.renderedimage_height(image) >>> 0,
          };
        },
        free() {
          if (image !== undefined) {
            exports.__wbg_renderedimage_free(image);
          }
          exports.__wbg_resvg_free(drawing);
        },
      };
    },
  };
  return { exports: renderer, memory: exports.memory };
}
