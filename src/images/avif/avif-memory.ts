/** Memory of avif.wasm at its start (wasm/pictures/build.sh), in bytes. */
export const AVIF_INITIAL_BYTES = 2 * 1024 * 1024;
