type Pointer = number;

/** The functions that are called in both modules of harfbuzzjs: memory, blobs and faces. */
export interface HarfBuzzCore {
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
  hb_blob_create(
    data: Pointer,
    length: number,
    mode: number,
    userData: Pointer,
    destroy: Pointer,
  ): Pointer;
  hb_blob_destroy(blob: Pointer): void;
  hb_blob_get_length(blob: Pointer): number;
  hb_blob_get_data(blob: Pointer, length: Pointer): Pointer;
  hb_face_create(blob: Pointer, index: number): Pointer;
  hb_face_destroy(face: Pointer): void;
}

/** The functions that are called in harfbuzzjs's wasm (the C interface of HarfBuzz 14, with pointers as numbers). */
export interface HarfBuzzExports extends HarfBuzzCore {
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  hb_face_get_upem(face: Pointer): number;
  hb_face_collect_unicodes(face: Pointer, into: Pointer): void;
  hb_font_create(face: Pointer): Pointer;
  hb_font_destroy(font: Pointer): void;
  hb_font_get_nominal_glyph(font: Pointer, codePoint: number, glyph: Pointer): number;
  hb_font_get_glyph_h_advance(font: Pointer, glyph: number): number;
  hb_font_draw_glyph_or_fail(
    font: Pointer,
    glyph: number,
    functions: Pointer,
    data: Pointer,
  ): number;
  hb_set_create(): Pointer;
  hb_set_destroy(set: Pointer): void;
  hb_set_get_population(set: Pointer): number;
  hb_set_next_many(set: Pointer, after: number, out: Pointer, size: number): number;
  hb_draw_funcs_create(): Pointer;
  hb_draw_funcs_set_move_to_func(
    functions: Pointer,
    call: number,
    data: Pointer,
    destroy: number,
  ): void;
  hb_draw_funcs_set_line_to_func(
    functions: Pointer,
    call: number,
    data: Pointer,
    destroy: number,
  ): void;
  hb_draw_funcs_set_quadratic_to_func(
    functions: Pointer,
    call: number,
    data: Pointer,
    destroy: number,
  ): void;
  hb_draw_funcs_set_cubic_to_func(
    functions: Pointer,
    call: number,
    data: Pointer,
    destroy: number,
  ): void;
  hb_draw_funcs_set_close_path_func(
    functions: Pointer,
    call: number,
    data: Pointer,
    destroy: number,
  ): void;
  hb_buffer_create(): Pointer;
  hb_buffer_destroy(buffer: Pointer): void;
  hb_buffer_add_codepoints(
    buffer: Pointer,
    text: Pointer,
    length: number,
    offset: number,
    itemLength: number,
  ): void;
  hb_buffer_add_utf16(
    buffer: Pointer,
    text: Pointer,
    length: number,
    offset: number,
    itemLength: number,
  ): void;
  hb_buffer_clear_contents(buffer: Pointer): void;
  hb_buffer_set_direction(buffer: Pointer, direction: number): void;
  hb_buffer_set_script(buffer: Pointer, script: number): void;
  hb_buffer_set_language(buffer: Pointer, language: Pointer): void;
  hb_buffer_set_flags(buffer: Pointer, flags: number): void;
  hb_language_from_string(text: Pointer, length: number): Pointer;
  hb_buffer_guess_segment_properties(buffer: Pointer): void;
  hb_buffer_get_length(buffer: Pointer): number;
  hb_buffer_get_glyph_infos(buffer: Pointer, length: Pointer): Pointer;
  hb_buffer_get_glyph_positions(buffer: Pointer, length: Pointer): Pointer;
  hb_shape(font: Pointer, buffer: Pointer, features: Pointer, featureCount: number): void;
}
