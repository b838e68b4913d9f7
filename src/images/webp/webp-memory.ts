/** Memory of webp-reader.wasm and webp-writer.wasm at their start (wasm/pictures/build.sh), in bytes. */
export const WEBP_INITIAL_BYTES = 512 * 1024;
