/** Where files of runs lie, by their size in bytes; no caller is held to these. See docs/decisions/stored-files.md. */

const KB = 1024;
const MB = 1024 * KB;

/** Up to here in a row: storing it so for 60 days costs less than one write to R2. */
export const ROW_FILE_BYTES_MAX = 8 * KB;

/** Up to here with others in one object of R2, where tasks end together: meanwhile it is held in memory. */
export const PACKED_FILE_BYTES_MAX = MB;

/** Files of one pack together: those of a whole chunk of tasks, of which each has one such file. */
export const PACK_BYTES_MAX = 16 * MB;
