/** A field that is searched, and how much a match in it counts. */
export interface SearchedField {
  readonly text: string;
  readonly weight: number;
}

/**
 * The relevance of fields for a search whose words are split on spaces, `/`, `-`, `_` and `.`: the sum over the words,
 * undefined if a word matches no field. Without a word the relevance is 0.
 */
export function rankByWords(fields: readonly SearchedField[], search: string): number | undefined {
  let total = 0;
  for (const word of search.toLowerCase().split(/[\s/\-_.]+/)) {
    if (word !== "") {
      const best = fields.reduce(
        (sum, { text, weight }) => sum + weight * matchQuality(text.toLowerCase(), word),
        0,
      );
      if (best === 0) {
        return undefined;
      }
      total += best;
    }
  }
  return total;
}

/** A whole word counts most, the beginning of a word more than its middle. */
function matchQuality(field: string, word: string): number {
  if (!field.includes(word)) {
    return 0;
  }
  const parts = field.split(/[^\p{L}\p{N}]+/u);
  return parts.includes(word) ? 4 : parts.some((part) => part.startsWith(word)) ? 2 : 1;
}
