/**
 * Measures one library in a process of its own: `node measure.mjs <library> <font file>`. Prints one JSON line:
 * milliseconds of processor time of each warm document, and the size of the last.
 */
import { readFileSync } from "node:fs";
import { invoice, table } from "./models.mjs";

const [library, fontFile] = process.argv.slice(2);
const WARM_UP = { invoice: 20, table: 5 };
const MEASURED = { invoice: 40, table: 10 };
const contender = (await import(`./${library}.mjs`)).open(readFileSync(fontFile));

const figures = {};
for (const [job, make] of Object.entries({ invoice, table })) {
  const samples = [];
  let bytes = 0;
  for (let i = 0; i < WARM_UP[job] + MEASURED[job]; i += 1) {
    const model = make(i);
    const before = process.cpuUsage();
    bytes = (await contender[job](model)).length;
    const { user, system } = process.cpuUsage(before);
    if (i >= WARM_UP[job]) {
      samples.push((user + system) / 1_000);
    }
  }
  figures[job] = { samples, bytes };
}
console.log(JSON.stringify({ library, ...figures }));
