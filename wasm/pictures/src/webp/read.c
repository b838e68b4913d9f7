/*
 * Reads a WebP from top to bottom. The library's functions decode into a picture of full size; here its own parts are
 * called for some rows at a time, and write into a ring of a few rows. The file lies in the memory.
 */
#include "host.h"
#include "src/dec/vp8i_dec.h"
#include "src/dec/vp8li_dec.h"
#include "src/dec/webpi_dec.h"

/*
 * One row of blocks gives 16 rows and at most 8 more, which the loop filter and the upsampling had left over; the last one also
 * gives those that it would have left.
 */
enum { RING_ROWS = 64, LOSSLESS_ROWS = 16 };

static WebPHeaderStructure headers;
static WebPDecParams params;
static WebPDecoderOptions options;
static WebPDecBuffer output;
static VP8Io io;
static VP8Decoder *lossy;
static VP8LDecoder *lossless;
static VP8IoPutHook put_rows;
static uint8_t *ring;
static int has_alpha, next_row;

static _Noreturn void fail_as_stated(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY: FAIL(FAULT_NO_MEMORY, "libwebp has no memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE: FAIL(FAULT_UNSUPPORTED, "libwebp does not read this kind");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: FAIL(FAULT_DAMAGED, "the data end early");
    default: FAIL(FAULT_DAMAGED, "the data are wrong");
  }
}

/* The library addresses rows by their number in the picture: the next one is to be the first of the ring. */
static uint8_t *origin(int first) {
  return ring - (ptrdiff_t)first * output.u.RGBA.stride;
}

static int put_in_ring(const VP8Io *rows) {
  output.u.RGBA.rgba = origin(next_row);
  return put_rows(rows);
}

static void begin_lossy(void) {
  lossy = VP8New();
  if (lossy == NULL) fail_as_stated(VP8_STATUS_OUT_OF_MEMORY);
  lossy->alpha_data_ = headers.alpha_data;
  lossy->alpha_data_size_ = headers.alpha_data_size;
  if (!VP8GetHeaders(lossy, &io)) fail_as_stated(lossy->status_);
}

static void begin_lossless(void) {
  lossless = VP8LNew();
  if (lossless == NULL) fail_as_stated(VP8_STATUS_OUT_OF_MEMORY);
  if (!VP8LDecodeHeader(lossless, &io)) fail_as_stated(lossless->status_);
}

/* Begins to read the file at `file`, whose header is to state this size. */
void EXPORT(start)(const uint8_t *file, size_t length, int width, int height) {
  headers.data = file;
  headers.data_size = length;
  headers.have_all_data = 1;
  VP8StatusCode status = WebPParseHeaders(&headers);
  if (status != VP8_STATUS_OK) fail_as_stated(status);
  WebPBitstreamFeatures features;
  status = WebPGetFeatures(file, length, &features);
  if (status != VP8_STATUS_OK) fail_as_stated(status);
  if (features.has_animation) FAIL(FAULT_UNSUPPORTED, "the file is an animation");
  has_alpha = features.has_alpha;
  if (!WebPInitDecBuffer(&output) || !VP8InitIo(&io)) {
    FAIL(FAULT_UNSUPPORTED, "the headers are of another version of the library");
  }
  WebPResetDecParams(&params);
  output.colorspace = MODE_RGBA;
  output.is_external_memory = 1;
  params.output = &output;
  params.options = &options;
  io.data = headers.data + headers.offset;
  io.data_size = headers.data_size - headers.offset;
  WebPInitCustomIo(&params, &io);
  if (headers.is_lossless) begin_lossless();
  else begin_lossy();
  if (io.width != width || io.height != height) FAIL(FAULT_DAMAGED, "the picture has another size than its header");
  output.width = io.width;
  output.height = io.height;
  output.u.RGBA.stride = io.width * 4;
  output.u.RGBA.size = (size_t)output.u.RGBA.stride * io.height;
  ring = WebPMalloc((size_t)output.u.RGBA.stride * RING_ROWS);
  if (ring == NULL) fail_as_stated(VP8_STATUS_OUT_OF_MEMORY);
  if (lossless != NULL) {
    /* Its first rows only; `lossless_rows` moves the end on. */
    options.use_cropping = 1;
    options.crop_width = io.width;
    options.crop_height = io.height < LOSSLESS_ROWS ? io.height : LOSSLESS_ROWS;
    return;
  }
  put_rows = io.put;
  io.put = put_in_ring;
  status = VP8EnterCritical(lossy, &io);
  if (status != VP8_STATUS_OK) fail_as_stated(status);
  if (!VP8InitFrame(lossy, &io)) fail_as_stated(lossy->status_);
  lossy->mb_y_ = 0;
}

uint8_t *EXPORT(pixels)(void) {
  return ring;
}

/* A row of blocks: as ParseFrame of vp8_dec.c. */
static void lossy_rows(void) {
  VP8BitReader *tokens = &lossy->parts_[lossy->mb_y_ & lossy->num_parts_minus_one_];
  if (!VP8ParseIntraModeRow(&lossy->br_, lossy)) fail_as_stated(VP8_STATUS_NOT_ENOUGH_DATA);
  for (; lossy->mb_x_ < lossy->mb_w_; lossy->mb_x_++) {
    if (!VP8DecodeMB(lossy, tokens)) fail_as_stated(VP8_STATUS_NOT_ENOUGH_DATA);
  }
  VP8InitScanline(lossy);
  if (!VP8ProcessRow(lossy, &io)) {
    fail_as_stated(lossy->status_ == VP8_STATUS_OK ? VP8_STATUS_BITSTREAM_ERROR : lossy->status_);
  }
  lossy->mb_y_++;
}

/* The decoder goes on from where it stopped, up to the end of the crop. */
static void lossless_rows(void) {
  output.u.RGBA.rgba = origin(next_row);
  if (!VP8LDecodeImage(lossless)) fail_as_stated(lossless->status_);
  io.crop_bottom += LOSSLESS_ROWS;
  if (io.crop_bottom > io.height) io.crop_bottom = io.height;
}

/* A file whose header states that no pixel is transparent has none, whatever its fourth channel says. */
static void make_opaque(int count) {
  uint8_t *end = ring + (size_t)count * output.u.RGBA.stride;
  for (uint8_t *alpha = ring + 3; alpha < end; alpha += 4) *alpha = 255;
}

/* The next rows are at `pixels`. Returns their number, 0 at the end. */
int EXPORT(rows)(void) {
  while (next_row < io.height) {
    if (lossless != NULL) {
      lossless_rows();
    } else if (lossy->mb_y_ < lossy->br_mb_y_) {
      lossy_rows();
    } else {
      FAIL(FAULT_DAMAGED, "rows are missing");
    }
    const int count = params.last_y - next_row;
    if (count > 0) {
      next_row = params.last_y;
      if (!has_alpha) make_opaque(count);
      return count;
    }
    if (lossless != NULL) FAIL(FAULT_DAMAGED, "rows are missing");
  }
  return 0;
}
