/*
 * Rows of RGBA of the decoded planes, upright or turned. Halved colors are interpolated between the four nearest samples, as
 * libavif does.
 */
#include "own.h"

#define SAMPLES_MAX 4096
static float lights[SAMPLES_MAX], colors[SAMPLES_MAX], opacities[SAMPLES_MAX];
static float red_of_cr, blue_of_cb, green_of_cr, green_of_cb;
static enum { BY_LUMA, BY_YCGCO, BY_RGB } mode;
static int is_premultiplied;

/* The numbers are those of ITU-T H.273. */
enum { MATRIX_RGB = 0, MATRIX_BT709 = 1, MATRIX_UNKNOWN = 2, MATRIX_FCC = 4, MATRIX_BT601 = 5, MATRIX_BT601_NTSC = 6,
  MATRIX_SMPTE240 = 7, MATRIX_YCGCO = 8, MATRIX_BT2020 = 9, MATRIX_OF_PRIMARIES = 12 };
enum { PRIMARIES_BT709 = 1, PRIMARIES_BT470M = 4, PRIMARIES_BT470BG = 5, PRIMARIES_BT601 = 6, PRIMARIES_SMPTE240 = 7,
  PRIMARIES_BT2020 = 9, PRIMARIES_P3 = 12 };

static void fill(float *table, int depth, int is_full_range, int is_color) {
  const int max = (1 << depth) - 1, shift = depth - 8;
  const float bias = is_color ? 1 << (depth - 1) : is_full_range ? 0 : 16 << shift;
  const float range = is_full_range ? max : (is_color ? 224 : 219) << shift;
  for (int i = 0; i <= max; i++) table[i] = (i - bias) / range;
}

static void set_luma(float red, float blue) {
  const float green = 1 - red - blue;
  red_of_cr = 2 * (1 - red);
  blue_of_cb = 2 * (1 - blue);
  green_of_cr = 2 * red * (1 - red) / green;
  green_of_cb = 2 * blue * (1 - blue) / green;
}

static void set_matrix(int matrix, int primaries) {
  mode = BY_LUMA;
  switch (matrix) {
    case MATRIX_RGB: mode = BY_RGB; return;
    case MATRIX_YCGCO: mode = BY_YCGCO; return;
    case MATRIX_BT709: set_luma(0.2126f, 0.0722f); return;
    case MATRIX_FCC: set_luma(0.30f, 0.11f); return;
    case MATRIX_SMPTE240: set_luma(0.212f, 0.087f); return;
    case MATRIX_BT2020: set_luma(0.2627f, 0.0593f); return;
    case MATRIX_UNKNOWN: case MATRIX_BT601: case MATRIX_BT601_NTSC: set_luma(0.299f, 0.114f); return;
    case MATRIX_OF_PRIMARIES: break;
    default: FAIL(FAULT_UNSUPPORTED, "its matrix of colors is not supported");
  }
  switch (primaries) {
    case PRIMARIES_BT709: set_luma(0.2126f, 0.0722f); return;
    case PRIMARIES_BT470M: set_luma(0.2990f, 0.1146f); return;
    case PRIMARIES_BT470BG: set_luma(0.2220f, 0.0713f); return;
    case PRIMARIES_BT601: case PRIMARIES_SMPTE240: set_luma(0.2124f, 0.0866f); return;
    case PRIMARIES_BT2020: set_luma(0.2627f, 0.0593f); return;
    case PRIMARIES_P3: set_luma(0.2290f, 0.0793f); return;
    default: set_luma(0.299f, 0.114f);
  }
}

/* All frames are there. What the file states of its colors beside the frames precedes their own statement; -1 is none. */
void EXPORT(colors_are)(int matrix, int primaries, int is_full_range, int premultiplied) {
  const struct planes *color = &layers[LAYER_COLOR], *alpha = &layers[LAYER_ALPHA];
  if (color->samples[0] == NULL) FAIL(FAULT_DAMAGED, "a frame is missing");
  const int full = is_full_range < 0 ? color->is_full_range : is_full_range;
  set_matrix(matrix < 0 ? color->matrix : matrix, primaries < 0 ? color->primaries : primaries);
  if (mode == BY_RGB && (color->half_width || color->half_height)) {
    FAIL(FAULT_UNSUPPORTED, "RGB with halved colors is not supported");
  }
  fill(lights, color->depth, full, 0);
  fill(colors, color->depth, full, mode != BY_RGB);
  is_premultiplied = premultiplied;
  if (alpha->samples[0] == NULL) return;
  if (alpha->width != color->width || alpha->height != color->height) {
    FAIL(FAULT_UNSUPPORTED, "its transparency has another size");
  }
  fill(opacities, alpha->depth, alpha->is_full_range, 0);
}

