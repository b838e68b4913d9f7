import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import type { HarfBuzzCore } from "../fonts/harfbuzz-exports.ts";
import { SUBSETTER_BYTES } from "./subsetter-memory.ts";

type Pointer = number;

/** The functions that are called in harfbuzzjs's harfbuzz-subset.wasm, which imports nothing. */
interface SubsetExports extends HarfBuzzCore {
  _initialize(): void;
  hb_face_reference_blob(face: Pointer): Pointer;
  hb_set_add(set: Pointer, value: number): void;
  hb_subset_input_create_or_fail(): Pointer;
  hb_subset_input_destroy(input: Pointer): void;
  hb_subset_input_glyph_set(input: Pointer): Pointer;
  hb_subset_input_set(input: Pointer, kind: number): Pointer;
  hb_subset_input_set_flags(input: Pointer, flags: number): void;
  hb_subset_or_fail(face: Pointer, input: Pointer): Pointer;
}

/** HB_MEMORY_MODE_WRITABLE: the bytes belong to the instance. */
const WRITABLE = 2;
/**
 * HB_SUBSET_FLAGS_RETAIN_GIDS, HB_SUBSET_FLAGS_NOTDEF_OUTLINE, because characters without a glyph print it, and
 * HB_SUBSET_FLAGS_NO_LAYOUT_CLOSURE.
 */
const FLAGS = 0x2 | 0x40 | 0x200;
/** HB_SUBSET_SETS_DROP_TABLE_TAG. */
const DROP_TABLES = 3;
/** Tables that a PDF does not read: what it shows was shaped before. */
const DROPPED = [
  ..."GSUB GPOS GDEF BASE JSTF MATH COLR CPAL CBDT CBLC sbix".split(" "),
  ..."name post OS/2 cmap kern gasp vhea vmtx VORG DSIG meta STAT hdmx LTSH VDMX".split(" "),
];
/** Cut files that are kept: those of the documents that were printed last. */
export const KEPT_CUT_BYTES = 3 * 1024 * 1024;
/** Parsed fonts that are kept in the instance, by the sizes of their files. */
const OPEN_BYTES = 6 * 1024 * 1024;

/**
 * Cuts font files down to some glyphs, whose numbers stay. One instance of HarfBuzz's subsetter has fixed memory
 * (scripts/cap-subset-memory.ts), is made at the first cut and dropped after a failure.
 */
export class Subsetter {
  readonly #module: WebAssembly.Module;
  readonly #hasRoom: (bytes: number) => boolean;
  #made = new WeightedCache<Uint8Array<ArrayBuffer>>(KEPT_CUT_BYTES);
  #exports: SubsetExports | undefined;
  readonly #open = new Map<string, { readonly face: Pointer; readonly bytes: number }>();
  #openBytes = 0;

  /** `hasRoom` is asked before an instance of so many bytes is made. */
  constructor(module: WebAssembly.Module, hasRoom: (bytes: number) => boolean) {
    this.#module = module;
    this.#hasRoom = hasRoom;
  }

  /** 0 while there is no instance. */
  get memoryBytes(): number {
    return this.#exports?.memory.buffer.byteLength ?? 0;
  }

  /** Of files that were cut before. */
  get keptBytes(): number {
    return this.#made.weight;
  }

  /**
   * Returns a file with these glyphs, those that they are made of, and glyph 0. A file that does not fit into the instance
   * is returned whole. Equal sets give equal bytes, the same array while it is kept, which must not be changed. `key` is
   * the digest of `file`.
   */
  subset(key: string, file: Uint8Array, glyphs: readonly number[]): Uint8Array {
    const sorted = Uint32Array.from(new Set(glyphs)).toSorted();
    const name = `${key} ${sorted.join()}`;
    const known = this.#made.get(name);
    if (known !== undefined) {
      return known;
    }
    const made = this.#cut(key, file, sorted);
    if (made !== undefined) {
      // With what the PDF writer keeps for as long as the file: its deflated bytes.
      this.#made.set(name, made, 2 * made.byteLength + name.length * 2);
    }
    return made ?? file.slice();
  }

  /** Forgets the files that are kept. */
  forget(): void {
    this.#made = new WeightedCache(KEPT_CUT_BYTES);
  }

  /** Frees the instance; the next cut makes another. */
  drop(): void {
    this.#exports = undefined;
    this.#open.clear();
    this.#openBytes = 0;
  }

  #cut(key: string, file: Uint8Array, glyphs: Uint32Array): Uint8Array<ArrayBuffer> | undefined {
    try {
      if (this.#exports === undefined && !this.#hasRoom(SUBSETTER_BYTES)) {
        return undefined;
      }
      const hb = (this.#exports ??= this.#instantiate());
      const face = this.#faceOf(hb, key, file);
      return face === 0 ? undefined : cutFace(hb, face, glyphs);
    } catch (error) {
      this.drop();
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        return undefined;
      }
      throw error;
    } finally {
      if (this.#openBytes > OPEN_BYTES) {
        this.drop();
      }
    }
  }

  #instantiate(): SubsetExports {
    const { exports } = new WebAssembly.Instance(this.#module, {});
    // The exports of a wasm module are untyped; the module is a pinned file.
    const hb = exports as unknown as SubsetExports;
    hb._initialize();
    return hb;
  }

  /** 0 if the file does not fit. */
  #faceOf(hb: SubsetExports, key: string, file: Uint8Array): Pointer {
    const known = this.#open.get(key);
    if (known !== undefined) {
      return known.face;
    }
    const at = hb.malloc(Math.max(file.byteLength, 1)) >>> 0;
    if (at === 0) {
      this.drop();
      return 0;
    }
    new Uint8Array(hb.memory.buffer).set(file, at);
    const blob = hb.hb_blob_create(at, file.byteLength, WRITABLE, 0, 0);
    const face = hb.hb_face_create(blob, 0);
    hb.hb_blob_destroy(blob);
    this.#open.set(key, { face, bytes: file.byteLength });
    this.#openBytes += file.byteLength;
    return face;
  }
}

/** Undefined if HarfBuzz does not cut this font, for want of memory or for damage. */
function cutFace(
  hb: SubsetExports,
  face: Pointer,
  glyphs: Uint32Array,
): Uint8Array<ArrayBuffer> | undefined {
  const input = hb.hb_subset_input_create_or_fail();
  if (input === 0) {
    return undefined;
  }
  hb.hb_subset_input_set_flags(input, FLAGS);
  const kept = hb.hb_subset_input_glyph_set(input);
  for (const glyph of glyphs) {
    hb.hb_set_add(kept, glyph);
  }
  const dropped = hb.hb_subset_input_set(input, DROP_TABLES);
  for (const tag of DROPPED) {
    hb.hb_set_add(dropped, tagOf(tag));
  }
  const cut = hb.hb_subset_or_fail(face, input);
  hb.hb_subset_input_destroy(input);
  if (cut === 0) {
    return undefined;
  }
  const blob = hb.hb_face_reference_blob(cut);
  const length = hb.hb_blob_get_length(blob);
  const at = hb.hb_blob_get_data(blob, 0) >>> 0;
  const bytes = new Uint8Array(hb.memory.buffer, at, length).slice();
  hb.hb_blob_destroy(blob);
  hb.hb_face_destroy(cut);
  return length === 0 ? undefined : bytes;
}

function tagOf(tag: string): number {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    value = value * 256 + (i < tag.length ? tag.charCodeAt(i) : 32);
  }
  return value;
}
