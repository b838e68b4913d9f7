/**
 * What the renderer's memory may come to, its module, the drawing, its layers and the picture
 * together: the maximum of the memory in `resvg.wasm` (scripts/cap-resvg-memory.ts). What is written
 * and the heap's own are beside it, within the 64 MB of a conversion.
 */
export const RENDERER_BYTES_MAX = 55 * 1024 * 1024;
