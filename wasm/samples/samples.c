/* Loops over the samples of a block, in vectors of four floats. Pointers are multiples of 16, counts multiples of 4. */
#include <wasm_simd128.h>

/* The greatest magnitude; NaN does not count. */
__attribute__((export_name("peak"))) float peak(const float *samples, int count) {
  v128_t a = wasm_f32x4_splat(0), b = a;
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    a = wasm_f32x4_pmax(a, wasm_f32x4_abs(wasm_v128_load(samples + i)));
    b = wasm_f32x4_pmax(b, wasm_f32x4_abs(wasm_v128_load(samples + i + 4)));
  }
  if (i < count) {
    a = wasm_f32x4_pmax(a, wasm_f32x4_abs(wasm_v128_load(samples + i)));
  }
  a = wasm_f32x4_pmax(a, b);
  a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(a, 0);
}

/* Times 32,768 and rounded to nearest, halves to even; the conversions clamp, and make NaN 0. */
static v128_t rounded(const float *samples) {
  v128_t scaled = wasm_f32x4_mul(wasm_v128_load(samples), wasm_f32x4_splat(32768));
  return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(scaled));
}

/* Writes one channel as integers of 16 bits. */
__attribute__((export_name("pack_mono"))) void pack_mono(const float *samples, int count, short *out) {
  for (int i = 0; i < count; i += 4) {
    v128_t integers = rounded(samples + i);
    wasm_v128_store64_lane(out + i, wasm_i16x8_narrow_i32x4(integers, integers), 0);
  }
}

/* Writes two channels, interleaved. */
__attribute__((export_name("pack_stereo"))) void pack_stereo(
    const float *left, const float *right, int count, short *out) {
  for (int i = 0; i < count; i += 4) {
    v128_t both = wasm_i16x8_narrow_i32x4(rounded(left + i), rounded(right + i));
    wasm_v128_store(out + 2 * i, wasm_i16x8_shuffle(both, both, 0, 4, 1, 5, 2, 6, 3, 7));
  }
}
