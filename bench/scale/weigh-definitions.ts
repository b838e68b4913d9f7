/**
 * `node --expose-gc bench/scale/weigh-definitions.ts`: heap bytes of a parsed and compiled definition in an isolate,
 * per character of its text.
 */
import { parseDefinition } from "../../src/contracts/workflows/parse-definition.ts";
import { compile } from "../../src/engine/compile/compile.ts";
import { findNodeType } from "../../src/nodes/registry.ts";
import { chain, checkedCodes, fanOut } from "../bench-workflows.ts";

const COPIES = 300;

for (const { name, definition } of [
  chain(1),
  fanOut(10),
  checkedCodes(10),
  chain(10),
  chain(100),
]) {
  const kept: unknown[] = [];
  const load = () => {
    // A separate text each time, as from D1.
    const text = Buffer.from(JSON.stringify(definition)).toString();
    const parsed = parseDefinition(text);
    kept.push({ text, parsed, ...compile(parsed, findNodeType) });
    return text.length;
  };
  const chars = load();
  const before = heapUsed();
  for (let copy = 0; copy < COPIES; copy += 1) {
    load();
  }
  const bytes = (heapUsed() - before) / COPIES;
  console.log(
    `${name}: ${chars} characters, ${bytes.toFixed(0)} bytes, ${(bytes / chars).toFixed(1)} each (${kept.length} kept)`,
  );
}

function heapUsed(): number {
  if (globalThis.gc === undefined) {
    throw new Error("Start it with --expose-gc.");
  }
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
