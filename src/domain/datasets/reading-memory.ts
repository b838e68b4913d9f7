const MB = 1024 * 1024;

/** Size up to which a file is read without taking memory from the budget. */
const UNASKED_BYTES = 64 * 1024;

/**
 * Maximum memory for reading a stored file as a table, for the isolate's memory budget; null if it
 * is too small to count.
 */
export function tableReadingBytes(fileName: string, sizeBytes: number): number | null {
  if (sizeBytes <= UNASKED_BYTES) {
    return null;
  }
  // A workbook's strings are held in memory and are compressed in the file; of all other formats, a
  // few rows are held.
  return fileName.toLowerCase().endsWith(".xlsx")
    ? Math.min(64 * MB, 4 * MB + 40 * sizeBytes)
    : Math.min(32 * MB, 2 * MB + 12 * sizeBytes);
}
