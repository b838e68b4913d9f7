/**
 * The known name that is nearest to a mistyped one; undefined if none is near (edit distance over a
 * third of the length).
 */
export function suggestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > 64) {
    return undefined;
  }
  let best: string | undefined;
  let bestDistance = Math.floor(given.length / 3) + 1;
  for (const name of known) {
    if (Math.abs(name.length - given.length) < bestDistance) {
      const distance = editDistance(given.toLowerCase(), name.toLowerCase());
      if (distance < bestDistance) {
        bestDistance = distance;
        best = name;
      }
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitute));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
