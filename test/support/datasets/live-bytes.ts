import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use: heap and buffers, after garbage collection. */
export function liveBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes of buffers in use, without the heap and without the memory of wasm. */
export function liveBuffers(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}
