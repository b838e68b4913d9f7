/*
 * Pixels in sRGB: of RGB and CMYK with a profile by a grid of colors, which the host has computed from the profile; of
 * CMYK without one by the usual product of each ink with black.
 */
#include "own.h"

enum { BYTE_MAX = 255 };

/* Three bytes for each point, the last channel counting fastest. */
static const uint8_t *grid;
static int points, channels, is_plain_cmyk, is_inverted;

/* Offsets of one step of the grid along each channel. */
static int strides[4];

void EXPORT(use_grid)(const uint8_t *colors, int points_of_side, int channel_count) {
  grid = colors;
  points = points_of_side;
  channels = channel_count;
  for (int channel = channels - 1, stride = 3; channel >= 0; channel--, stride *= points) strides[channel] = stride;
}

/* Adobe's programs store CMYK inverted: 255 is no ink. */
void EXPORT(use_plain_cmyk)(int inverted) {
  is_plain_cmyk = 1;
  is_inverted = inverted;
}

static int min(int one, int other) {
  return one < other ? one : other;
}

/* A color between the eight points around it: the tetrahedron of four of them in which it lies. Sums of 255 parts. */
static void between(const uint8_t *at, const int *steps, const int *parts, int *sums) {
  int order[3] = { 0, 1, 2 };
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2 - i; k++) {
      if (parts[order[k]] < parts[order[k + 1]]) {
        const int swapped = order[k];
        order[k] = order[k + 1];
        order[k + 1] = swapped;
      }
    }
  }
  int rest = BYTE_MAX;
  sums[0] = sums[1] = sums[2] = 0;
  for (int i = 0; i <= 3; i++) {
    const int next = i < 3 ? parts[order[i]] : 0;
    for (int channel = 0; channel < 3; channel++) sums[channel] += at[channel] * (rest - next);
    rest = next;
    if (i < 3) at += steps[order[i]];
  }
}

static void convert(uint8_t *pixel) {
  int parts[4], steps[4];
  const uint8_t *at = grid;
  for (int channel = 0; channel < channels; channel++) {
    const int place = pixel[channel] * (points - 1);
    const int cell = min(place / BYTE_MAX, points - 2);
    at += cell * strides[channel];
    parts[channel] = place - cell * BYTE_MAX;
    steps[channel] = strides[channel];
  }
  int sums[3], more[3];
  between(at, steps, parts, sums);
  if (channels == 4) {
    between(at + steps[3], steps, parts, more);
    for (int i = 0; i < 3; i++)
      sums[i] = (sums[i] * (BYTE_MAX - parts[3]) + more[i] * parts[3] + BYTE_MAX / 2) / BYTE_MAX;
  }
  for (int i = 0; i < 3; i++) pixel[i] = (sums[i] + BYTE_MAX / 2) / BYTE_MAX;
  pixel[3] = BYTE_MAX;
}

void to_srgb(uint8_t *pixels, size_t count) {
  if (grid != NULL) {
    for (size_t i = 0; i < count; i++) convert(pixels + i * 4);
  } else if (is_plain_cmyk) {
    const int invert = is_inverted ? 0 : BYTE_MAX;
    for (uint8_t *pixel = pixels; pixel < pixels + count * 4; pixel += 4) {
      const int black = pixel[3] ^ invert;
      for (int i = 0; i < 3; i++) pixel[i] = ((pixel[i] ^ invert) * black + BYTE_MAX / 2) / BYTE_MAX;
      pixel[3] = BYTE_MAX;
    }
  }
}
