/*
 * SSE2's intrinsics by their own names, as WebAssembly SIMD. SIMDe 0.7.4 computes these of them lane by lane, or in a way
 * that clang 19 does not compile (the first).
 */
#pragma once
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse2.h>
#include <wasm_simd128.h>

#undef _mm_madd_epi16
#undef _mm_movemask_epi8
#undef _mm_mulhi_epi16
#undef _mm_mulhi_epu16
#undef _mm_mul_epu32
#undef _mm_sad_epu8

/* Sums of neighboring products of 16 bits, as 32 bits. */
static inline __m128i _mm_madd_epi16(__m128i a, __m128i b) {
  return (__m128i)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
}

/* The highest bit of each byte. */
static inline int _mm_movemask_epi8(__m128i a) {
  return (int)wasm_i8x16_bitmask((v128_t)a);
}

/* The higher 16 bits of products. */
static inline __m128i _mm_mulhi_epi16(__m128i a, __m128i b) {
  const v128_t low = wasm_i32x4_extmul_low_i16x8((v128_t)a, (v128_t)b);
  const v128_t high = wasm_i32x4_extmul_high_i16x8((v128_t)a, (v128_t)b);
  return (__m128i)wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}

static inline __m128i _mm_mulhi_epu16(__m128i a, __m128i b) {
  const v128_t low = wasm_u32x4_extmul_low_u16x8((v128_t)a, (v128_t)b);
  const v128_t high = wasm_u32x4_extmul_high_u16x8((v128_t)a, (v128_t)b);
  return (__m128i)wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
}

/* Products of the even 32 bits, as 64 bits. */
static inline __m128i _mm_mul_epu32(__m128i a, __m128i b) {
  const v128_t x = wasm_i32x4_shuffle((v128_t)a, (v128_t)a, 0, 2, 0, 2);
  const v128_t y = wasm_i32x4_shuffle((v128_t)b, (v128_t)b, 0, 2, 0, 2);
  return (__m128i)wasm_u64x2_extmul_low_u32x4(x, y);
}

/* Sums of absolute differences of each eight bytes. */
static inline __m128i _mm_sad_epu8(__m128i a, __m128i b) {
  const v128_t larger = wasm_u8x16_max((v128_t)a, (v128_t)b), smaller = wasm_u8x16_min((v128_t)a, (v128_t)b);
  const v128_t pairs = wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_sub(larger, smaller));
  const v128_t fours = wasm_u32x4_extadd_pairwise_u16x8(pairs);
  const v128_t even = wasm_v128_and(fours, wasm_i64x2_const_splat(0xffffffff));
  return (__m128i)wasm_i64x2_add(even, wasm_u64x2_shr(fours, 32));
}
