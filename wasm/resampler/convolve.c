/* The inner loop of src/media/dsp/resampler.ts, in vectors of four floats. Pointers are multiples of 4, `taps` of 16. */
#include <wasm_simd128.h>

static float dot(const float *samples, const float *row, int taps) {
  v128_t a = wasm_f32x4_splat(0), b = a, c = a, d = a;
  for (int i = 0; i < taps; i += 16) {
    a = wasm_f32x4_add(a, wasm_f32x4_mul(wasm_v128_load(samples + i), wasm_v128_load(row + i)));
    b = wasm_f32x4_add(b, wasm_f32x4_mul(wasm_v128_load(samples + i + 4), wasm_v128_load(row + i + 4)));
    c = wasm_f32x4_add(c, wasm_f32x4_mul(wasm_v128_load(samples + i + 8), wasm_v128_load(row + i + 8)));
    d = wasm_f32x4_add(d, wasm_f32x4_mul(wasm_v128_load(samples + i + 12), wasm_v128_load(row + i + 12)));
  }
  a = wasm_f32x4_add(wasm_f32x4_add(a, b), wasm_f32x4_add(c, d));
  return (wasm_f32x4_extract_lane(a, 0) + wasm_f32x4_extract_lane(a, 1)) +
         (wasm_f32x4_extract_lane(a, 2) + wasm_f32x4_extract_lane(a, 3));
}

/*
 * Writes the outputs, at most `max`, for which the `filled` samples suffice, and returns their number. The next output has
 * its first sample at `at` and its phase in `up`ths. `phases` is 0 where the table has a row for each phase; otherwise it has
 * `phases` + 1 rows, between which lies the phase.
 */
__attribute__((export_name("convolve"))) int convolve(
    const float *samples, int filled, const float *table, int taps, int phases, int up,
    int step_frames, int step_phase, int at, int phase, float *out, int max) {
  int written = 0;
  for (int last = filled - taps; at <= last && written < max; written++) {
    if (phases == 0) {
      out[written] = dot(samples + at, table + phase * taps, taps);
    } else {
      double position = (double)phase / up * phases;
      int row = (int)position;
      float first = dot(samples + at, table + row * taps, taps);
      float second = dot(samples + at, table + (row + 1) * taps, taps);
      out[written] = first + (float)(position - row) * (second - first);
    }
    at += step_frames;
    phase += step_phase;
    if (phase >= up) {
      phase -= up;
      at++;
    }
  }
  return written;
}
