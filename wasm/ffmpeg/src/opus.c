/*
 * libopus' encoder: one track of 48 kHz, in packets of 20 ms. Nothing is imported but the memory. Every function
 * returns, or the instance traps and the host drops it.
 */
#include <stdint.h>
#include <stdlib.h>
#include "opus.h"

/* The names in C differ, so that none is libc's. */
#define EXPORT(name) __attribute__((export_name(#name))) opus_shell_##name

enum { RATE = 48000, FRAMES = 960, CHANNELS_MAX = 2, PACKET_BYTES_MAX = 4000, FAILED = -1 };

static OpusEncoder *encoder;
static float samples[FRAMES * CHANNELS_MAX];
static uint8_t packet[PACKET_BYTES_MAX];

/* Opens the encoder. Returns its delay in frames, or FAILED. */
int EXPORT(open)(int channels, int bits_per_second) {
  int error;
  opus_int32 delay;
  encoder = opus_encoder_create(RATE, channels, OPUS_APPLICATION_AUDIO, &error);
  if (error != OPUS_OK || opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second)) != OPUS_OK ||
      opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(10)) != OPUS_OK ||
      opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&delay)) != OPUS_OK)
    return FAILED;
  return delay;
}

/* 960 frames, interleaved, which the host writes before `encode`. */
float *EXPORT(samples)(void) {
  return samples;
}

/* The packet that `encode` wrote, until the next call. */
const uint8_t *EXPORT(packet)(void) {
  return packet;
}

/* Encodes `samples`. Returns the bytes of the packet, or FAILED. */
int EXPORT(encode)(void) {
  const int bytes = opus_encode_float(encoder, samples, FRAMES, packet, PACKET_BYTES_MAX);
  return bytes < 0 ? FAILED : bytes;
}

/* libc: a failed assertion ends the instance, which the host drops. */
void abort(void) {
  __builtin_trap();
}