static inline __attribute__((always_inline)) unsigned sample(const struct planes *of, int plane, int x, int y, int is_wide) {
  const uint8_t *row = of->samples[plane] + y * of->strides[plane];
  return is_wide ? ((const uint16_t *)row)[x] & (SAMPLES_MAX - 1) : row[x];
}

/* The neighbor of a halved sample that is nearer to this place: before or after it, itself at the edge. */
static inline __attribute__((always_inline)) int nearer(int at, int size, int is_half) {
  if (!is_half || at == 0 || (at == size - 1 && at % 2 != 0)) return 0;
  return at % 2 != 0 ? 1 : -1;
}

static inline __attribute__((always_inline)) uint8_t byte_of(float value) {
  return (uint8_t)(0.5f + 255 * (value < 0 ? 0 : value > 1 ? 1 : value));
}

static inline __attribute__((always_inline)) void put(uint8_t *to, int x, int y, int is_wide) {
  const struct planes *of = &layers[LAYER_COLOR];
  const float light = lights[sample(of, 0, x, y, is_wide)];
  if (of->is_gray) {
    to[0] = to[1] = to[2] = byte_of(light);
    return;
  }
  const int u = of->half_width ? x >> 1 : x, v = of->half_height ? y >> 1 : y;
  float cb, cr;
  if (of->half_width) {
    const int beside = u + nearer(x, of->width, 1), above = v + nearer(y, of->height, of->half_height);
    cb = colors[sample(of, 1, u, v, is_wide)] * 9 / 16 + colors[sample(of, 1, beside, v, is_wide)] * 3 / 16 +
      colors[sample(of, 1, u, above, is_wide)] * 3 / 16 + colors[sample(of, 1, beside, above, is_wide)] / 16;
    cr = colors[sample(of, 2, u, v, is_wide)] * 9 / 16 + colors[sample(of, 2, beside, v, is_wide)] * 3 / 16 +
      colors[sample(of, 2, u, above, is_wide)] * 3 / 16 + colors[sample(of, 2, beside, above, is_wide)] / 16;
  } else {
    cb = colors[sample(of, 1, u, v, is_wide)];
    cr = colors[sample(of, 2, u, v, is_wide)];
  }
  if (mode == BY_RGB) {
    to[0] = byte_of(cr), to[1] = byte_of(light), to[2] = byte_of(cb);
  } else if (mode == BY_YCGCO) {
    to[0] = byte_of(light - cb + cr), to[1] = byte_of(light + cb), to[2] = byte_of(light - cb - cr);
  } else {
    to[0] = byte_of(light + red_of_cr * cr);
    to[1] = byte_of(light - green_of_cr * cr - green_of_cb * cb);
    to[2] = byte_of(light + blue_of_cb * cb);
  }
}

static void put_opacity(uint8_t *to, int x, int y) {
  const struct planes *alpha = &layers[LAYER_ALPHA];
  const uint8_t opacity = to[3] = byte_of(opacities[sample(alpha, 0, x, y, alpha->depth > 8)]);
  if (!is_premultiplied || opacity == 255) return;
  for (int i = 0; i < 3; i++) {
    const unsigned color = opacity == 0 ? 0 : (to[i] * 255u + opacity / 2) / opacity;
    to[i] = color > 255 ? 255 : color;
  }
}

static inline __attribute__((always_inline)) void put_row(uint8_t *to, int x, int y, int step_x, int step_y, int length, int is_wide) {
  for (int i = 0; i < length; i++, x += step_x, y += step_y, to += 4) {
    put(to, x, y, is_wide);
    to[3] = 255;
  }
}

/*
 * A row of `length` pixels: its first is at `x` and `y` of the planes, and each further one a step on. The host keeps within the
 * picture; what lies outside of it is a trap or a wrong color, never another memory.
 */
void EXPORT(row)(uint8_t *to, int x, int y, int step_x, int step_y, int length) {
  if (layers[LAYER_COLOR].depth > 8) put_row(to, x, y, step_x, step_y, length, 1);
  else put_row(to, x, y, step_x, step_y, length, 0);
  if (layers[LAYER_ALPHA].samples[0] == NULL) return;
  for (int i = 0; i < length; i++, x += step_x, y += step_y, to += 4) put_opacity(to, x, y);
}
