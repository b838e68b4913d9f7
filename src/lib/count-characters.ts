/** Code points of a text: a pair of surrogates is one, and so is a surrogate without its other half. Takes no memory. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (isBetween(text.charCodeAt(i), 0xd800, 0xdbff)) {
      pairs += isBetween(text.charCodeAt(i + 1), 0xdc00, 0xdfff) ? 1 : 0;
    }
  }
  return text.length - pairs;
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
