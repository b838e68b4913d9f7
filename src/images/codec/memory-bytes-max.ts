/** No codec's memory grows beyond this, whatever a file claims: an isolate has 128 MB for everything. */
export const CODEC_MEMORY_BYTES_MAX = 112 * 1024 * 1024;
