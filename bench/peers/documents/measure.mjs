/**
 * Measures one library in a process of its own: `node measure.mjs <library> <font file>`. Prints one JSON line:
 * milliseconds of processor time of each warm document, and the size of the first.
 */
import { readFileSync } from "node:fs";
import { invoice, table } from "./models.mjs";

const [library, fontFile] = process.argv.slice(2);
/** V8 compiles a library's code while it runs: all of them print for as long, and at least as many documents. */
const WARM_UP_MS = 4_000;
const WARM_UP = { invoice: 20, table: 5 };
const MEASURED = { invoice: 40, table: 10 };
const contender = await (await import(`./${library}.mjs`)).open(readFileSync(fontFile));
/** Microseconds so far: of this process, or of those that the library has started. */
const usedUs =
  contender.usedUs ??
  (() => {
    const { user, system } = process.cpuUsage();
    return user + system;
  });

const figures = {};
for (const [job, make] of Object.entries({ invoice, table })) {
  const samples = [];
  const begunUs = await usedUs();
  for (let i = 0, wasWarm = false; samples.length < MEASURED[job]; i += 1) {
    const model = make(i);
    const before = await usedUs();
    wasWarm ||= i >= WARM_UP[job] && before - begunUs >= WARM_UP_MS * 1_000;
    await contender[job](model);
    const took = (await usedUs()) - before;
    if (wasWarm) {
      samples.push(took / 1_000);
    }
  }
  // Of the same document for all, since each has printed another number of them.
  const { length: bytes } = await contender[job](make(0));
  figures[job] = { samples, bytes };
}
await contender.close?.();
console.log(JSON.stringify({ library, ...figures }));
