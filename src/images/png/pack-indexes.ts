/** Palette indexes as PNG rows: a filter byte (none), then 8 / `depth` pixels a byte, the first in the high bits. */
export function packIndexes(
  indexes: Uint8Array,
  width: number,
  height: number,
  depth: 1 | 2 | 4 | 8,
): Uint8Array {
  const stride = 1 + Math.ceil((width * depth) / 8);
  const rows = new Uint8Array(stride * height);
  const perByte = 8 / depth;
  for (let y = 0; y < height; y++) {
    const line = y * stride + 1;
    const from = y * width;
    if (depth === 8) {
      rows.set(indexes.subarray(from, from + width), line);
      continue;
    }
    for (let x = 0; x < width; x++) {
      const at = line + ((x / perByte) | 0);
      const shift = 8 - depth - (x % perByte) * depth;
      rows[at] = (rows[at] ?? 0) | ((indexes[from + x] ?? 0) << shift);
    }
  }
  return rows;
}
