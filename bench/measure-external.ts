import { join } from "node:path";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { chain, fanOut, fanOutText } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer, RunTooLong, timeRun } from "./contenders.ts";
import { batchToEnd, callerOf } from "./batch-calls.ts";
import { installedEngines } from "./external-engines.ts";
import type { Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { type RunningEngine, startEngine } from "./start-engine.ts";
import { type Spread, spread } from "./statistics.ts";

export interface ExternalOptions {
  readonly rounds?: number;
  readonly fanRounds?: number;
  readonly sizes?: { readonly small: number; readonly large: number };
  /** A fan-out that takes longer is abandoned and reported as such. */
  readonly boundMs?: number;
  readonly say?: (line: string) => void;
}

/**
 * W1, W2, W4 and batches beside other installed engines, in turns on one machine. Prints installation instructions for engines
 * that are not installed. Returns no figures if none is.
 */
export async function measureExternal(
  directory: string,
  {
    rounds = 30,
    fanRounds = 3,
    sizes = { small: 1_000, large: 10_000 },
    boundMs = 45_000,
    say = (line) => process.stderr.write(`${line}\n`),
  }: ExternalOptions = {},
): Promise<Figure[]> {
  const { installed } = installedEngines("peers", say);
  if (installed.length === 0) {
    return [];
  }
  const engines: RunningEngine[] = [];
  const service = await startService({ directory: join(directory, "service") });
  try {
    for (const engine of installed) {
      engines.push(await startEngine(engine, join(directory, engine.id)));
      say(`${engine.name} is ready.`);
    }
    return [
      await compareChains(service, engines, 1, rounds),
      await compareChains(service, engines, 10, rounds),
      await compareBatches(service, engines, {
        items: sizes.small,
        rounds: fanRounds,
        boundMs,
        say,
      }),
      await compareFans(service, engines, { items: sizes.small, rounds: fanRounds, boundMs, say }),
      await compareFans(service, engines, { items: sizes.large, rounds: 1, boundMs, say }),
    ];
  } finally {
    await Promise.all([service, ...engines].map((running) => running.stop()));
  }
}

async function compareChains(
  service: RunningService,
  engines: readonly RunningEngine[],
  steps: number,
  rounds: number,
): Promise<Figure> {
  const ours = await edgeloom(service.client, chain(steps));
  const others = engines.map(({ engine, baseUrl }) =>
    peer(engine.name, baseUrl, `/chain?n=${steps}`),
  );
  const entries = {
    [ours.name]: () => timeRun(ours, String(steps), { effects: steps }),
    ...Object.fromEntries(
      others.map((other) => [other.name, () => timeRun(other, steps, { effects: steps })]),
    ),
  };
  const samples = await interleave(rounds, entries, Math.min(15, rounds));
  return {
    workload: "peers",
    name: `${steps} ${steps === 1 ? "step" : "steps"}, POST to the first terminal answer`,
    unit: "ms",
    ours: spread(samples[ours.name] ?? []),
    beside: others.map(({ name }) => ({ name, value: spread(samples[name] ?? []) })),
    targets: [],
  };
}

interface FanShape {
  readonly items: number;
  readonly rounds: number;
  readonly boundMs: number;
  readonly say: (line: string) => void;
}

async function compareFans(
  service: RunningService,
  engines: readonly RunningEngine[],
  { items, rounds, boundMs, say }: FanShape,
): Promise<Figure> {
  const workflow = await edgeloom(service.client, fanOut(items));
  const text = fanOutText(items);
  const own: number[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    own.push(await timeRun(workflow, text, { effects: 2 * items }));
  }
  const beside: { name: string; value: Spread }[] = [];
  const gaveUp: string[] = [];
  for (const running of engines) {
    const { engine, baseUrl } = running;
    if (running.isStopped()) {
      gaveUp.push(`${engine.name} had given up at a smaller size`);
      continue;
    }
    const contender = peer(engine.name, baseUrl, `/fan?n=${items}`);
    const samples = await boundedRounds(contender, text, { items, rounds, boundMs });
    if (samples.length === 0) {
      gaveUp.push(`${engine.name} had not ended after ${boundMs / 1000} s`);
      say(gaveUp.at(-1) ?? "");
      // An abandoned run would continue beside the others.
      await running.stop();
    } else {
      beside.push({ name: engine.name, value: spread(samples) });
    }
  }
  return {
    workload: "peers",
    name: `fan-out of ${items.toLocaleString("en-US")} items to an aggregate`,
    unit: "ms",
    // The first round warms up, as the smaller size does for the others.
    ours: spread(own.slice(1)),
    beside,
    targets: [],
    ...(gaveUp.length === 0 ? {} : { note: gaveUp.join("; ") }),
  };
}

/** Batches of runs of one step each, from the creation to the end of the last. */
async function compareBatches(
  service: RunningService,
  engines: readonly RunningEngine[],
  { items, rounds, boundMs, say }: FanShape,
): Promise<Figure> {
  const caller = await callerOf(service.client);
  const own: number[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    const startedAt = performance.now();
    await batchToEnd(caller, items);
    own.push(performance.now() - startedAt);
  }
  const beside: { name: string; value: Spread }[] = [];
  const gaveUp: string[] = [];
  for (const running of engines) {
    const { engine, baseUrl } = running;
    const contender = peer(engine.name, baseUrl, `/batch?n=${items}`);
    // The first round warms up here, too.
    const samples = await boundedRounds(contender, items, { items, rounds: rounds + 1, boundMs });
    if (samples.length < 2) {
      gaveUp.push(`${engine.name} had not ended after ${boundMs / 1000} s`);
      say(gaveUp.at(-1) ?? "");
      // An abandoned batch would continue beside the others.
      await running.stop();
    } else {
      beside.push({ name: engine.name, value: spread(samples.slice(1)) });
    }
  }
  return {
    workload: "peers",
    name: `batch of ${items.toLocaleString("en-US")} one-step items`,
    unit: "ms",
    ours: spread(own.slice(1)),
    beside,
    targets: [],
    ...(gaveUp.length === 0 ? {} : { note: gaveUp.join("; ") }),
  };
}

/** The milliseconds of each round; none if the first does not end in time. */
async function boundedRounds(
  contender: Contender,
  expected: unknown,
  { items, rounds, boundMs }: Pick<FanShape, "items" | "rounds" | "boundMs">,
): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    try {
      samples.push(await timeRun(contender, expected, { effects: items, maxMs: boundMs }));
    } catch (error) {
      if (error instanceof RunTooLong) {
        return samples;
      }
      throw error;
    }
  }
  return samples;
}
