/**
 * Size of the subsetter's memory, for its module, the fonts that it keeps and the files that it makes together: the size
 * in `harfbuzz-subset.wasm` (scripts/cap-subset-memory.ts). It does not grow.
 */
export const SUBSETTER_BYTES = 24 * 1024 * 1024;
