/** `node --import ./bench/load-wasm.mjs`: modules import wasm files compiled, as Workers do. */
import { registerHooks } from "node:module";

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(".wasm")) {
      return nextLoad(url, context);
    }
    const source = `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(new URL(import.meta.url)));`;
    return { format: "module", source, shortCircuit: true };
  },
});
