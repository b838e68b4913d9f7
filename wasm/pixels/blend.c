/* Rows of src/images/raster/lay-layer.ts: samples of 16 bits with premultiplied alpha, 255 x 255 for the full value. */
#include "pixels.h"

#define FULL 65025

/* Samples of RGBA. Rows have room. */
void EXPORT(premultiply)(const u8 *rgba, u16 *samples, int pixels) {
  for (int i = 0; i < pixels; i += 4, rgba += 16, samples += 16) {
    v128_t four = wasm_v128_load(rgba);
    v128_t alpha = wasm_i8x16_shuffle(four, four, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    four = wasm_v128_or(four, wasm_i32x4_splat((int)0xff000000));
    wasm_v128_store(samples, wasm_u16x8_extmul_low_u8x16(four, alpha));
    wasm_v128_store(samples + 8, wasm_u16x8_extmul_high_u8x16(four, alpha));
  }
}

/* Two channels of a pixel above, as integers, over the samples below; truncated, with half a unit for rounding. */
static inline v128_t over(v128_t above, v128_t below, v128_t alpha, v128_t rest) {
  v128_t sum = wasm_f64x2_add(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(above), alpha),
                              wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(below), rest));
  return wasm_u32x4_trunc_sat_f64x2_zero(wasm_f64x2_add(sum, wasm_f64x2_splat(0.5)));
}

/* Lays RGBA of an opacity, 0 to 1, over samples. */
void EXPORT(lay)(const u8 *rgba, u16 *samples, int pixels, double opacity) {
  for (int i = 0; i < pixels; i++, rgba += 4, samples += 4) {
    double alpha = rgba[3] * opacity;
    if (alpha == 0) {
      continue;
    }
    v128_t alphas = wasm_f64x2_splat(alpha), rest = wasm_f64x2_splat(1 - alpha / 255);
    v128_t pixel = wasm_v128_or(wasm_v128_load32_zero(rgba), wasm_i32x4_splat((int)0xff000000));
    v128_t above = wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(pixel));
    v128_t below = wasm_u32x4_load16x4(samples);
    v128_t low = over(above, below, alphas, rest);
    v128_t high = over(wasm_i32x4_shuffle(above, above, 2, 3, 2, 3), wasm_i32x4_shuffle(below, below, 2, 3, 2, 3), alphas, rest);
    v128_t sum = wasm_i32x4_shuffle(low, high, 0, 1, 4, 5);
    wasm_v128_store64_lane(samples, wasm_u16x8_narrow_i32x4(sum, sum), 0);
  }
}

/* Samples, each divided by 255: exact, since a quotient is never halfway between two integers. */
static inline v128_t over_255(v128_t samples) {
  v128_t sum = wasm_i16x8_add(samples, wasm_i16x8_splat(128));
  return wasm_u16x8_shr(wasm_i16x8_add(sum, wasm_u16x8_shr(sum, 8)), 8);
}

/* Doubles as bytes in lanes 0 and 1: halves to even, as Uint8ClampedArray does. */
static inline v128_t as_bytes(v128_t doubles) {
  v128_t whole = wasm_u32x4_trunc_sat_f64x2_zero(wasm_f64x2_nearest(doubles));
  return wasm_u32x4_min(whole, wasm_i32x4_splat(255));
}

static inline u32 divided(const u16 *samples) {
  u32 alpha = samples[3];
  u32 opacity = (alpha + 127) / 255;
  if (opacity == 0) {
    return 0;
  }
  v128_t scale = wasm_f64x2_splat(255.0 / alpha);
  v128_t sums = wasm_u32x4_load16x4(samples);
  v128_t low = as_bytes(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(sums), scale));
  sums = wasm_i32x4_shuffle(sums, sums, 2, 3, 2, 3);
  v128_t high = as_bytes(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(sums), scale));
  return (u32)wasm_i32x4_extract_lane(low, 0) | (u32)wasm_i32x4_extract_lane(low, 1) << 8 |
         (u32)wasm_i32x4_extract_lane(high, 0) << 16 | opacity << 24;
}

/* The reverse of `premultiply`. Rows have room. */
void EXPORT(unpremultiply)(const u16 *samples, u8 *rgba, int pixels) {
  v128_t full = wasm_i16x8_splat((short)FULL);
  for (int i = 0; i < pixels; i += 4, samples += 16, rgba += 16) {
    v128_t near = wasm_v128_load(samples), far = wasm_v128_load(samples + 8);
    v128_t alphas = wasm_i16x8_shuffle(near, far, 3, 7, 11, 15, 3, 7, 11, 15);
    if (wasm_i16x8_all_true(wasm_i16x8_eq(alphas, full))) {
      wasm_v128_store(rgba, wasm_u8x16_narrow_i16x8(over_255(near), over_255(far)));
    } else {
      wasm_v128_store(rgba, wasm_u32x4_make(divided(samples), divided(samples + 4), divided(samples + 8), divided(samples + 12)));
    }
  }
}
