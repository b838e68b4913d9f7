import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Node may compile bytes at run time; the types are those of a Worker, which may not.
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** A compiled module that bundlers give a Worker, for tests in Node. `path` is below `node_modules`. */
export function compiledPackageFile(path: string): WebAssembly.Module {
  return new Module(
    readFileSync(fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url).href)),
  );
}
