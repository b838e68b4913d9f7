/** One spelling for texts that differ only in case or Unicode form; for searching, never for showing. */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}
