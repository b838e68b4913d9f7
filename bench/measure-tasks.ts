import type { Execution } from "../src/contracts/run.ts";
import { isTerminal } from "../src/contracts/run.ts";
import type { RunningService } from "../test/support/node/start-service.ts";
import { codes } from "./bench-workflows.ts";
import { edgeloom } from "./contenders.ts";
import { atLeast, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { processorTimeUs } from "./processor-time.ts";
import { spread } from "./statistics.ts";

const ITEMS = 10_000;
const WARM_UP_ITEMS = 200;
const LOOK_EVERY_MS = 200;

/** Task steps a second in one run of 10,000 QR codes, each drawn, read back and stored. */
export async function measureTasks(service: RunningService): Promise<Figure> {
  const workerd = await service.workerdPid();
  await runAll(service, WARM_UP_ITEMS);
  const beforeUs = await processorTimeUs(workerd);
  const ms = await runAll(service, ITEMS);
  const processorMs = ((await processorTimeUs(workerd)) - beforeUs) / 1000 / ITEMS;
  const perSecond = (ITEMS / ms) * 1000;
  return {
    name: "task steps in one run of 10,000 QR codes, each drawn, read back and stored",
    unit: "a second",
    ours: spread([perSecond]),
    beside: [],
    targets: [atLeast("1,000 a second", perSecond, 1_000)],
    note: `${processorMs.toFixed(2)} ms of processor time of workerd for each, its file store among it`,
  };
}

/** Milliseconds from the submit to the end of a run whose every item came out. */
async function runAll({ client }: RunningService, items: number): Promise<number> {
  const contender = await edgeloom(client, codes(items));
  const headers = { authorization: `Bearer ${await client.token()}` };
  const startedAt = performance.now();
  const { pollUrl } = await contender.start();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const { text } = await httpCall("GET", pollUrl, { headers });
    const run = JSON.parse(text) as Execution;
    if (isTerminal(run.status)) {
      if (run.status !== "completed" || run.outputs_total !== items) {
        throw new Error(
          `A run of ${items} codes ended ${run.status} with ${run.outputs_total} outputs: no figure is made of this.`,
        );
      }
      return performance.now() - startedAt;
    }
  }
}
