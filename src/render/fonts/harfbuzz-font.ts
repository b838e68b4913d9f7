import type { HarfBuzzExports } from "./harfbuzz-exports.ts";
import { instantiateHarfBuzz } from "./instantiate-harfbuzz.ts";
import type { OutlineSink } from "./outline-sink.ts";

/** Compiled by the Worker at its start: harfbuzzjs's harfbuzz.wasm and our outline-callbacks.wasm. */
export interface HarfBuzzModules {
  readonly harfBuzz: WebAssembly.Module;
  readonly outlineCallbacks: WebAssembly.Module;
}

export interface ShapedGlyph {
  readonly glyph: number;
  /** Index of the glyph's code point. */
  readonly cluster: number;
  /** In font units, like the other lengths. */
  readonly advanceX: number;
  readonly advanceY: number;
  readonly offsetX: number;
  readonly offsetY: number;
}

/** HB_MEMORY_MODE_WRITABLE: the bytes belong to this instance, so that HarfBuzz can repair tables without a copy. */
const WRITABLE = 2;
/** hb_glyph_info_t and hb_glyph_position_t have five words each. */
const RECORD_WORDS = 5;
const NO_CODEPOINT = 0xffff_ffff;

/**
 * One font in its own instance of HarfBuzz: damage that a font does to the instance's memory never reaches another
 * font. Drop the object to free it. After a call has thrown, the instance is in an unknown state and must not be used
 * again.
 */
export class HarfBuzzFont {
  readonly unitsPerEm: number;
  readonly #hb: HarfBuzzExports;
  readonly #face: number;
  readonly #font: number;
  readonly #drawFunctions: number;
  #sink: OutlineSink | undefined;

  /**
   * Copies the bytes. `memoryMaxBytes` limits the instance's whole memory. Throws RangeError if the bytes do not fit,
   * WebAssembly.RuntimeError if HarfBuzz stops.
   */
  constructor(modules: HarfBuzzModules, bytes: Uint8Array, memoryMaxBytes: number) {
    this.#hb = instantiateHarfBuzz(modules.harfBuzz, memoryMaxBytes);
    const hb = this.#hb;
    const at = hb.malloc(Math.max(bytes.byteLength, 1)) >>> 0;
    if (at === 0) {
      throw new RangeError(
        `A font of ${bytes.byteLength} bytes does not fit into HarfBuzz's memory.`,
      );
    }
    new Uint8Array(hb.memory.buffer).set(bytes, at);
    const blob = hb.hb_blob_create(at, bytes.byteLength, WRITABLE, 0, 0);
    this.#face = hb.hb_face_create(blob, 0);
    hb.hb_blob_destroy(blob);
    this.#font = hb.hb_font_create(this.#face);
    this.unitsPerEm = hb.hb_face_get_upem(this.#face);
    this.#drawFunctions = this.#makeDrawFunctions(modules.outlineCallbacks);
  }

  /** Code points that the font maps, in ascending order and at most `max` of them, and their total number. */
  characters(max: number): { readonly count: number; readonly first: Uint32Array } {
    const hb = this.#hb;
    const set = hb.hb_set_create();
    hb.hb_face_collect_unicodes(this.#face, set);
    const out = hb.malloc(max * 4) >>> 0;
    const found = hb.hb_set_next_many(set, NO_CODEPOINT, out, max);
    const first = new Uint32Array(hb.memory.buffer, out, found).slice();
    hb.free(out);
    return { count: hb.hb_set_get_population(set), first };
  }

  /** Horizontal advance in font units. */
  advance(glyph: number): number {
    return this.#hb.hb_font_get_glyph_h_advance(this.#font, glyph);
  }

  /** Sends a glyph's outline to the sink. Returns false if HarfBuzz finds no outline that it can draw. */
  draw(glyph: number, sink: OutlineSink): boolean {
    this.#sink = sink;
    const drawn = this.#hb.hb_font_draw_glyph_or_fail(this.#font, glyph, this.#drawFunctions, 0);
    this.#sink = undefined;
    return drawn !== 0;
  }

  /** Shapes a line of one script and direction, which HarfBuzz guesses from its characters. */
  shape(codePoints: Uint32Array): ShapedGlyph[] {
    const hb = this.#hb;
    const buffer = hb.hb_buffer_create();
    const text = hb.malloc(Math.max(codePoints.byteLength, 4)) >>> 0;
    new Uint32Array(hb.memory.buffer, text, codePoints.length).set(codePoints);
    hb.hb_buffer_add_codepoints(buffer, text, codePoints.length, 0, codePoints.length);
    hb.free(text);
    hb.hb_buffer_guess_segment_properties(buffer);
    hb.hb_shape(this.#font, buffer, 0, 0);
    const length = hb.hb_buffer_get_length(buffer);
    const words = new Int32Array(hb.memory.buffer);
    const infos = hb.hb_buffer_get_glyph_infos(buffer, 0) >>> 2;
    const positions = hb.hb_buffer_get_glyph_positions(buffer, 0) >>> 2;
    const word = (at: number): number => words[at] ?? 0;
    const glyphs = Array.from({ length }, (_, i): ShapedGlyph => {
      const [info, position] = [infos + i * RECORD_WORDS, positions + i * RECORD_WORDS];
      return {
        glyph: word(info) >>> 0,
        cluster: word(info + 2) >>> 0,
        advanceX: word(position),
        advanceY: word(position + 1),
        offsetX: word(position + 2),
        offsetY: word(position + 3),
      };
    });
    hb.hb_buffer_destroy(buffer);
    return glyphs;
  }

  #makeDrawFunctions(callbacks: WebAssembly.Module): number {
    const hb = this.#hb;
    type Numbers = readonly number[];
    const { exports } = new WebAssembly.Instance(callbacks, {
      js: {
        moveTo: (...[, , , x, y]: [number, number, number, number, number]) =>
          this.#sink?.moveTo(x, y),
        lineTo: (...[, , , x, y]: [number, number, number, number, number]) =>
          this.#sink?.lineTo(x, y),
        quadraticTo: (...[, , , cx = 0, cy = 0, x = 0, y = 0]: Numbers) =>
          this.#sink?.quadraticTo(cx, cy, x, y),
        cubicTo: (...[, , , ax = 0, ay = 0, bx = 0, by = 0, x = 0, y = 0]: Numbers) =>
          this.#sink?.cubicTo(ax, ay, bx, by, x, y),
        closePath: () => this.#sink?.closePath(),
      },
    });
    const functions = hb.hb_draw_funcs_create();
    const table = hb.__indirect_function_table;
    const pointer = (name: string): number => {
      const index = table.grow(1);
      table.set(index, exports[name]);
      return index;
    };
    hb.hb_draw_funcs_set_move_to_func(functions, pointer("moveTo"), 0, 0);
    hb.hb_draw_funcs_set_line_to_func(functions, pointer("lineTo"), 0, 0);
    hb.hb_draw_funcs_set_quadratic_to_func(functions, pointer("quadraticTo"), 0, 0);
    hb.hb_draw_funcs_set_cubic_to_func(functions, pointer("cubicTo"), 0, 0);
    hb.hb_draw_funcs_set_close_path_func(functions, pointer("closePath"), 0, 0);
    return functions;
  }
}
