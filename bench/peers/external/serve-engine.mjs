/** Serves one external engine until SIGTERM: `node serve-engine.mjs --engine restate --port N --persist FOLDER`. */
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { serve } from "./engine.mjs";

const STARTS = {
  restate: async (directory) => (await import("./restate.mjs")).startRestate(directory),
  dbos: async (directory) => (await import("./dbos.mjs")).startDbos(directory),
  bullmq: async (directory) => (await import("./bullmq.mjs")).startBullmq(directory),
  "bullmq-snapshots": async (directory) =>
    (await import("./bullmq.mjs")).startBullmq(directory, "snapshots"),
  "pg-boss": async (directory) => (await import("./pg-boss.mjs")).startPgBoss(directory),
};

const { values } = parseArgs({
  options: {
    engine: { type: "string" },
    port: { type: "string" },
    persist: { type: "string" },
  },
});
mkdirSync(values.persist, { recursive: true });
const start = STARTS[values.engine];
if (start === undefined) {
  throw new Error(`"${values.engine}" is not one of ${Object.keys(STARTS).join(", ")}.`);
}
serve(Number(values.port), await start(values.persist));
