/*
 * The rows of PNG (ISO/IEC 15948, 9): the filters of src/images/png/row-filter.ts, their reversal of
 * src/images/png/read/open-png.ts, and the checksum of zlib (RFC 1950).
 */
#include "pixels.h"

#define NONE 0
#define SUB 1
#define UP 2
#define AVERAGE 3
#define PAETH 4

/* RGBA as 3 bytes for each pixel. Both have room. */
static inline void pack(const u8 *rgba, int width, u8 *out) {
  for (int x = 0; x < width; x += 4, rgba += 16, out += 12) {
    v128_t four = wasm_v128_load(rgba);
    wasm_v128_store(out, wasm_i8x16_shuffle(four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15));
  }
}

/* Adds the distances from 0 of differences as signed bytes. */
static inline v128_t add_sizes(v128_t sum, v128_t differences) {
  v128_t sizes = wasm_i8x16_abs(differences);
  return wasm_i32x4_add(sum, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(sizes)));
}

static inline u32 total(v128_t sum) {
  return (u32)wasm_i32x4_extract_lane(sum, 0) + (u32)wasm_i32x4_extract_lane(sum, 1) +
         (u32)wasm_i32x4_extract_lane(sum, 2) + (u32)wasm_i32x4_extract_lane(sum, 3);
}

/* The prediction of Paeth for 8 values: left, above, and above left. */
static inline v128_t paeth(v128_t a, v128_t b, v128_t c) {
  v128_t pa = wasm_i16x8_sub(b, c), pb = wasm_i16x8_sub(a, c);
  v128_t pc = wasm_i16x8_abs(wasm_i16x8_add(pa, pb));
  pa = wasm_i16x8_abs(pa), pb = wasm_i16x8_abs(pb);
  v128_t other = wasm_v128_bitselect(b, c, wasm_i16x8_le(pb, pc));
  return wasm_v128_bitselect(a, other, wasm_v128_and(wasm_i16x8_le(pa, pb), wasm_i16x8_le(pa, pc)));
}

