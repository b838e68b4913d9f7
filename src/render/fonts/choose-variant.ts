/** The part of a font file's description that decides which file of a family a text gets. */
export interface FontVariant {
  readonly weight: number;
  readonly style: "normal" | "italic";
}

/**
 * The file of a family for a weight and a style, as CSS Fonts 4 §5.2 matches them: style first, then weight. Nothing is
 * synthesized, so any family with a file has a match. Undefined for an empty list.
 */
export function chooseVariant<T extends FontVariant>(
  files: readonly T[],
  weight: number,
  style: "normal" | "italic",
): T | undefined {
  const styled = files.filter((file) => file.style === style);
  let best: T | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const file of styled.length > 0 ? styled : files) {
    const rank = rankOf(file.weight, weight);
    if (rank < bestRank) {
      bestRank = rank;
      best = file;
    }
  }
  return best;
}

/** Smaller is nearer. Weights are at most 1,000, so each group begins a thousand after the one before. */
function rankOf(weight: number, wanted: number): number {
  const isHeavier = weight > wanted;
  const distance = Math.abs(weight - wanted);
  if (wanted >= 400 && wanted <= 500) {
    // First up to 500, then lighter ones, then those above 500.
    return isHeavier ? (weight <= 500 ? distance : 2_000 + distance) : distance && 1_000 + distance;
  }
  // Light texts look among lighter files first, bold ones among heavier files.
  return isHeavier === wanted > 500 || distance === 0 ? distance : 1_000 + distance;
}
