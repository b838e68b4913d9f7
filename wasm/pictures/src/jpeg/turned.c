/*
 * The rows of a picture that its EXIF turns: its samples are held as they are stored (colors mostly at half the sides),
 * and made to pixels as libjpeg does, to the bit, but in any order.
 */
#include "own.h"

enum { COLUMNS_MAX = 32 };

static struct samples {
  JSAMPLE *data;
  size_t stride;
  int width, height;
  /* 2 where the picture has two pixels for a sample, else 1; others are repeated. */
  int h, v;
  /* A row with the row beside it, and the samples of a row at the picture's width. */
  int *mixed;
  JSAMPLE *spread;
} held[MAX_COMPONENTS];

static int width, height, components, h_max, v_max;
static J_COLOR_SPACE colors;

static void *take(size_t bytes) {
  void *taken = malloc(bytes);
  if (taken == NULL) FAIL(FAULT_NO_MEMORY, "no room for samples");
  return taken;
}

void hold_samples(j_decompress_ptr reader) {
  static JSAMPROW rows[MAX_COMPONENTS][MAX_SAMP_FACTOR * DCTSIZE];
  JSAMPARRAY planes[MAX_COMPONENTS];
  width = reader->image_width;
  height = reader->image_height;
  components = reader->num_components;
  colors = reader->jpeg_color_space;
  h_max = reader->max_h_samp_factor;
  v_max = reader->max_v_samp_factor;
  const int units = reader->total_iMCU_rows;
  for (int i = 0; i < components; i++) {
    const jpeg_component_info *component = &reader->comp_info[i];
    struct samples *samples = &held[i];
    *samples = (struct samples){
      .stride = (size_t)component->width_in_blocks * DCTSIZE,
      .width = component->downsampled_width,
      .height = component->downsampled_height,
      .h = component->h_samp_factor,
      .v = component->v_samp_factor,
    };
    if (h_max % samples->h != 0 || v_max % samples->v != 0)
      FAIL(FAULT_UNSUPPORTED, "sampling factors that do not divide one another");
    samples->data = take(samples->stride * samples->v * DCTSIZE * units);
    samples->mixed = take(samples->width * sizeof(int));
    samples->spread = take(width);
    planes[i] = rows[i];
  }
  for (int unit = 0; unit < units; unit++) {
    for (int i = 0; i < components; i++) {
      const struct samples *samples = &held[i];
      const int high = samples->v * DCTSIZE;
      for (int row = 0; row < high; row++)
        rows[i][row] = samples->data + ((size_t)unit * high + row) * samples->stride;
    }
    jpeg_read_raw_data(reader, planes, v_max * DCTSIZE);
  }
}

static const JSAMPLE *row_of(const struct samples *samples, int row) {
  return samples->data + row * samples->stride;
}

/* Three parts of the nearest row and one of the next, with a sample on each side of the span; or the row itself. */
static void mix(const struct samples *samples, int y, int is_half, int start, int end) {
  const int first = start > 0 ? start - 1 : 0;
  const int last = end < samples->width ? end + 1 : samples->width;
  if (!is_half) {
    const JSAMPLE *row = row_of(samples, y);
    for (int x = first; x < last; x++) samples->mixed[x] = row[x];
    return;
  }
  const int near = y >> 1;
  int beside = y & 1 ? near + 1 : near - 1;
  if (beside < 0) beside = 0;
  if (beside >= samples->height) beside = samples->height - 1;
  const JSAMPLE *near_row = row_of(samples, near), *next_row = row_of(samples, beside);
  for (int x = first; x < last; x++) samples->mixed[x] = 3 * near_row[x] + next_row[x];
}

