/* What the two halves of the AVIF reader share: decoded planes (frames.c) and rows of colors made of them (rows.c). */
#pragma once
#include "host.h"

/* The format has at most 4 layers of quality; some writers put a frame that is not shown before each. */
enum { FRAMES_MAX = 8 };

/* Planes of a picture or of its transparency, of which only the first is used. Samples of more than 8 bits have 2 bytes. */
struct planes {
  const uint8_t *samples[3];
  ptrdiff_t strides[3];
  int width, height;
  int depth;
  /* 1 where the colors have half the width or height. */
  int half_width, half_height;
  int is_gray;
  /* The frame's own statement of its colors, by the numbers of ITU-T H.273. */
  int matrix, primaries, is_full_range;
};

enum layer { LAYER_COLOR, LAYER_ALPHA };
extern struct planes layers[2];
