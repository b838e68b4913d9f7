/*
 * Rows of src/images/raster/row-resampler.ts. Samples of old pixels have 16 bits and are held 32,768 lower, so that the
 * signed products of the processor serve; the weights of a new pixel have the sum 1 << 14, from which the exact result
 * follows. Tables have `taps` weights for each new pixel, a multiple of 4, of which the last may be 0.
 */
#include "pixels.h"

#define BIAS 32768
#define WEIGHT_BITS 14
/* See ACROSS_SHIFT and DOWN_SHIFT of row-resampler.ts. */
#define ACROSS_SHIFT 16
#define DOWN_SHIFT 20
#define FULL_ALPHA (255.0 * 255.0 * 4096.0)

static inline v128_t low_pixel(v128_t pixels) {
  return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(pixels));
}

/* A pixel's alpha in all four bytes, for each of the four pixels. */
static inline v128_t alphas(v128_t pixels) {
  return wasm_i8x16_shuffle(pixels, pixels, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
}

static inline v128_t with_full_alpha(v128_t pixels) {
  return wasm_v128_or(pixels, wasm_i32x4_splat((int)0xff000000));
}

/* Old pixels as samples, multiplied by their alpha. Rows have room. */
void EXPORT(premultiplied)(const u8 *rgba, int width, u16 *out) {
  v128_t bias = wasm_i16x8_splat((short)BIAS);
  for (int x = 0; x < width; x += 4, rgba += 16, out += 16) {
    v128_t pixels = wasm_v128_load(rgba);
    v128_t alpha = alphas(pixels);
    pixels = with_full_alpha(pixels);
    wasm_v128_store(out, wasm_v128_xor(wasm_u16x8_extmul_low_u8x16(pixels, alpha), bias));
    wasm_v128_store(out + 8, wasm_v128_xor(wasm_u16x8_extmul_high_u8x16(pixels, alpha), bias));
  }
}

static inline void add_to(double *sums, v128_t four) {
  wasm_v128_store(sums, wasm_f64x2_add(wasm_v128_load(sums), wasm_f64x2_convert_low_u32x4(four)));
  v128_t high = wasm_i32x4_shuffle(four, four, 2, 3, 2, 3);
  wasm_v128_store(sums + 2, wasm_f64x2_add(wasm_v128_load(sums + 2), wasm_f64x2_convert_low_u32x4(high)));
}

/* Adds a row to the sums of boxes of `box` pixels, 4 values each; the last box may be narrower. */
void EXPORT(add_opaque)(const u8 *rgba, int width, int box, double *sums) {
  for (int x = 0; x < width; x += box, sums += 4) {
    int left = width - x < box ? width - x : box;
    v128_t sum = wasm_i32x4_splat(0);
    for (; left >= 4; left -= 4, rgba += 16) {
      v128_t pixels = wasm_v128_load(rgba);
      v128_t pairs = wasm_i16x8_add(wasm_u16x8_extend_low_u8x16(pixels), wasm_u16x8_extend_high_u8x16(pixels));
      sum = wasm_i32x4_add(sum, wasm_i32x4_add(wasm_u32x4_extend_low_u16x8(pairs), wasm_u32x4_extend_high_u16x8(pairs)));
    }
    for (; left > 0; left--, rgba += 4) {
      sum = wasm_i32x4_add(sum, low_pixel(wasm_v128_load32_zero(rgba)));
    }
    add_to(sums, sum);
  }
}

/* The same with colors multiplied by alpha, and 255 for alpha itself. */
void EXPORT(add_clear)(const u8 *rgba, int width, int box, double *sums) {
  for (int x = 0; x < width; x += box, sums += 4) {
    int end = x + box < width ? x + box : width;
    v128_t sum = wasm_i32x4_splat(0);
    for (int i = x; i < end; i++, rgba += 4) {
      v128_t pixel = wasm_v128_load32_zero(rgba);
      v128_t products = wasm_u16x8_extmul_low_u8x16(with_full_alpha(pixel), alphas(pixel));
      sum = wasm_i32x4_add(sum, wasm_u32x4_extend_low_u16x8(products));
    }
    add_to(sums, sum);
  }
}

static inline void put_mean(double mean, u16 *out) {
  *out = (u16)((int)(mean + 0.5) - BIAS);
}

/* The means of `boxes` boxes as samples: of the last one its sum × `scale` ÷ `divisor`, of others × `inside`. Clears the sums. */
void EXPORT(take_means)(double *sums, int boxes, double inside, double scale, double divisor, u16 *out) {
  int i = 0;
  for (; i < (boxes - 1) * 4; i++) {
    put_mean(sums[i] * inside, out + i);
    sums[i] = 0;
  }
  for (; i < boxes * 4; i++) {
    put_mean(sums[i] * scale / divisor, out + i);
    sums[i] = 0;
  }
}

/* Weights for two old pixels, four times. */
static inline v128_t weight_pair(const short *weights) {
  return wasm_v128_load32_splat(weights);
}

/* `count` new pixels of a row of samples, with 6 fractional bits. Rows have room. */
void EXPORT(across)(const u16 *row, int count, const int *first, int taps, const short *weights, short *out) {
  for (int i = 0; i < count; i++, out += 4) {
    const u16 *from = row + first[i] * 4;
    v128_t a = wasm_i32x4_splat((BIAS << WEIGHT_BITS) + (1 << (ACROSS_SHIFT - 1)));
    v128_t b = wasm_i32x4_splat(0);
    for (int tap = 0; tap < taps; tap += 4, from += 16, weights += 4) {
      v128_t near = wasm_v128_load(from), far = wasm_v128_load(from + 8);
      near = wasm_i16x8_shuffle(near, near, 0, 4, 1, 5, 2, 6, 3, 7);
      far = wasm_i16x8_shuffle(far, far, 0, 4, 1, 5, 2, 6, 3, 7);
      a = wasm_i32x4_add(a, wasm_i32x4_dot_i16x8(near, weight_pair(weights)));
      b = wasm_i32x4_add(b, wasm_i32x4_dot_i16x8(far, weight_pair(weights + 2)));
    }
    v128_t sum = wasm_i32x4_shr(wasm_i32x4_add(a, b), ACROSS_SHIFT);
    wasm_v128_store64_lane(out, wasm_i16x8_narrow_i32x4(sum, sum), 0);
  }
}

/* The same from opaque RGBA itself. */
void EXPORT(across_opaque)(const u8 *rgba, int count, const int *first, int taps, const short *weights, short *out) {
  v128_t zero = wasm_i8x16_splat(0);
  for (int i = 0; i < count; i++, out += 4) {
    const u8 *from = rgba + first[i] * 4;
    v128_t a = wasm_i32x4_splat(1 << (ACROSS_SHIFT - 9));
    v128_t b = wasm_i32x4_splat(0);
    for (int tap = 0; tap < taps; tap += 4, from += 16, weights += 4) {
      v128_t pixels = wasm_v128_load(from);
      v128_t near = wasm_i8x16_shuffle(pixels, zero, 0, 16, 4, 16, 1, 16, 5, 16, 2, 16, 6, 16, 3, 16, 7, 16);
      v128_t far = wasm_i8x16_shuffle(pixels, zero, 8, 16, 12, 16, 9, 16, 13, 16, 10, 16, 14, 16, 11, 16, 15, 16);
      a = wasm_i32x4_add(a, wasm_i32x4_dot_i16x8(near, weight_pair(weights)));
      b = wasm_i32x4_add(b, wasm_i32x4_dot_i16x8(far, weight_pair(weights + 2)));
    }
    v128_t sum = wasm_i32x4_shr(wasm_i32x4_add(a, b), ACROSS_SHIFT - 8);
    wasm_v128_store64_lane(out, wasm_i16x8_narrow_i32x4(sum, sum), 0);
  }
}

/* Doubles as bytes: halves to even, and nothing beyond 0 and 255, as Uint8ClampedArray does. In lanes 0 and 1. */
static inline v128_t clamped(v128_t doubles) {
  v128_t whole = wasm_u32x4_trunc_sat_f64x2_zero(wasm_f64x2_nearest(doubles));
  return wasm_u32x4_min(whole, wasm_i32x4_splat(255));
}

/* The color of one pixel, divided by its alpha. */
static inline u32 divided(v128_t sum) {
  double full = wasm_i32x4_extract_lane(sum, 3);
  int alpha = wasm_i32x4_extract_lane(clamped(wasm_f64x2_splat(full * 255.0 / FULL_ALPHA)), 0);
  if (alpha == 0) {
    return 0;
  }
  v128_t scale = wasm_f64x2_splat(255.0 / full);
  v128_t blue = wasm_i32x4_shuffle(sum, sum, 2, 3, 2, 3);
  v128_t low = clamped(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(sum), scale));
  v128_t high = clamped(wasm_f64x2_mul(wasm_f64x2_convert_low_i32x4(blue), scale));
  return (u32)wasm_i32x4_extract_lane(low, 0) | (u32)wasm_i32x4_extract_lane(low, 1) << 8 |
         (u32)wasm_i32x4_extract_lane(high, 0) << 16 | (u32)alpha << 24;
}

