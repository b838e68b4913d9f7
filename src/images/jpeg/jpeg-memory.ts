/** Memory of jpeg.wasm at its start (wasm/pictures/build.sh), in bytes. */
export const JPEG_INITIAL_BYTES = 512 * 1024;

/** Coefficients of a file with several scans that are held at once, in bytes; more are read band by band. */
export const JPEG_COEFFICIENT_BYTES_MAX = 4 * 1024 * 1024;
