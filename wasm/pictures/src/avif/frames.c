/*
 * Decodes the coded frames of an AVIF by dav1d and holds their planes. A picture in cells (a grid) has a frame for each, which
 * are copied into planes of the whole.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "dav1d/dav1d.h"
#include "own.h"

struct planes layers[2];

/* Of log.c, which writes to a file. It is never called: the settings name no callback. */
void dav1d_log_default_callback(void *cookie, const char *format, va_list values) {}

static void keep_bytes(const uint8_t *bytes, void *of) {
  (void)bytes;
  (void)of;
}

static _Noreturn void fail_as_stated(int result) {
  if (result == DAV1D_ERR(ENOMEM)) FAIL(FAULT_NO_MEMORY, "dav1d has no memory");
  /* So it refuses frames above the limit of pixels. */
  if (result == DAV1D_ERR(ERANGE)) FAIL(FAULT_DAMAGED, "the picture has another size than its header");
  FAIL(FAULT_DAMAGED, "the data are wrong");
}

/* The types of units that begin a frame, by the numbers of AV1's specification. */
enum { UNIT_FRAME_HEADER = 3, UNIT_FRAME = 6, UNIT_REDUNDANT_FRAME_HEADER = 7 };

/*
 * A picture shows one frame, or one in a few qualities, but its data may hold any number that are decoded and never shown: a
 * small file would take minutes. Counts them by the headers of the units, before anything is decoded.
 */
static void check_frames(const uint8_t *bytes, size_t length) {
  int frames = 0;
  for (size_t at = 0; at < length;) {
    const uint8_t header = bytes[at++];
    const int type = header >> 3 & 15, has_extension = header >> 2 & 1, has_size = header >> 1 & 1;
    if (type == UNIT_FRAME_HEADER || type == UNIT_FRAME || type == UNIT_REDUNDANT_FRAME_HEADER) frames++;
    if (frames > FRAMES_MAX) FAIL(FAULT_DAMAGED, "the picture has more frames than any layers need");
    at += has_extension;
    /* Without a size it is the last. */
    if (!has_size) return;
    uint64_t size = 0;
    for (int i = 0; i < 8; i++) {
      if (at >= length) FAIL(FAULT_DAMAGED, "the data end early");
      const uint8_t byte = bytes[at++];
      size |= (uint64_t)(byte & 127) << (7 * i);
      if (byte < 128) break;
    }
    if (size > length - at) FAIL(FAULT_DAMAGED, "the data end early");
    at += size;
  }
}

/* The number of pixels, which the decoder takes as its limit: 0 would be none. */
static unsigned pixels_of(int width, int height) {
  unsigned pixels;
  if (width <= 0 || height <= 0 || __builtin_mul_overflow((unsigned)width, (unsigned)height, &pixels)) {
    FAIL(FAULT_DAMAGED, "the picture has no possible size");
  }
  return pixels;
}

static Dav1dPicture decode(const uint8_t *bytes, size_t length, int operating_point, unsigned pixels_max) {
  check_frames(bytes, length);
  Dav1dSettings settings;
  dav1d_default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.operating_point = operating_point;
  settings.frame_size_limit = pixels_max;
  settings.logger.callback = NULL;
  Dav1dContext *decoder = NULL;
  int result = dav1d_open(&decoder, &settings);
  if (result < 0) fail_as_stated(result);
  Dav1dData data = {0};
  result = dav1d_data_wrap(&data, bytes, length, keep_bytes, NULL);
  if (result < 0) fail_as_stated(result);
  Dav1dPicture picture = {0};
  for (;;) {
    if (data.sz > 0) {
      result = dav1d_send_data(decoder, &data);
      if (result < 0 && result != DAV1D_ERR(EAGAIN)) fail_as_stated(result);
    }
    result = dav1d_get_picture(decoder, &picture);
    if (result == 0) break;
    if (result != DAV1D_ERR(EAGAIN)) fail_as_stated(result);
    /* The second call without data asks for the last picture. */
    if (data.sz == 0 && (result = dav1d_get_picture(decoder, &picture)) == 0) break;
    if (data.sz == 0) FAIL(FAULT_DAMAGED, "the data end early");
  }
  dav1d_data_unref(&data);
  /* The picture stays: it has a reference of its own. */
  dav1d_close(&decoder);
  return picture;
}

