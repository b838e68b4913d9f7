/*
 * One picture decoder of FFmpeg: H.264, HEVC, VP8 or VP9. An instance of the module decodes one track. Nothing is
 * imported but the memory. Every function returns, or the instance traps and the host drops it.
 */
#include <stdint.h>
#include <string.h>
#include "libavcodec/avcodec.h"
#include "libavcodec/codec_internal.h"
#include "libavutil/imgutils.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"

/* The names in C differ, because libc has an `open` and a `send`. */
#define EXPORT(name) __attribute__((export_name(#name))) picture_##name

extern const FFCodec ff_h264_decoder;
extern const FFCodec ff_hevc_decoder;
extern const FFCodec ff_vp8_decoder;
extern const FFCodec ff_vp9_decoder;

enum { CODEC_H264, CODEC_HEVC, CODEC_VP8, CODEC_VP9 };
/* Results of `send` and `receive`. */
enum { DONE = 0, NOTHING = -1, FAILED = -2, TOO_LARGE = -3, NO_MEMORY = -4, UNSUPPORTED = -5 };

/* What the host reads of a picture, in this order; int32 each. */
enum {
  WIDTH, HEIGHT, BIT_DEPTH, CHROMA_SHIFT_X, CHROMA_SHIFT_Y, PLANE_0, PLANE_1, PLANE_2, STRIDE_0, STRIDE_1, STRIDE_2,
  IS_FULL_RANGE, MATRIX, PRIMARIES, TRANSFER, ASPECT_X, ASPECT_Y, IS_KEY, IS_DAMAGED, FIELDS
};

static AVCodecContext *context;
static AVPacket *packet;
static AVFrame *frame;
static uint8_t *input;
static unsigned input_size;
static int32_t fields[FIELDS];
static double pts;
/* Why the decoder refused a picture, besides damage: it has no word of its own for it. */
static int refusal;

uint8_t *EXPORT(room)(int bytes) {
  av_fast_padded_malloc(&input, &input_size, bytes);
  return input;
}

/* H.264 and HEVC are decoded in 4:2:0 with 8 and 10 bits, VP8 and VP9 in all that they have. */
static int is_supported(enum AVPixelFormat format) {
  if (context->codec_id != AV_CODEC_ID_H264 && context->codec_id != AV_CODEC_ID_HEVC)
    return 1;
  return format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUV420P10;
}

static enum AVPixelFormat choose_format(AVCodecContext *c, const enum AVPixelFormat *formats) {
  /* Before the decoder allocates anything of that size. */
  if ((int64_t)c->coded_width * c->coded_height > c->max_pixels) {
    refusal = TOO_LARGE;
    return AV_PIX_FMT_NONE;
  }
  for (; *formats != AV_PIX_FMT_NONE; formats++)
    if (is_supported(*formats))
      return *formats;
  refusal = UNSUPPORTED;
  return AV_PIX_FMT_NONE;
}

static int get_buffer(AVCodecContext *c, AVFrame *f, int flags) {
  if (!is_supported(f->format)) {
    refusal = UNSUPPORTED;
    return AVERROR_PATCHWELCOME;
  }
  const int result = avcodec_default_get_buffer2(c, f, flags);
  if (result == AVERROR(ENOMEM))
    refusal = NO_MEMORY;
  return result;
}

/* Opens a decoder; its configuration is in `room`. Returns DONE or FAILED. */
int EXPORT(open)(int codec, int config_bytes, int pixels_max) {
  const FFCodec *const codecs[] = {&ff_h264_decoder, &ff_hevc_decoder, &ff_vp8_decoder, &ff_vp9_decoder};
  const FFCodec *found = codecs[codec & 3];
  context = avcodec_alloc_context3(&found->p);
  packet = av_packet_alloc();
  frame = av_frame_alloc();
  if (!context || !packet || !frame)
    return NO_MEMORY;
  if (config_bytes > 0) {
    context->extradata = av_mallocz(config_bytes + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!context->extradata)
      return NO_MEMORY;
    memcpy(context->extradata, input, config_bytes);
    context->extradata_size = config_bytes;
  }
  context->thread_count = 1;
  context->max_pixels = pixels_max;
  context->get_format = choose_format;
  context->get_buffer2 = get_buffer;
  context->error_concealment = 0;
  /* Cropping to the pixel, where the default keeps rows aligned. */
  context->flags |= AV_CODEC_FLAG_UNALIGNED;
  /* Pictures leave in their order even where the stream does not state how far they are reordered. */
  context->strict_std_compliance = FF_COMPLIANCE_STRICT;
  return avcodec_open2(context, &found->p, NULL) < 0 ? FAILED : DONE;
}

