/**
 * Shares of the whole that tenants have whose sizes follow Zipf's law, the largest first: the k-th is
 * as large as the first divided by k to the power of `skew`.
 */
export function zipfShares(tenants: number, skew: number): Float64Array {
  const weights = Float64Array.from({ length: tenants }, (_, index) => (index + 1) ** -skew);
  // Smallest first, or a million small ones would vanish in rounding.
  const sum = weights.reduceRight((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