/* The first `left` of 16 bytes, 1 to 15. */
static inline v128_t first_bytes(v128_t bytes, int left) {
  v128_t places = wasm_i8x16_const(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return wasm_v128_and(bytes, wasm_i8x16_lt(places, wasm_i8x16_splat((signed char)left)));
}

/*
 * Filters `count` rows of RGBA to rows of `channels` bytes a pixel, each after its filter byte: of Sub, Up and Paeth the one
 * with the smallest sum of differences; Up, then Sub, where sums are equal. `lines` has two rows, each `line` bytes long,
 * 16 of them before its first pixel, which are 0, and 16 at least behind its last one; the first holds the row above.
 * After them are three rows of the same length for the differences. RGBA and `out` have room of 16 bytes.
 */
void EXPORT(filter)(const u8 *rgba, int width, int count, int channels, u8 *lines, int line, u8 *out) {
  int stride = width * channels;
  u8 *above = lines + 16, *row = lines + line + 16;
  u8 *sub = lines + 2 * line, *up = lines + 3 * line, *best = lines + 4 * line;
  for (int y = 0; y < count; y++, rgba += width * 4, out += stride + 1) {
    if (channels == 3) {
      pack(rgba, width, row);
    } else {
      __builtin_memcpy(row, rgba, (u32)stride);
    }
    v128_t zero = wasm_i32x4_splat(0), sub_sum = zero, up_sum = zero, paeth_sum = zero;
    for (int i = 0; i < stride; i += 16) {
      v128_t x = wasm_v128_load(row + i), a = wasm_v128_load(row + i - channels);
      v128_t b = wasm_v128_load(above + i), c = wasm_v128_load(above + i - channels);
      v128_t near = paeth(wasm_u16x8_extend_low_u8x16(a), wasm_u16x8_extend_low_u8x16(b), wasm_u16x8_extend_low_u8x16(c));
      v128_t far = paeth(wasm_u16x8_extend_high_u8x16(a), wasm_u16x8_extend_high_u8x16(b), wasm_u16x8_extend_high_u8x16(c));
      v128_t by_sub = wasm_i8x16_sub(x, a), by_up = wasm_i8x16_sub(x, b);
      v128_t by_paeth = wasm_i8x16_sub(x, wasm_u8x16_narrow_i16x8(near, far));
      wasm_v128_store(sub + i, by_sub);
      wasm_v128_store(up + i, by_up);
      wasm_v128_store(best + i, by_paeth);
      if (stride - i < 16) {
        by_sub = first_bytes(by_sub, stride - i);
        by_up = first_bytes(by_up, stride - i);
        by_paeth = first_bytes(by_paeth, stride - i);
      }
      sub_sum = add_sizes(sub_sum, by_sub);
      up_sum = add_sizes(up_sum, by_up);
      paeth_sum = add_sizes(paeth_sum, by_paeth);
    }
    u32 of_sub = total(sub_sum), of_up = total(up_sum), of_paeth = total(paeth_sum);
    if (of_up <= of_sub && of_up <= of_paeth) {
      out[0] = UP;
      __builtin_memcpy(out + 1, up, (u32)stride);
    } else if (of_sub <= of_paeth) {
      out[0] = SUB;
      __builtin_memcpy(out + 1, sub, (u32)stride);
    } else {
      out[0] = PAETH;
      __builtin_memcpy(out + 1, best, (u32)stride);
    }
    u8 *done = above;
    above = row;
    row = done;
  }
  if (count % 2 == 1) {
    __builtin_memcpy(lines + 16, above, (u32)stride);
  }
}

static inline v128_t wide_pixel(const u8 *bytes) {
  return wasm_u16x8_load8x8(bytes);
}

/* Goes beyond the pixel by less than another one. */
static inline void put_pixel(u8 *out, v128_t values, int step) {
  v128_t bytes = wasm_u8x16_narrow_i16x8(values, values);
  if (step == 1) {
    wasm_v128_store8_lane(out, bytes, 0);
  } else if (step == 2) {
    wasm_v128_store16_lane(out, bytes, 0);
  } else if (step <= 4) {
    wasm_v128_store32_lane(out, bytes, 0);
  } else {
    wasm_v128_store64_lane(out, bytes, 0);
  }
}

/*
 * Filters whose pixels depend on the one to the left. Each pixel is stored after the next one has been loaded, over whose
 * first bytes it goes. Inlined, so that the filter and the step are known in the loop.
 */
static inline __attribute__((always_inline)) void unfilter_pixels(int filter, u8 *row, const u8 *above, int length,
                                                                  int step) {
  v128_t low_bytes = wasm_i16x8_splat(255);
  v128_t left = wasm_i16x8_splat(0), corner = left, next = wide_pixel(row);
  for (int i = 0; i < length; i += step) {
    v128_t top = wide_pixel(above + i), predicted = left;
    if (filter == AVERAGE) {
      predicted = wasm_u16x8_shr(wasm_i16x8_add(left, top), 1);
    } else if (filter == PAETH) {
      predicted = paeth(left, top, corner);
    }
    left = wasm_v128_and(wasm_i16x8_add(next, predicted), low_bytes);
    corner = top;
    next = wide_pixel(row + i + step);
    put_pixel(row + i, left, step);
  }
}

static inline __attribute__((always_inline)) void unfilter_steps(int filter, u8 *row, const u8 *above, int length,
                                                                 int step) {
  switch (step) {
    case 3:
      unfilter_pixels(filter, row, above, length, 3);
      break;
    case 4:
      unfilter_pixels(filter, row, above, length, 4);
      break;
    default:
      unfilter_pixels(filter, row, above, length, step);
  }
}

/*
 * Reverses the filter of a row in place. `step` is the number of bytes of a pixel: 1, 2, 3, 4, 6 or 8. Both rows have room
 * of 16 bytes. Returns whether the filter is one of PNG's.
 */
int EXPORT(unfilter)(int filter, u8 *row, const u8 *above, int length, int step) {
  int i = 0;
  switch (filter) {
    case NONE:
      return 1;
    case SUB:
      unfilter_steps(SUB, row, above, length, step);
      return 1;
    case UP:
      for (; i + 16 <= length; i += 16) {
        wasm_v128_store(row + i, wasm_i8x16_add(wasm_v128_load(row + i), wasm_v128_load(above + i)));
      }
      for (; i < length; i++) {
        row[i] += above[i];
      }
      return 1;
    case AVERAGE:
      unfilter_steps(AVERAGE, row, above, length, step);
      return 1;
    case PAETH:
      unfilter_steps(PAETH, row, above, length, step);
      return 1;
    default:
      return 0;
  }
}

/* Opaque RGBA of rows with 3 bytes a pixel. Both have room of 16 bytes. */
void EXPORT(expand)(const u8 *row, int width, u8 *rgba) {
  v128_t alpha = wasm_i32x4_splat((int)0xff000000);
  for (int x = 0; x < width; x += 4, row += 12, rgba += 16) {
    v128_t four = wasm_v128_load(row);
    v128_t spread = wasm_i8x16_shuffle(four, four, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11);
    wasm_v128_store(rgba, wasm_v128_or(spread, alpha));
  }
}

/* The checksum at the end of a zlib stream (RFC 1950, 8.2), continued from that of the bytes before. */
u32 EXPORT(adler32)(const u8 *bytes, int length, u32 before) {
  const u32 modulus = 65521;
  u32 low = before & 0xffff, high = before >> 16;
  v128_t zero = wasm_i32x4_splat(0);
  while (length > 0) {
    /* So many bytes that `high` stays below 32 bits: 4,096 x 65,521 + 255 x 4,096 x 4,097 / 2 + 65,521. */
    int step = length < 4096 ? length : 4096;
    length -= step;
    v128_t sums = zero, befores = zero, weighted = zero;
    int blocks = step / 16;
    for (int i = 0; i < blocks; i++, bytes += 16) {
      v128_t x = wasm_v128_load(bytes);
      befores = wasm_i32x4_add(befores, sums);
      sums = wasm_i32x4_add(sums, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(x)));
      weighted = wasm_i32x4_add(weighted, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_low_u8x16(x), wasm_i16x8_const(16, 15, 14, 13, 12, 11, 10, 9)));
      weighted = wasm_i32x4_add(weighted, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_high_u8x16(x), wasm_i16x8_const(8, 7, 6, 5, 4, 3, 2, 1)));
    }
    high += low * (u32)(blocks * 16) + 16 * total(befores) + total(weighted);
    low += total(sums);
    for (int i = blocks * 16; i < step; i++) {
      low += *bytes++;
      high += low;
    }
    low %= modulus;
    high %= modulus;
  }
  return high << 16 | low;
}