static int reason(int error) {
  if (refusal)
    return refusal;
  /* ff_set_dimensions refuses more than `max_pixels` so. */
  if (error == AVERROR(EINVAL) && context->coded_width == 0)
    return TOO_LARGE;
  return error == AVERROR(ENOMEM) ? NO_MEMORY : FAILED;
}

static void keep_input(void *opaque, uint8_t *data) {
  (void)opaque, (void)data;
}

/*
 * Hands the packet in `room` to the decoder; no bytes: what was delayed comes next. `skip` leaves out pictures that no
 * other picture needs. Every picture must be received before the next packet is put into `room`.
 */
int EXPORT(send)(int bytes, double time, int skip) {
  int result;
  refusal = 0;
  context->skip_frame = skip ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  if (bytes == 0)
    return avcodec_send_packet(context, NULL) < 0 ? FAILED : DONE;
  packet->buf = av_buffer_create(input, bytes + AV_INPUT_BUFFER_PADDING_SIZE, keep_input, NULL, AV_BUFFER_FLAG_READONLY);
  if (!packet->buf)
    return NO_MEMORY;
  packet->data = input;
  packet->size = bytes;
  packet->pts = (int64_t)time;
  result = avcodec_send_packet(context, packet);
  av_packet_unref(packet);
  return result < 0 ? reason(result) : DONE;
}

/* The next picture; its properties are in `fields` and `time`. */
int EXPORT(receive)(void) {
  av_frame_unref(frame);
  const int result = avcodec_receive_frame(context, frame);
  if (result == AVERROR(EAGAIN) || result == AVERROR_EOF)
    return NOTHING;
  if (result < 0)
    return reason(result);
  const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
  if (!format || format->nb_components < 3 || !frame->data[1] || !frame->data[2])
    return UNSUPPORTED;
  const int is_rgb = (format->flags & AV_PIX_FMT_FLAG_RGB) != 0;
  fields[WIDTH] = frame->width;
  fields[HEIGHT] = frame->height;
  fields[BIT_DEPTH] = format->comp[0].depth;
  fields[CHROMA_SHIFT_X] = format->log2_chroma_w;
  fields[CHROMA_SHIFT_Y] = format->log2_chroma_h;
  for (int i = 0; i < 3; i++) {
    fields[PLANE_0 + i] = (int32_t)(uintptr_t)frame->data[i];
    fields[STRIDE_0 + i] = frame->linesize[i];
  }
  fields[IS_FULL_RANGE] = frame->color_range == AVCOL_RANGE_JPEG || frame->format == AV_PIX_FMT_YUVJ420P;
  fields[MATRIX] = is_rgb ? AVCOL_SPC_RGB : frame->colorspace;
  fields[PRIMARIES] = frame->color_primaries;
  fields[TRANSFER] = frame->color_trc;
  fields[ASPECT_X] = frame->sample_aspect_ratio.num;
  fields[ASPECT_Y] = frame->sample_aspect_ratio.den;
  fields[IS_KEY] = frame->key_frame;
  fields[IS_DAMAGED] = frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0;
  pts = (double)frame->pts;
  return DONE;
}

const int32_t *EXPORT(fields)(void) {
  return fields;
}

double EXPORT(time)(void) {
  return pts;
}

/* Forgets what was delayed, before a jump. */
void EXPORT(reset)(void) {
  avcodec_flush_buffers(context);
}
