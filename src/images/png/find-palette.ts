/** At most 256 colours (little-endian RGBA words) and one index a pixel. */
export interface Palette {
  readonly colors: readonly number[];
  readonly indexes: Uint8Array;
}

/** The palette of a picture, undefined when it has more than 256 colours. */
export function findPalette(rgba: Uint8ClampedArray): Palette | undefined {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  const indexes = new Uint8Array(pixels.length);
  const known = new Map<number, number>();
  let last = -1;
  let lastIndex = 0;
  for (let i = 0; i < pixels.length; i++) {
    const raw = pixels[i] ?? 0;
    // What cannot be seen is one colour.
    const color = raw >>> 24 === 0 ? 0 : raw;
    // Runs are the rule in drawn pictures: the map is asked only where the colour changes.
    if (color !== last) {
      let index = known.get(color);
      if (index === undefined) {
        if (known.size === 256) {
          return undefined;
        }
        index = known.size;
        known.set(color, index);
      }
      last = color;
      lastIndex = index;
    }
    indexes[i] = lastIndex;
  }
  return { colors: [...known.keys()], indexes };
}