/*
 * A new row of RGBA from `taps` rows of `across`, the first at row `start` of a ring of `rows` rows, `stride` samples
 * from one to the next. `taps` is the number of rows; the weights have a multiple of 4. Rows have room.
 */
void EXPORT(down)(const short *ring, int rows, int stride, int start, int taps, const short *weights, int width,
                  int is_opaque, u8 *out) {
  const short *end = ring + rows * stride;
  const short *top = ring + start * stride;
  v128_t rounding = wasm_i32x4_splat(is_opaque ? 1 << (DOWN_SHIFT - 1) : 0);
  for (int x = 0; x < width; x += 4, ring += 16, end += 16, top += 16, out += 16) {
    const short *row = top;
    v128_t a = rounding, b = rounding, c = rounding, d = rounding;
    for (int tap = 0; tap < taps; tap += 2) {
      const short *next = row + stride == end ? ring : row + stride;
      v128_t weight = weight_pair(weights + tap);
      v128_t above = wasm_v128_load(row), below = wasm_v128_load(next);
      a = wasm_i32x4_add(a, wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(above, below, 0, 8, 1, 9, 2, 10, 3, 11), weight));
      b = wasm_i32x4_add(b, wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(above, below, 4, 12, 5, 13, 6, 14, 7, 15), weight));
      above = wasm_v128_load(row + 8), below = wasm_v128_load(next + 8);
      c = wasm_i32x4_add(c, wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(above, below, 0, 8, 1, 9, 2, 10, 3, 11), weight));
      d = wasm_i32x4_add(d, wasm_i32x4_dot_i16x8(wasm_i16x8_shuffle(above, below, 4, 12, 5, 13, 6, 14, 7, 15), weight));
      row = next + stride == end ? ring : next + stride;
    }
    if (is_opaque) {
      v128_t near = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(a, DOWN_SHIFT), wasm_i32x4_shr(b, DOWN_SHIFT));
      v128_t far = wasm_i16x8_narrow_i32x4(wasm_i32x4_shr(c, DOWN_SHIFT), wasm_i32x4_shr(d, DOWN_SHIFT));
      wasm_v128_store(out, wasm_u8x16_narrow_i16x8(near, far));
    } else {
      wasm_v128_store(out, wasm_u32x4_make(divided(a), divided(b), divided(c), divided(d)));
    }
  }
}
