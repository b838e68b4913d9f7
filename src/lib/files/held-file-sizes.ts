/**
 * The location of run files by their size in bytes; these are not limits for callers. See
 * docs/decisions/stored-files.md.
 */

const KB = 1024;
const MB = 1024 * KB;

/** Up to this size in a row: for 60 days, that costs less than one write to R2. */
export const ROW_FILE_BYTES_MAX = 8 * KB;

/**
 * Up to this size in one R2 object with others, if tasks end close together; until then, the file
 * is in memory.
 */
export const PACKED_FILE_BYTES_MAX = MB;

/** Files of one pack together: those of a whole chunk of tasks, of which each has one such file. */
export const PACK_BYTES_MAX = 16 * MB;
