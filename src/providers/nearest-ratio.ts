import type { PictureSize } from "../contracts/models/model-calls.ts";

/** The proportions that are nearest to those of a size, by the logarithm of their quotient; the first of equals. */
export function nearestRatio(size: PictureSize, ratios: readonly PictureSize[]): PictureSize {
  const wanted = Math.log(size.width / size.height);
  const distance = ({ width, height }: PictureSize) => Math.abs(Math.log(width / height) - wanted);
  return ratios.reduce(
    (best, ratio) => (distance(ratio) < distance(best) ? ratio : best),
    ratios[0] ?? size,
  );
}
