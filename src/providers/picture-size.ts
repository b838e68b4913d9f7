import type { PictureSize } from "../contracts/models/model-calls.ts";
import { parsePictureSize } from "../lib/parse-picture-size.ts";

/** Proportions that differ by less are equal: sides are whole numbers. */
const EQUAL = 1e-9;

/**
 * The size to ask a model for: the nearest in its proportions, by the logarithm of their quotient, then the smallest that
 * covers the wanted size, otherwise the largest. `sizes` are `WxH`; a model without any is asked for the wanted size. Pure.
 */
export function sizeToRequest(sizes: readonly string[], wanted: PictureSize): PictureSize {
  const known = sizes.map(parsePictureSize);
  const distance = ({ width, height }: PictureSize) =>
    Math.abs(Math.log((width * wanted.height) / (height * wanted.width)));
  const nearest = Math.min(...known.map(distance));
  const bySize = known
    .filter((size) => distance(size) - nearest < EQUAL)
    .toSorted((a, b) => a.width * a.height - b.width * b.height);
  const covering = bySize.find(
    ({ width, height }) => width >= wanted.width && height >= wanted.height,
  );
  return covering ?? bySize.at(-1) ?? wanted;
}
