/** `npm run chaos -- --kills N`: kills the real service at seeded times and checks the guarantees. */
import { parseArgs } from "node:util";
import { runChaos } from "../test/chaos/run-chaos.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: "20261120" },
    copies: { type: "string", default: "1" },
  },
});
const report = await runChaos({
  kills: Number(values.kills),
  seed: Number(values.seed),
  copies: Number(values.copies),
  onKill: (record) => {
    const { kill, at, struckAfter, cutShort, lost202, startedUnasked } = record;
    const { slowestEndMs, allowedMs, uploadWentOn, exportWentOn } = record;
    console.log(
      `kill ${kill} ${at}, after ${struckAfter}: ${cutShort} runs interrupted, ${lost202} with a lost 202 ended without a repeat (${startedUnasked} not started before the kill), the last ended ${slowestEndMs} ms after ready (${allowedMs} allowed)${uploadWentOn ? ", an upload continued" : ""}${exportWentOn ? ", an export continued" : ""}`,
    );
  },
});
const { kills, ...sums } = report;
console.log(JSON.stringify({ kills: kills.length, ...sums }, null, 2));
