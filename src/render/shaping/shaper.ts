import { GLYPH_WORDS, type ShapedRun, type ShapeOptions } from "../../templates/text/font-face.ts";
import type { HarfBuzzExports } from "../fonts/harfbuzz-exports.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { instantiateHarfBuzz } from "../fonts/instantiate-harfbuzz.ts";
import { KeptRuns } from "./kept-runs.ts";
import { ShapedFace } from "./shaped-face.ts";
import { Subsetter } from "./subsetter.ts";

/** Compiled by the Worker at its start: harfbuzzjs's harfbuzz.wasm, and our harfbuzz-subset.wasm. */
export interface ShapingModules {
  readonly harfBuzz: WebAssembly.Module;
  readonly subsetter: WebAssembly.Module;
}

interface OpenFace {
  readonly shown: ShapedFace;
  readonly face: number;
  readonly font: number;
  readonly file: number;
  readonly bytes: number;
}

interface MemoryViews {
  readonly words: Int32Array;
  readonly units: Uint16Array;
}

const NO_VIEWS: MemoryViews = { words: new Int32Array(0), units: new Uint16Array(0) };

const MB = 1024 * 1024;
/** Of the one instance. A file that does not fit is refused. */
const MEMORY_MAX_BYTES = LIMITS.render_fonts.value;
/** An instance that has grown larger is dropped between two renders. */
const KEPT_MEMORY_BYTES = 20 * MB;
/** Glyphs of shaped runs that are kept. */
const KEPT_GLYPHS = 100_000;
const BYTES_OF_GLYPH = 24;
/** Of shaped runs that are kept. */
export const KEPT_RUN_BYTES = KEPT_GLYPHS * BYTES_OF_GLYPH;

/** HB_MEMORY_MODE_WRITABLE: the bytes belong to the instance. */
const WRITABLE = 2;
const HB_DIRECTION_LTR = 4;
const HB_DIRECTION_RTL = 5;
/** HB_BUFFER_FLAG_REMOVE_DEFAULT_IGNORABLES: joiners and bidi controls leave no glyph. */
const REMOVE_IGNORABLES = 8;
/** HB_GLYPH_FLAG_UNSAFE_TO_BREAK. */
const UNSAFE = 1;
/** hb_glyph_info_t and hb_glyph_position_t have five words each, hb_feature_t four. */
const RECORD_WORDS = 5;
const FEATURE_WORDS = 4;

/**
 * Font files, parsed and shaped with by one instance of HarfBuzz, and cut for embedding by one of its subsetter. Faces
 * are kept between renders and are valid until the next `endRender`. One render at a time.
 */
export class Shaper {
  readonly #modules: ShapingModules;
  readonly #subsetter: Subsetter;
  readonly #faces = new Map<string, OpenFace>();
  /** They hold nothing of the instance, and outlive it. */
  readonly #runs = new KeptRuns(KEPT_GLYPHS);
  readonly #languages = new Map<string, number>();
  #hb: HarfBuzzExports | undefined;
  #views = NO_VIEWS;
  #buffer = 0;
  /** Room for a text or for features, in the instance. */
  #scratch = 0;
  #scratchBytes = 0;
  #isBroken = false;
  /** Faces of files that are closed for a while. */
  readonly #closed = new Map<string, ShapedFace>();
  #hasRoom: (bytes: number) => boolean = () => true;

  constructor(modules: ShapingModules) {
    this.#modules = modules;
    this.#subsetter = new Subsetter(modules.subsetter, (bytes) => this.#hasRoom(bytes));
  }

