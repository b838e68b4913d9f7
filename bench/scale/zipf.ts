/**
 * Shares of tenants whose sizes follow Zipf's law, the largest first: the k-th is the first divided by k to the power
 * of `skew`.
 */
export function zipfShares(tenants: number, skew: number): Float64Array {
  const weights = Float64Array.from({ length: tenants }, (_, index) => (index + 1) ** -skew);
  // Smallest first, so that a million small ones do not vanish in rounding.
  const sum = weights.reduceRight((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