/* The samples of row `y` for the columns from `start` to `end`, by the picture's columns: as jdsample.c chooses. */
static const JSAMPLE *spread(const struct samples *samples, int y, int start, int end) {
  const int across = h_max / samples->h, down = v_max / samples->v;
  JSAMPLE *out = samples->spread;
  if (across == 1 && down == 1) return row_of(samples, y);
  if (across == 2 && down <= 2 && samples->width > 2) {
    const int even = down == 2 ? 8 : 1, odd = down == 2 ? 7 : 2, shift = down == 2 ? 4 : 2;
    mix(samples, y, down == 2, start >> 1, ((end - 1) >> 1) + 1);
    for (int x = start; x < end; x++) {
      const int at = x >> 1, near = 3 * samples->mixed[at];
      const int before = samples->mixed[at == 0 ? 0 : at - 1];
      const int after = samples->mixed[at == samples->width - 1 ? at : at + 1];
      out[x] = x & 1 ? (near + after + odd) >> shift : (near + before + even) >> shift;
    }
    return out;
  }
  if (across == 1 && down == 2) {
    const int bias = y & 1 ? 2 : 1;
    mix(samples, y, 1, start, end);
    for (int x = start; x < end; x++) out[x] = (samples->mixed[x] + bias) >> 2;
    return out;
  }
  const JSAMPLE *row = row_of(samples, y / down);
  for (int x = start; x < end; x++) out[x] = row[x / across];
  return out;
}

static uint8_t clamped(int value) {
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Pixels of row `y` from column `start` to `end`, as RGBA, or CMYK as stored. */
static void read_pixels(int y, int start, int end, uint8_t *pixels) {
  uint8_t *to = pixels;
  const JSAMPLE *parts[MAX_COMPONENTS];
  for (int i = 0; i < components; i++) parts[i] = spread(&held[i], y, start, end);
  for (int x = start; x < end; x++, to += 4) {
    const int first = parts[0][x];
    to[3] = 255;
    if (colors == JCS_GRAYSCALE) {
      to[0] = to[1] = to[2] = first;
    } else if (colors == JCS_RGB || colors == JCS_CMYK) {
      for (int i = 0; i < components; i++) to[i] = parts[i][x];
    } else {
      /* jdcolor.c, with 16 bits of fraction. YCCK is the opposite of these colors, with black as it is. */
      const int blue = parts[1][x] - 128, red = parts[2][x] - 128;
      const int opposite = colors == JCS_YCCK ? 255 : 0;
      to[0] = clamped(first + ((91881 * red + 32768) >> 16)) ^ opposite;
      to[1] = clamped(first + ((-22554 * blue - 46802 * red + 32768) >> 16)) ^ opposite;
      to[2] = clamped(first + ((116130 * blue + 32768) >> 16)) ^ opposite;
      if (components == 4) to[3] = parts[3][x];
    }
  }
}

static void reverse(uint32_t *pixels, int count) {
  for (int low = 0, high = count - 1; low < high; low++, high--) {
    const uint32_t pixel = pixels[low];
    pixels[low] = pixels[high];
    pixels[high] = pixel;
  }
}

/* Writes `count` rows (32 at most) from row `top` on, of the picture turned by an EXIF orientation of 3 to 8. */
void EXPORT(turned)(int orientation, int top, int count, uint32_t *to) {
  if (orientation <= 4) {
    for (int i = 0; i < count; i++) {
      uint32_t *row = to + (size_t)i * width;
      read_pixels(height - 1 - top - i, 0, width, (uint8_t *)row);
      if (orientation == 3) reverse(row, width);
    }
    return;
  }
  /* Rows are stored as columns: from the left, or for 7 and 8 from the right. */
  uint32_t span[COLUMNS_MAX];
  const int is_reversed = orientation >= 7;
  const int start = is_reversed ? width - top - count : top;
  for (int x = 0; x < height; x++) {
    const int row = orientation == 5 || orientation == 8 ? x : height - 1 - x;
    read_pixels(row, start, start + count, (uint8_t *)span);
    for (int i = 0; i < count; i++) to[(size_t)i * height + x] = span[is_reversed ? count - 1 - i : i];
  }
}
