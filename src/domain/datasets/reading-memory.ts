const MB = 1024 * 1024;

/** A smaller file is read without asking for memory. */
const UNASKED_BYTES = 64 * 1024;

/** What reading a stored file as a table holds at most, for the isolate's memory budget; null where it is not worth asking. */
export function tableReadingBytes(fileName: string, sizeBytes: number): number | null {
  if (sizeBytes <= UNASKED_BYTES) {
    return null;
  }
  // Strings of a workbook are held, and packed in the file; of all others a few rows are.
  return fileName.toLowerCase().endsWith(".xlsx")
    ? Math.min(64 * MB, 4 * MB + 40 * sizeBytes)
    : Math.min(32 * MB, 2 * MB + 12 * sizeBytes);
}
