/**
 * Maximum of the renderer's memory, for its module, the drawing, its layers and the picture
 * together: the maximum of the memory in `resvg.wasm` (scripts/cap-resvg-memory.ts). Output and
 * heap overhead are additional, within the 64 MB of a conversion.
 */
export const RENDERER_BYTES_MAX = 55 * 1024 * 1024;
