/*
 * What FFmpeg's decoders would take from an operating system or from parts of FFmpeg that decoding does not need: the
 * log, texts, the parser of options, the list of all codecs, encoding. Linked before FFmpeg's libraries, these
 * definitions take the place of theirs; a name that is missing here would bring an import into the module, 
 * prove.sh refuses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "libavcodec/avcodec.h"
#include "libavcodec/encode.h"
#include "libavutil/eval.h"
#include "libavutil/log.h"
#include "libavutil/parseutils.h"

/* libavutil/log.c: text of a decoder is neither shown nor kept. */
const char *av_default_item_name(void *context) {
  return (*(AVClass **)context)->class_name;
}

void av_log(void *context, int level, const char *format, ...) {
  (void)context, (void)level, (void)format;
}

void av_vlog(void *context, int level, const char *format, va_list values) {
  (void)context, (void)level, (void)format, (void)values;
}

void av_log_once(void *context, int first, int later, int *state, const char *format, ...) {
  (void)context, (void)first, (void)later, (void)state, (void)format;
}

int av_log_get_level(void) {
  return AV_LOG_QUIET;
}

void avpriv_request_sample(void *context, const char *message, ...) {
  (void)context, (void)message;
}

void avpriv_report_missing_feature(void *context, const char *message, ...) {
  (void)context, (void)message;
}

/* libc: only texts for the log and for descriptions are written with these. */
int vsnprintf(char *text, size_t size, const char *format, va_list values) {
  (void)format, (void)values;
  if (size > 0)
    text[0] = 0;
  return 0;
}

int snprintf(char *text, size_t size, const char *format, ...) {
  (void)format;
  if (size > 0)
    text[0] = 0;
  return 0;
}

/* libc: reads a version out of a text; the formats of the decoders have plain characters and %d only. */
int sscanf(const char *text, const char *format, ...) {
  va_list values;
  int count = 0;
  va_start(values, format);
  for (; *format; format++) {
    if (format[0] == '%' && format[1] == 'd') {
      char *end;
      const long value = strtol(text, &end, 10);
      if (end == text)
        break;
      *va_arg(values, int *) = value;
      text = end;
      format++;
      count++;
    } else if (*format == ' ') {
      while (*text == ' ')
        text++;
    } else if (*text++ != *format) {
      break;
    }
  }
  va_end(values);
  return count;
}

/* libc: a failed assertion ends the instance, which the host drops. */
void abort(void) {
  __builtin_trap();
}

/* libavcodec/allcodecs.c: the shells name the decoders that they open, so that a module has no others. */
const AVCodec *avcodec_find_decoder(enum AVCodecID id) {
  (void)id;
  return NULL;
}

const AVCodec *avcodec_find_encoder(enum AVCodecID id) {
  (void)id;
  return NULL;
}

const AVCodec *av_codec_iterate(void **position) {
  (void)position;
  return NULL;
}

/* libavcodec/encode.c */
int ff_encode_preinit(AVCodecContext *context) {
  (void)context;
  return AVERROR(ENOSYS);
}

int avcodec_default_get_encode_buffer(AVCodecContext *context, AVPacket *packet, int flags) {
  (void)context, (void)packet, (void)flags;
  return AVERROR(ENOSYS);
}

/* libavutil/parseutils.c and eval.c: values of options as text, which the shells do not set. */
int av_parse_video_size(int *width, int *height, const char *text) {
  (void)width, (void)height, (void)text;
  return AVERROR(ENOSYS);
}

int av_parse_video_rate(AVRational *rate, const char *text) {
  (void)rate, (void)text;
  return AVERROR(ENOSYS);
}

int av_parse_color(uint8_t *color, const char *text, int length, void *context) {
  (void)color, (void)text, (void)length, (void)context;
  return AVERROR(ENOSYS);
}

int av_parse_time(int64_t *time, const char *text, int is_duration) {
  (void)time, (void)text, (void)is_duration;
  return AVERROR(ENOSYS);
}

int av_expr_parse_and_eval(double *value, const char *text, const char *const *names, const double *values,
                           const char *const *names1, double (*const *functions1)(void *, double),
                           const char *const *names2, double (*const *functions2)(void *, double, double),
                           void *opaque, int offset, void *context) {
  (void)value, (void)text, (void)names, (void)values, (void)names1, (void)functions1, (void)names2, (void)functions2;
  (void)opaque, (void)offset, (void)context;
  return AVERROR(ENOSYS);
}
