import type { PngLayout } from "./png-layout.ts";

/** Writes `count` pixels of an unfiltered row as RGBA at `to`, each `step` pixels on. */
export type ExpandRow = (
  row: Uint8Array,
  count: number,
  out: Uint8ClampedArray,
  to: number,
  step: number,
) => void;

/** How rows of this layout become RGBA: 16 bits lose their lower 8, fewer than 8 are scaled up. */
export function rowExpander(layout: PngLayout): ExpandRow {
  if (layout.bitDepth < 8 || layout.colorType === 3) {
    return expandIndexes(layout);
  }
  const { channels, colorType, clear } = layout;
  const bytes = layout.bitDepth / 8;
  const pixelBytes = channels * bytes;
  const hasColors = channels >= 3;
  const alphaAt = colorType >= 4 ? (channels - 1) * bytes : undefined;
  const key = clear === undefined ? undefined : clearSample(clear, channels, bytes);
  return (row, count, out, to, step) => {
    for (let i = 0, at = 0; i < count; i++, at += pixelBytes, to += step * 4) {
      out[to] = row[at] as number;
      out[to + 1] = row[hasColors ? at + bytes : at] as number;
      out[to + 2] = row[hasColors ? at + 2 * bytes : at] as number;
      out[to + 3] =
        alphaAt === undefined
          ? key !== undefined && key.every((byte, k) => row[at + k] === byte)
            ? 0
            : 255
          : (row[at + alphaAt] as number);
    }
  };
}

/** The clear colour as a row has it: tRNS has 2 bytes a channel always. */
function clearSample(clear: Uint8Array, channels: number, bytes: number): number[] | undefined {
  if (clear.length < channels * 2) {
    return undefined;
  }
  return Array.from({ length: channels * bytes }, (_, i) =>
    bytes === 2 ? (clear[i] as number) : (clear[i * 2 + 1] as number),
  );
}

/** Palettes, and grey of up to 4 bits: a colour for each value. */
function expandIndexes({ bitDepth, colorType, palette, clear }: PngLayout): ExpandRow {
  const colors = new Uint32Array(1 << bitDepth);
  const bytes = new Uint8Array(colors.buffer);
  const clearGray =
    clear === undefined || clear.length < 2 ? -1 : ((clear[0] ?? 0) << 8) | (clear[1] ?? 0);
  for (let i = 0; i < colors.length; i++) {
    const gray = (i * 255) / (colors.length - 1);
    bytes.set(
      colorType === 3
        ? [palette[i * 3] ?? 0, palette[i * 3 + 1] ?? 0, palette[i * 3 + 2] ?? 0, clear?.[i] ?? 255]
        : [gray, gray, gray, i === clearGray ? 0 : 255],
      i * 4,
    );
  }
  const perByte = 8 / bitDepth;
  const mask = colors.length - 1;
  return (row, count, out, to, step) => {
    const pixels = new Uint32Array(out.buffer, out.byteOffset, out.length >> 2);
    for (let i = 0, place = to >> 2; i < count; i++, place += step) {
      const byte = row[(i / perByte) | 0] as number;
      const shift = 8 - bitDepth * ((i % perByte) + 1);
      pixels[place] = colors[(byte >> shift) & mask] as number;
    }
  };
}
