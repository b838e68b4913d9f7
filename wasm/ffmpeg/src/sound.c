/*
 * One sound decoder of FFmpeg: AAC (LC, HE v1 and v2), ALAC or Vorbis. An instance of the module decodes one track.
 * Nothing is imported but the memory. Every function returns, or the instance traps and the host drops it.
 */
#include <stdint.h>
#include <string.h>
#include "libavcodec/avcodec.h"
#include "libavcodec/codec_internal.h"
#include "libavutil/mem.h"

/* The names in C differ, because libc has an `open` and a `send`. */
#define EXPORT(name) __attribute__((export_name(#name))) sound_##name

extern const FFCodec ff_aac_decoder;
extern const FFCodec ff_alac_decoder;
extern const FFCodec ff_vorbis_decoder;

enum { CODEC_AAC, CODEC_ALAC, CODEC_VORBIS };
enum { CHANNELS_MAX = 8, FRAMES_MAX = 8192 };
/* Results of `receive` besides a number of frames. */
enum { NOTHING = -1, FAILED = -2 };

static AVCodecContext *context;
static AVPacket *packet;
static AVFrame *frame;
static uint8_t *input;
static unsigned input_size;
static float *planes[CHANNELS_MAX];
static unsigned plane_sizes[CHANNELS_MAX];
/* Whether the samples of the frame lie in `planes`, because the decoder has integers. */
static int is_converted;

/* Room for so many bytes of a packet or of a configuration, with the padding that decoders read; 0 without memory. */
uint8_t *EXPORT(room)(int bytes) {
  av_fast_padded_malloc(&input, &input_size, bytes);
  return input;
}

/* Opens a decoder; its configuration is in `room`. Returns 0, or FAILED. */
int EXPORT(open)(int codec, int config_bytes, int rate, int channels) {
  const FFCodec *found = codec == CODEC_AAC ? &ff_aac_decoder : codec == CODEC_ALAC ? &ff_alac_decoder : &ff_vorbis_decoder;
  context = avcodec_alloc_context3(&found->p);
  packet = av_packet_alloc();
  frame = av_frame_alloc();
  if (!context || !packet || !frame)
    return FAILED;
  if (config_bytes > 0) {
    context->extradata = av_mallocz(config_bytes + AV_INPUT_BUFFER_PADDING_SIZE);
    if (!context->extradata)
      return FAILED;
    memcpy(context->extradata, input, config_bytes);
    context->extradata_size = config_bytes;
  }
  context->thread_count = 1;
  context->sample_rate = rate;
  context->max_samples = FRAMES_MAX * CHANNELS_MAX;
  context->err_recognition = AV_EF_EXPLODE;
  context->request_sample_fmt = AV_SAMPLE_FMT_FLTP;
  if (channels > 0)
    av_channel_layout_default(&context->ch_layout, channels);
  return avcodec_open2(context, &found->p, NULL) < 0 ? FAILED : 0;
}

/* Hands the packet in `room` to the decoder; no bytes: what was delayed comes next. Returns 0, or FAILED. */
int EXPORT(send)(int bytes) {
  if (bytes == 0)
    return avcodec_send_packet(context, NULL) < 0 ? FAILED : 0;
  /* Without a buffer of its own, the packet is copied by the decoder. */
  packet->data = input;
  packet->size = bytes;
  return avcodec_send_packet(context, packet) < 0 ? FAILED : 0;
}

static int to_floats(int channels, int frames) {
  const int is_planar = frame->format == AV_SAMPLE_FMT_S16P || frame->format == AV_SAMPLE_FMT_S32P;
  for (int channel = 0; channel < channels; channel++) {
    const void *samples = frame->extended_data[channel];
    av_fast_malloc(&planes[channel], &plane_sizes[channel], frames * sizeof(float));
    if (!is_planar || !planes[channel])
      return FAILED;
    float *out = planes[channel];
    if (frame->format == AV_SAMPLE_FMT_S16P)
      for (int i = 0; i < frames; i++)
        out[i] = ((const int16_t *)samples)[i] * (1.0f / 32768);
    else
      for (int i = 0; i < frames; i++)
        out[i] = ((const int32_t *)samples)[i] * (1.0f / 2147483648.0f);
  }
  return frames;
}

/* Whether a sample is infinite or not a number, as the exponent shows: what follows would carry it on without end. */
static int has_infinity(int channels, int frames) {
  uint32_t found = 0;
  for (int channel = 0; channel < channels; channel++) {
    const uint32_t *bits = (const uint32_t *)frame->extended_data[channel];
    for (int i = 0; i < frames; i++)
      found |= (bits[i] & 0x7f800000) == 0x7f800000;
  }
  return found != 0;
}

/* The next decoded samples: their number in each channel, NOTHING or FAILED. */
int EXPORT(receive)(void) {
  av_frame_unref(frame);
  int result = avcodec_receive_frame(context, frame);
  if (result == AVERROR(EAGAIN) || result == AVERROR_EOF)
    return NOTHING;
  const int channels = frame->ch_layout.nb_channels;
  if (result < 0 || channels < 1 || channels > CHANNELS_MAX || frame->nb_samples > FRAMES_MAX)
    return FAILED;
  is_converted = frame->format != AV_SAMPLE_FMT_FLTP;
  if (is_converted)
    return to_floats(channels, frame->nb_samples);
  return has_infinity(channels, frame->nb_samples) ? FAILED : frame->nb_samples;
}

/* Properties of the samples that `receive` returned. */
int EXPORT(channels)(void) {
  return frame->ch_layout.nb_channels;
}

int EXPORT(rate)(void) {
  return frame->sample_rate;
}

/* Valid until the next call. */
const float *EXPORT(plane)(int channel) {
  return is_converted ? planes[channel] : (const float *)frame->extended_data[channel];
}

/* Forgets what was delayed, before a jump. */
void EXPORT(reset)(void) {
  avcodec_flush_buffers(context);
}