  /** Of both instances' memories. */
  get memoryBytes(): number {
    return (this.#hb?.memory.buffer.byteLength ?? 0) + this.#subsetter.memoryBytes;
  }

  /** Of shaped runs and cut files, which outlive the instances. */
  get keptBytes(): number {
    return this.#subsetter.keptBytes + this.#runs.weight * BYTES_OF_GLYPH;
  }

  /** `hasRoom` is asked before the memory of an instance grows by so many bytes. */
  limitBy(hasRoom: (bytes: number) => boolean): void {
    this.#hasRoom = hasRoom;
  }

  find(key: string): ShapedFace | undefined {
    return this.#faces.get(key)?.shown;
  }

  /** The face of a file, whose SHA-256 is `key`; the bytes are copied. Throws RangeError if they do not fit. */
  open(key: string, file: Uint8Array): ShapedFace {
    const known = this.#faces.get(key);
    if (known !== undefined) {
      return known.shown;
    }
    return this.#guarded((hb) => {
      const at = this.#allocate(hb, file.byteLength);
      new Uint8Array(hb.memory.buffer).set(file, at);
      const blob = hb.hb_blob_create(at, file.byteLength, WRITABLE, 0, 0);
      const face = hb.hb_face_create(blob, 0);
      hb.hb_blob_destroy(blob);
      const font = hb.hb_font_create(face);
      const shown = this.#closed.get(key) ?? new ShapedFace(key, file, this);
      this.#closed.delete(key);
      this.#faces.set(key, { shown, face, font, file: at, bytes: file.byteLength });
      return shown;
    });
  }

  /** Drops what a render left beyond the bounds. Faces that were opened before must not be used after it. */
  endRender(): void {
    if (this.#isBroken || (this.#hb?.memory.buffer.byteLength ?? 0) > KEPT_MEMORY_BYTES) {
      this.#dropInstances();
    }
  }

  /** Frees the subsetter's instance; the next cut makes another. */
  dropSubsetter(): void {
    this.#subsetter.drop();
  }

  /**
   * Frees both instances in the middle of a render, and returns the faces that were open: they can be used again once their
   * files are opened again.
   */
  close(): ShapedFace[] {
    const faces = Array.from(this.#faces.values(), ({ shown }) => shown);
    this.#dropInstances();
    for (const face of faces) {
      this.#closed.set(face.key, face);
    }
    return faces;
  }

  /** Frees both instances, all faces, and what is kept of earlier renders. */
  drop(): void {
    this.#dropInstances();
    this.#runs.clear();
    this.#subsetter.forget();
  }

  #dropInstances(): void {
    this.#hb = undefined;
    this.#views = NO_VIEWS;
    this.#isBroken = false;
    this.#faces.clear();
    this.#closed.clear();
    this.#languages.clear();
    this.#subsetter.drop();
  }

  /** For `ShapedFace`. */
  shape(
    key: string,
    text: string,
    options: ShapeOptions,
    before: string,
    after: string,
  ): ShapedRun {
    const name =
      before === "" && after === ""
        ? options.key
        : `${options.key} ${before.length} ${before}${after}`;
    const known = this.#runs.find(key, name, text);
    if (known !== undefined) {
      return known;
    }
    const run = this.#guarded((hb) =>
      this.#shape(hb, this.#faceOf(key), text, options, before, after),
    );
    this.#runs.keep(key, name, text, run);
    return run;
  }

  /** For `ShapedFace`: 0 if the font has no glyph. */
  glyphOf(key: string, codePoint: number): number {
    return this.#guarded((hb) => {
      const at = this.#room(hb, 4);
      const { font } = this.#faceOf(key);
      const isFound = hb.hb_font_get_nominal_glyph(font, codePoint, at) !== 0;
      return isFound ? (new Uint32Array(hb.memory.buffer)[at >>> 2] ?? 0) : 0;
    });
  }

  /** For `ShapedFace`. */
  advance(key: string, glyph: number): number {
    return this.#guarded((hb) => hb.hb_font_get_glyph_h_advance(this.#faceOf(key).font, glyph));
  }

  /** For `ShapedFace`. */
  subset(key: string, glyphs: readonly number[]): Uint8Array {
    return this.#guarded((hb) => {
      const { file, bytes } = this.#faceOf(key);
      return this.#subsetter.subset(key, new Uint8Array(hb.memory.buffer, file, bytes), glyphs);
    });
  }

  #shape(
    hb: HarfBuzzExports,
    { font }: OpenFace,
    text: string,
    options: ShapeOptions,
    before: string,
    after: string,
  ): ShapedRun {
    const whole = before + text + after;
    const featureBytes = options.features.length * FEATURE_WORDS * 4;
    const at = this.#room(hb, featureBytes + whole.length * 2);
    const { words, units } = this.#viewsOf(hb);
    options.features.forEach(([tag, value], i) => {
      words.set([tagOf(tag), value, 0, -1], (at >>> 2) + i * FEATURE_WORDS);
    });
    const firstUnit = (at + featureBytes) >>> 1;
    for (let i = 0; i < whole.length; i++) {
      units[firstUnit + i] = whole.charCodeAt(i);
    }
    const buffer = this.#buffer;
    hb.hb_buffer_clear_contents(buffer);
    hb.hb_buffer_add_utf16(buffer, at + featureBytes, whole.length, before.length, text.length);
    hb.hb_buffer_set_direction(buffer, options.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb.hb_buffer_set_script(buffer, tagOf(options.script));
    hb.hb_buffer_set_language(buffer, this.#languageOf(hb, options.language));
    hb.hb_shape(font, buffer, at, options.features.length);
    const length = hb.hb_buffer_get_length(buffer);
    const { words: shaped } = this.#viewsOf(hb);
    const infos = hb.hb_buffer_get_glyph_infos(buffer, 0) >>> 2;
    const positions = hb.hb_buffer_get_glyph_positions(buffer, 0) >>> 2;
    const records = new Int32Array(length * GLYPH_WORDS);
    for (let i = 0; i < length; i++) {
      const [info, position] = [infos + i * RECORD_WORDS, positions + i * RECORD_WORDS];
      const to = i * GLYPH_WORDS;
      records[to] = shaped[info] ?? 0;
      records[to + 1] = (shaped[info + 2] ?? 0) - before.length;
      records[to + 2] = shaped[position] ?? 0;
      records[to + 3] = shaped[position + 2] ?? 0;
      records[to + 4] = shaped[position + 3] ?? 0;
      records[to + 5] = (shaped[info + 1] ?? 0) & UNSAFE;
    }
    return { length, records };
  }

  /** Views of the instance's memory, which is another buffer after it has grown. */
  #viewsOf({ memory: { buffer } }: HarfBuzzExports): MemoryViews {
    if (this.#views.words.buffer !== buffer) {
      this.#views = { words: new Int32Array(buffer), units: new Uint16Array(buffer) };
    }
    return this.#views;
  }

  /** After a call has thrown, the instance is in an unknown state: it is not used again. */
  #guarded<T>(use: (hb: HarfBuzzExports) => T): T {
    if (this.#isBroken) {
      throw new WebAssembly.RuntimeError("HarfBuzz stopped earlier in this render.");
    }
    try {
      return use((this.#hb ??= this.#instantiate()));
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  #instantiate(): HarfBuzzExports {
    const hb = instantiateHarfBuzz(this.#modules.harfBuzz, MEMORY_MAX_BYTES, (bytes) =>
      this.#hasRoom(bytes),
    );
    this.#buffer = hb.hb_buffer_create();
    hb.hb_buffer_set_flags(this.#buffer, REMOVE_IGNORABLES);
    this.#scratch = 0;
    this.#scratchBytes = 0;
    return hb;
  }

  #faceOf(key: string): OpenFace {
    const open = this.#faces.get(key);
    if (open === undefined) {
      throw new Error(`The face ${key} was closed with the render that opened it.`);
    }
    return open;
  }

  #room(hb: HarfBuzzExports, bytes: number): number {
    if (bytes > this.#scratchBytes) {
      hb.free(this.#scratch);
      this.#scratchBytes = Math.max(bytes, 16_384);
      this.#scratch = this.#allocate(hb, this.#scratchBytes);
    }
    return this.#scratch;
  }

  #allocate(hb: HarfBuzzExports, bytes: number): number {
    const at = hb.malloc(Math.max(bytes, 1)) >>> 0;
    if (at === 0) {
      throw new RangeError(`${bytes} bytes do not fit into HarfBuzz's memory.`);
    }
    return at;
  }

  /** HarfBuzz keeps the languages that it was given for good, in the instance. */
  #languageOf(hb: HarfBuzzExports, language: string): number {
    const known = this.#languages.get(language);
    if (known !== undefined || language === "") {
      return known ?? 0;
    }
    const bytes = new TextEncoder().encode(language);
    const at = this.#allocate(hb, bytes.length);
    new Uint8Array(hb.memory.buffer).set(bytes, at);
    const made = hb.hb_language_from_string(at, bytes.length);
    hb.free(at);
    this.#languages.set(language, made);
    return made;
  }
}

/** Of four characters, filled with spaces: a script (ISO 15924) or a feature. */
function tagOf(tag: string): number {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    value = value * 256 + (i < tag.length ? tag.charCodeAt(i) : 32);
  }
  return value;
}
