/*
 * Colors as sRGB, in place: by a grid of colors, which src/images/color/srgb-grid.ts computes from a profile, or of CMYK
 * without a profile by the usual product of each ink with black.
 */
#include "pixels.h"

#define FULL 255

/* A color between the eight points around it: the tetrahedron of four of them in which it lies. Sums of 255 parts. */
static inline void between(const u8 *at, const int *steps, const int *parts, int *sums) {
  int first = 0, second = 1, third = 2;
  if (parts[first] < parts[second]) first = 1, second = 0;
  if (parts[second] < parts[third]) {
    third = second, second = 2;
    if (parts[first] < parts[second]) second = first, first = 2;
  }
  const u8 *one = at + steps[first], *two = one + steps[second], *three = two + steps[third];
  int a = FULL - parts[first], b = parts[first] - parts[second], c = parts[second] - parts[third], d = parts[third];
  for (int i = 0; i < 3; i++) sums[i] = at[i] * a + one[i] * b + two[i] * c + three[i] * d;
}

/*
 * Converts `count` pixels of `channels` (3, whose fourth byte is opacity and stays; or 4) to RGBA. The grid has three bytes
 * for each point, `points` a side (2 to 255), the last channel counting fastest.
 */
void EXPORT(by_grid)(u8 *pixels, int count, const u8 *grid, int points, int channels) {
  int strides[4], parts[4];
  for (int channel = channels - 1, stride = 3; channel >= 0; channel--, stride *= points) strides[channel] = stride;
  for (u8 *pixel = pixels; pixel < pixels + count * 4; pixel += 4) {
    const u8 *at = grid;
    for (int channel = 0; channel < channels; channel++) {
      int place = pixel[channel] * (points - 1);
      int cell = place / FULL;
      if (cell > points - 2) cell = points - 2;
      at += cell * strides[channel];
      parts[channel] = place - cell * FULL;
    }
    int sums[3];
    between(at, strides, parts, sums);
    if (channels == 4) {
      int more[3];
      between(at + strides[3], strides, parts, more);
      for (int i = 0; i < 3; i++) sums[i] = (sums[i] * (FULL - parts[3]) + more[i] * parts[3] + FULL / 2) / FULL;
      pixel[3] = FULL;
    }
    for (int i = 0; i < 3; i++) pixel[i] = (u8)((sums[i] + FULL / 2) / FULL);
  }
}

/* Converts `count` pixels of CMYK to RGBA. With `is_inverted`, as Adobe's programs store CMYK, 255 is no ink. */
void EXPORT(by_black)(u8 *pixels, int count, int is_inverted) {
  int invert = is_inverted ? 0 : FULL;
  for (u8 *pixel = pixels; pixel < pixels + count * 4; pixel += 4) {
    int black = pixel[3] ^ invert;
    for (int i = 0; i < 3; i++) pixel[i] = (u8)(((pixel[i] ^ invert) * black + FULL / 2) / FULL);
    pixel[3] = FULL;
  }
}