static struct planes planes_of(const Dav1dPicture *picture) {
  const Dav1dSequenceHeader *sequence = picture->seq_hdr;
  struct planes planes = {
    .width = picture->p.w,
    .height = picture->p.h,
    .depth = picture->p.bpc,
    .half_width = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420 || picture->p.layout == DAV1D_PIXEL_LAYOUT_I422,
    .half_height = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420,
    .is_gray = picture->p.layout == DAV1D_PIXEL_LAYOUT_I400,
    .matrix = sequence->mtrx,
    .primaries = sequence->pri,
    .is_full_range = sequence->color_range,
  };
  for (int i = 0; i < 3; i++) {
    planes.samples[i] = picture->data[i];
    planes.strides[i] = picture->stride[i > 0];
  }
  return planes;
}

/* The dimension of plane `i`. */
static int side(int full, int is_half, int i) {
  return i > 0 && is_half ? full / 2 + full % 2 : full;
}

static void make_room(struct planes *whole, const struct planes *cell, int width, int height, int is_alpha) {
  *whole = *cell;
  whole->width = width;
  whole->height = height;
  const int count = is_alpha || cell->is_gray ? 1 : 3;
  const size_t bytes = cell->depth > 8 ? 2 : 1;
  for (int i = 0; i < count; i++) {
    const size_t columns = side(width, cell->half_width, i), rows = side(height, cell->half_height, i);
    size_t stride, room;
    if (__builtin_mul_overflow(columns, bytes, &stride) || stride > PTRDIFF_MAX ||
        __builtin_mul_overflow(stride, rows, &room)) {
      FAIL(FAULT_NO_MEMORY, "there is no memory for the whole of the cells");
    }
    whole->strides[i] = stride;
    whole->samples[i] = malloc(room);
    if (whole->samples[i] == NULL) FAIL(FAULT_NO_MEMORY, "there is no memory for the whole of the cells");
  }
}

static void copy_cell(struct planes *whole, const struct planes *cell, int left, int top, int is_alpha) {
  const int count = is_alpha || cell->is_gray ? 1 : 3;
  const size_t bytes = cell->depth > 8 ? 2 : 1;
  /* The last cells may reach beyond the picture. */
  const int width = cell->width > whole->width - left ? whole->width - left : cell->width;
  const int height = cell->height > whole->height - top ? whole->height - top : cell->height;
  for (int i = 0; i < count; i++) {
    const int x = i > 0 && cell->half_width ? left / 2 : left, y = i > 0 && cell->half_height ? top / 2 : top;
    uint8_t *to = (uint8_t *)whole->samples[i] + y * whole->strides[i] + x * bytes;
    for (int row = 0; row < side(height, cell->half_height, i); row++) {
      memcpy(to + row * whole->strides[i], cell->samples[i] + row * cell->strides[i],
        side(width, cell->half_width, i) * bytes);
    }
  }
}

/* Decodes the only frame of a layer, which has this size. */
void EXPORT(frame)(enum layer layer, const uint8_t *bytes, size_t length, int operating_point, int width, int height) {
  const Dav1dPicture picture = decode(bytes, length, operating_point, pixels_of(width, height));
  if (picture.p.w != width || picture.p.h != height) FAIL(FAULT_DAMAGED, "the picture has another size than its header");
  layers[layer] = planes_of(&picture);
}

/* Decodes a cell, which has this size, into the layer: its upper left corner is at `left` and `top`, within `width` and `height`. */
void EXPORT(cell)(
  enum layer layer, const uint8_t *bytes, size_t length, int operating_point, int cell_width, int cell_height, int left,
  int top, int width, int height
) {
  pixels_of(width, height);
  Dav1dPicture picture = decode(bytes, length, operating_point, pixels_of(cell_width, cell_height));
  if (picture.p.w != cell_width || picture.p.h != cell_height) {
    FAIL(FAULT_DAMAGED, "a cell has another size than its header");
  }
  const struct planes cell = planes_of(&picture);
  struct planes *whole = &layers[layer];
  if (whole->samples[0] == NULL) make_room(whole, &cell, width, height, layer == LAYER_ALPHA);
  const int is_alike = whole->width == width && whole->height == height && whole->depth == cell.depth &&
    whole->half_width == cell.half_width && whole->half_height == cell.half_height && whole->is_gray == cell.is_gray;
  if (!is_alike) FAIL(FAULT_DAMAGED, "the cells are not alike");
  const int is_odd = (cell.half_width && left % 2 != 0) || (cell.half_height && top % 2 != 0);
  if (left < 0 || top < 0 || left >= width || top >= height || is_odd) FAIL(FAULT_DAMAGED, "a cell has no place");
  copy_cell(whole, &cell, left, top, layer == LAYER_ALPHA);
  dav1d_picture_unref(&picture);
}
