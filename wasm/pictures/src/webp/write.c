/*
 * Writes a lossy WebP from rows of RGBA, whose fourth sample is passed over. The rows become planes (1.5 bytes for each
 * pixel) as they come; the transparency is written by the host (src/images/webp/encode-alpha.ts).
 */
#include <string.h>
#include "host.h"
#include "src/webp/encode.h"

static WebPPicture picture;
static WebPConfig config;
static int filled;

/*
 * Once it writes, the library has its result and releases its buffers one after another. They stay instead: the host reads
 * the longer ones where they lie, and drops the instance.
 */
static int is_writing;

void __real_WebPSafeFree(void *memory);

void __wrap_WebPSafeFree(void *memory) {
  if (!is_writing) __real_WebPSafeFree(memory);
}

static int pass_on(const uint8_t *bytes, size_t length, const WebPPicture *of) {
  (void)of;
  is_writing = 1;
  host_write(bytes, length);
  return 1;
}

/* `quality` is 1 to 100. */
void EXPORT(begin)(int width, int height, float quality) {
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) {
    FAIL(FAULT_UNSUPPORTED, "the headers are of another version of the library");
  }
  config.quality = quality;
  /* Else the codes of all blocks are collected first, which takes 12 bytes more for each pixel of noise. */
  config.low_memory = 1;
  picture.width = width;
  picture.height = height;
  picture.colorspace = WEBP_YUV420;
  picture.writer = pass_on;
  if (!WebPPictureAlloc(&picture)) FAIL(FAULT_NO_MEMORY, "libwebp has no memory for the picture");
}

static void copy_rows(uint8_t *to, int to_stride, const uint8_t *from, int from_stride, int width, int count) {
  for (int y = 0; y < count; y++) memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, width);
}

/* The next rows. Their number is even, except at the end: colors are stored for 2 by 2 pixels. */
void EXPORT(add)(const uint8_t *pixels, int count) {
  WebPPicture rows;
  if (!WebPPictureInit(&rows)) FAIL(FAULT_UNSUPPORTED, "the headers are of another version of the library");
  rows.width = picture.width;
  rows.height = count;
  if (!WebPPictureImportRGBX(&rows, pixels, picture.width * 4)) {
    FAIL(FAULT_NO_MEMORY, "libwebp has no memory for rows");
  }
  const int half = filled / 2, half_width = (picture.width + 1) / 2, half_count = (count + 1) / 2;
  copy_rows(picture.y + (size_t)filled * picture.y_stride, picture.y_stride, rows.y, rows.y_stride, picture.width, count);
  copy_rows(picture.u + (size_t)half * picture.uv_stride, picture.uv_stride, rows.u, rows.uv_stride, half_width, half_count);
  copy_rows(picture.v + (size_t)half * picture.uv_stride, picture.uv_stride, rows.v, rows.uv_stride, half_width, half_count);
  filled += count;
  WebPPictureFree(&rows);
}

void EXPORT(end)(void) {
  if (WebPEncode(&config, &picture)) return;
  if (picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY || picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY) {
    FAIL(FAULT_NO_MEMORY, "libwebp has no memory");
  }
  FAIL(FAULT_UNSUPPORTED, "libwebp does not write this picture");
}
