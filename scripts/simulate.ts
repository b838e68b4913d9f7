/**
 * `npm run simulate -- --seeds N --from S`: runs random graphs in a hostile world and compares them with the reference.
 * A seed that fails is shrunk and stored in test/golden/, which every test run replays.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { compile } from "../src/engine/compile/compile.ts";
import { stringifyJson } from "../src/lib/json/exact-json.ts";
import { verifyMoneyGraph } from "../test/simulation/verify-money.ts";
import { verifyGraph } from "../test/simulation/verify-seed.ts";
import { type RandomGraph, randomGraph } from "../test/simulation/random-graph.ts";
import { shrink } from "../test/simulation/shrink.ts";
import { buildMutated } from "../test/simulation/mutated-simulation.ts";
import { findSimulatedNode, referenceOutcome } from "../test/simulation/simulate-seed.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
  },
});
/** A world with one webhook endpoint, as in the tests. */
const HOSTILE = { events: 50, killChance: 0.03, changes: true };
const from = Number(values.from);
const seeds = Number(values.seeds);
const startedAt = performance.now();
const { simulateObjectSeed, simulateObjectGraph, verifyWebhookCase } =
  await buildMutated(undefined);
let failures = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const graph = randomGraph(seed, findSimulatedNode);
  const problem = await verifyGraph(seed, graph);
  if (problem !== undefined) {
    failures += 1;
    await keep(`simulation-${seed}`, seed, problem, graph, (each) => verifyGraph(seed, each));
  }
  const verdict = await simulateObjectSeed(seed);
  if (verdict.problem !== undefined) {
    failures += 1;
    await keep(`object-${seed}`, seed, verdict.problem, verdict.graph, async (each) =>
      simulateObjectGraph(seed, each).then((smaller) => smaller.problem),
    );
  }
  const loss = await verifyMoneyGraph(seed, graph);
  if (loss !== undefined) {
    failures += 1;
    await keep(`money-${seed}`, seed, loss, graph, (each) => verifyMoneyGraph(seed, each));
  }
  const lost = verifyWebhookCase({ seed, ...HOSTILE });
  if (lost !== undefined) {
    failures += 1;
    await keepWebhook(seed, lost);
  }
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `${seeds} seeds from ${from}, each with and without money and cancels, and in a run object, and ${HOSTILE.events} deliveries, in ${seconds.toFixed(1)} s: ${failures} failed`,
);
process.exit(failures === 0 ? 0 : 1);

/** Shrinks a graph that fails in the world of its seed, and stores it for replay in every test run. */
async function keep(
  name: string,
  seed: number,
  problem: string,
  graph: RandomGraph,
  judge: (graph: RandomGraph) => Promise<string | undefined>,
): Promise<void> {
  console.error(`seed ${seed}: ${problem}`);
  const small = await shrink(graph.definition, graph.inputs, async (definition, inputs) => {
    // A graph that submit rejects also fails, but differently: stored, it would fail forever.
    if (compile(definition, findSimulatedNode).plan === undefined) {
      return false;
    }
    await referenceOutcome({ definition, inputs }); // throws for missing or invalid inputs
    return (await judge({ definition, inputs })) !== undefined;
  });
  const file = `test/golden/${name}.json`;
  const inputs = [...small.inputs].map(([id, value]) => [id, stringifyJson(value)]);
  await writeFile(
    file,
    `${JSON.stringify({ seed, problem, definition: small.definition, inputs }, null, 2)}\n`,
  );
  console.error(`  shrunk to ${small.definition.nodes.length} nodes in ${file}`);
}

/** Stores the quietest world of the seed, with the fewest events, whose deliveries fail. */
async function keepWebhook(seed: number, problem: string): Promise<void> {
  console.error(`seed ${seed}, its deliveries: ${problem}`);
  const worlds = [false, true].flatMap((changes) =>
    [0, HOSTILE.killChance].flatMap((killChance) =>
      Array.from({ length: HOSTILE.events }, (_, less) => ({
        seed,
        events: less + 1,
        killChance,
        changes,
      })),
    ),
  );
  const small = worlds.find((each) => verifyWebhookCase(each) !== undefined);
  const file = `test/golden/webhook-${seed}.json`;
  await writeFile(
    file,
    `${JSON.stringify({ problem, ...(small ?? { seed, ...HOSTILE }) }, null, 2)}\n`,
  );
  console.error(`  shrunk to ${small?.events ?? HOSTILE.events} events in ${file}`);
}
