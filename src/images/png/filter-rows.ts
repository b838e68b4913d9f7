/** Filtered rows, valid until the next are asked for. */
interface Stripe {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/**
 * RGBA as filtered PNG rows of 3 or 4 bytes a pixel, about `stripeBytes` of them at a time. For each
 * row the filter of Sub, Up and Paeth that leaves the smallest sum of differences, the measure the
 * PNG specification proposes.
 */
export function* filterRows(
  rgba: Uint8ClampedArray,
  width: number,
  height: number,
  channels: 3 | 4,
  stripeBytes: number,
): Generator<Stripe> {
  const stride = width * channels;
  const stripeRows = Math.min(height, Math.max(1, Math.floor(stripeBytes / (stride + 1))));
  const out = new Uint8Array((stride + 1) * stripeRows);
  let above = new Uint8Array(stride);
  let row = new Uint8Array(stride);
  const sub = new Uint8Array(stride);
  const up = new Uint8Array(stride);
  const paeth = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    readRow(rgba, y * width * 4, row, channels);
    let subSum = 0;
    let upSum = 0;
    let paethSum = 0;
    for (let i = 0; i < stride; i++) {
      const value = row[i] as number;
      const a = i < channels ? 0 : (row[i - channels] as number);
      const b = above[i] as number;
      const c = i < channels ? 0 : (above[i - channels] as number);
      const pa = Math.abs(b - c);
      const pb = Math.abs(a - c);
      const pc = Math.abs(a + b - 2 * c);
      const predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      subSum += size((sub[i] = value - a));
      upSum += size((up[i] = value - b));
      paethSum += size((paeth[i] = value - predicted));
    }
    const at = (y % stripeRows) * (stride + 1);
    const [filter, best] =
      upSum <= subSum && upSum <= paethSum
        ? ([2, up] as const)
        : subSum <= paethSum
          ? ([1, sub] as const)
          : ([4, paeth] as const);
    out[at] = filter;
    out.set(best, at + 1);
    [above, row] = [row, above];
    const isLast = y === height - 1;
    if (isLast || (y + 1) % stripeRows === 0) {
      yield { bytes: out.subarray(0, at + stride + 1), isLast };
    }
  }
}

/** A difference as a signed byte, without its sign. */
function size(difference: number): number {
  const byte = difference & 255;
  return byte < 128 ? byte : 256 - byte;
}

function readRow(rgba: Uint8ClampedArray, start: number, row: Uint8Array, channels: 3 | 4): void {
  if (channels === 4) {
    row.set(rgba.subarray(start, start + row.length));
    return;
  }
  for (let from = start, to = 0; to < row.length; from += 4, to += 3) {
    row[to] = rgba[from] as number;
    row[to + 1] = rgba[from + 1] as number;
    row[to + 2] = rgba[from + 2] as number;
  }
}
