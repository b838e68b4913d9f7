/** Lays pixels on white, in place. */
export function layOnWhite(rgba: Uint8ClampedArray): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] as number;
    if (alpha === 255) {
      continue;
    }
    const white = 255 - alpha;
    for (let channel = at; channel < at + 3; channel++) {
      rgba[channel] = ((rgba[channel] as number) * alpha) / 255 + white;
    }
    rgba[at + 3] = 255;
  }
}
