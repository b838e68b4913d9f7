/**
 * The same text for texts that differ only in case or Unicode form; for search, not for display.
 */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}
