/** A tiny round of every measurement of docs/benchmarks.md: each must still run and check its results. */
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../scripts/free-port.ts";
import { chain } from "../../bench/bench-workflows.ts";
import { checkEffects, edgeloom, peer, timeRun } from "../../bench/contenders.ts";
import { installedEngines } from "../../bench/external-engines.ts";
import type { Figure } from "../../bench/figure.ts";
import { Parts } from "../../bench/parts.ts";
import { measureEmbedTokens } from "../../bench/measure-embed-tokens.ts";
import { measureBatchExports } from "../../bench/measure-batch-exports.ts";
import { measureCancel } from "../../bench/measure-cancel.ts";
import { measureBatches } from "../../bench/measure-batches.ts";
import { measureBesideBatches } from "../../bench/measure-beside-batches.ts";
import { measureBatchHeap } from "../../bench/measure-batch-heap.ts";
import { measureComparisons } from "../../bench/measure-comparisons.ts";
import { measureConcurrency } from "../../bench/measure-concurrency.ts";
import { measureFanOut } from "../../bench/measure-fan-out.ts";
import { measureKills } from "../../bench/measure-kills.ts";
import { measureOpenLoop } from "../../bench/measure-open-loop.ts";
import { measureRefusals } from "../../bench/measure-refusals.ts";
import { measureRerun } from "../../bench/measure-rerun.ts";
import { measureRetries } from "../../bench/measure-retries.ts";
import { measureReuse } from "../../bench/measure-reuse.ts";
import { measureSchedules } from "../../bench/measure-schedules.ts";
import { measurePoll } from "../../bench/measure-reads.ts";
import { measureShards } from "../../bench/measure-shards.ts";
import { measureSlope } from "../../bench/measure-slope.ts";
import { measureStatements } from "../../bench/measure-statements.ts";
import { measureSteps } from "../../bench/measure-steps.ts";
import { measureStreams } from "../../bench/measure-streams.ts";
import { measureStoredBytes } from "../../bench/measure-stored-bytes.ts";
import { measureSubmits } from "../../bench/measure-submits.ts";
import { measureSustained } from "../../bench/measure-sustained.ts";
import { measureTaskCosts } from "../../bench/measure-task-costs.ts";
import { measureTasks } from "../../bench/measure-tasks.ts";
import { renderTable } from "../../bench/render-table.ts";
import { type Peers, startPeers } from "../../bench/start-peers.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { testInProof } from "../support/in-proof.ts";
// A bench that no longer runs is noticed by the proof; nothing in the service depends on it.
import "../support/only-in-proof.ts";

/** The type of a file system in memory, of which the system counts no bytes to disk (statfs(2)). */
const TMPFS = 0x01021994;

let directory: string;
let peers: Peers;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-bench-test-"));
  [peers, service] = await Promise.all([
    startPeers(join(directory, "peers")),
    startService({ directory: join(directory, "service") }),
  ]);
});

afterAll(async () => {
  await Promise.all([peers?.stop(), service?.stop()]);
  await rm(directory, { recursive: true, force: true });
});

/** Each measurement is a number beside another, and the table shows both. */
function expectFigures(figures: readonly Figure[], workload: string): void {
  expect(figures.length).toBeGreaterThan(0);
  for (const figure of figures) {
    expect(figure.workload).toBe(workload);
    expect(figure.beside.length, figure.name).toBeGreaterThan(0);
    for (const { median, samples } of [figure.ours, ...figure.beside.map(({ value }) => value)]) {
      expect(median, figure.name).toBeGreaterThanOrEqual(0);
      expect(samples?.length, figure.name).toBeGreaterThan(0);
    }
    expect(renderTable([figure])).toContain(figure.name);
  }
}

describe("the benchmarks", () => {
  it("W1 and W2 time one and ten steps beside both peers", async () => {
    const options = { rounds: 1, warmUp: 0 };
    const one = await measureSteps(service.client, peers, { steps: 1, ...options });
    expectFigures([one], "W1");
    const ten = await measureSteps(service.client, peers, { steps: 10, ...options });
    expectFigures([ten], "W2");
    expect(ten.targets).toHaveLength(2);
  });

  it("W3 has clients run chains side by side", async () => {
    const options = { runs: 3, clients: [2], rounds: 1 };
    expectFigures(await measureConcurrency(service.client, peers, options), "W3");
  });

  it("W4 fans out, and sees the first and the last item settle", async () => {
    const figures = await measureFanOut(service.client, peers, { sizes: [10, 100], rounds: 1 });
    expectFigures(figures, "W4");
    expect(figures).toHaveLength(4);
  });

  testInProof("W5 takes the processor time of further steps beside both peers", async () => {
    const options = { rounds: 1, peerRounds: 1, long: { low: 40, high: 80 }, runsMax: 3 };
    const { workload, ours, beside, targets } = await measureSlope(service, peers, options);
    expect([workload, beside.length, targets.length]).toEqual(["W5", 5, 1]);
    for (const { count, median } of [ours, ...beside.map(({ value }) => value)]) {
      // The difference of so few runs may be less than the noise, and then have either sign.
      expect([count, Number.isFinite(median)]).toEqual([1, true]);
    }
  });

  it("W6 submits at eight clients, without a pause and at a rate", async () => {
    const options = { windowMs: 300, rounds: 1, pacedRounds: 1, restMs: 0 };
    const figures = await measureSubmits(service.client, peers, options);
    expectFigures(figures, "W6");
    expect(figures).toHaveLength(3);
  });

  testInProof("W6 submits what is due", async () => {
    const figures = await measureOpenLoop(service.client, peers, { perSecond: 20, seconds: 1 });
    expectFigures(figures, "W6");
    expect(figures[0]?.ours.count).toBe(20);
  });

  testInProof("what is sustained is runs of one step, of a hundred, and tasks", async () => {
    expectFigures(await measureSustained(service.client, peers, { seconds: 0.3 }), "sustained");
    const tasks = await measureTasks(service, peers, { items: 20, warmUpItems: 2 });
    expectFigures(tasks, "sustained");
    expect(tasks).toHaveLength(2);
  });

  it("what a task costs is bytes to disk and processor time, beside a bare object and a queue", async () => {
    // Of a folder in memory, where the other tests may be, the system counts no bytes to disk.
    const folder = await mkdtemp(fileURLToPath(new URL("../../dist/task-costs-", import.meta.url)));
    try {
      const measuring = measureTaskCosts(folder, { items: 100, rounds: 1, warmUpItems: 10 });
      if ((await statfs(folder)).type === TMPFS) {
        await expect(measuring).rejects.toThrow("The system counts no bytes");
        return;
      }
      const figures = await measuring;
      expectFigures(figures, "sustained");
      expect(figures.map(({ unit }) => unit)).toEqual(["KB", "KB", "ms", "ms"]);
      for (const { ours, beside } of figures) {
        expect(Math.min(ours.median, beside[0]!.value.median)).toBeGreaterThan(0);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  testInProof("W7 kills the service and the peers under way", async () => {
    const options = { runs: 3, steps: 60, kills: 1, peerWaitMs: 100 };
    const figures = await measureKills(join(directory, "kills"), options);
    expectFigures(figures, "W7");
    expect(figures[1]?.ours.median).toBe(3);
  });

  testInProof("W8 cancels tasks midway", async () => {
    const options = { items: 2000, workflowsItems: 500, rounds: 1 };
    expectFigures(await measureCancel(service, peers, options), "W8");
  });

  it("a poll is timed beside an object behind the same router", async () => {
    const { ours, beside } = await measurePoll(service.client, peers);
    expect([ours.median, beside[0]?.value.median]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
  });

  it("exports of a batch are timed beside the batch", async () => {
    const figures = await measureBatchExports(service.client, { items: 40, rounds: 2 });
    expect(figures.map(({ beside, targets }) => [beside.length, targets.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(figures.every(({ ours }) => ours.median > 0)).toBe(true);
  });

  it("comparisons and past states are timed beside what they are made of", async () => {
    const figures = await measureComparisons(service.client, { items: 200, rounds: 1 });
    expect(figures.map(({ beside, targets }) => [beside.length, targets.length])).toEqual([
      [3, 2],
      [9, 6],
      [1, 1],
    ]);
  });

  it("batches are timed beside single submits, bare objects, Cloudflare Workflows and installed engines", async () => {
    const parts = new Parts();
    const options = { items: 40, rounds: 1, instances: 10, evictedAfterMs: 0 };
    const engines = join(directory, "batch-engines");
    await measureBatches(service, peers, parts, { ...options, engines });
    const beside = { items: 40, rounds: 1, singles: 5, evictedAfterMs: 0 };
    await parts.take("beside", () => measureBesideBatches(service, parts, beside));
    const { installed } = installedEngines("batches", () => undefined);
    expect(parts.failed).toEqual([]);
    expect(parts.figures.map(({ beside, targets }) => [beside.length, targets.length])).toEqual([
      [5 + installed.length, 3],
      [1, 1],
      [0, 1],
      [1, 1],
      [1, 1],
    ]);
    const others = parts.figures.at(-1);
    expect(others?.name).toContain("another organization");
    expect(others?.ours.samples?.length).toBeGreaterThanOrEqual(5);
    const folder = join(directory, "batch-heap");
    const [creation, run] = await measureBatchHeap(folder, await freePort(), {
      items: 200,
      rounds: 1,
      evictedAfterMs: 0,
    });
    expect(creation?.beside[0]?.value.median).toBeGreaterThan(1);
    expect(run?.targets).toHaveLength(1);
  });

  it("bad input is timed until its problem document, and the cancel of a batch until it is cancelled", async () => {
    const folder = join(directory, "bad-input");
    const figures = await measureRefusals(folder, { rounds: 1, items: 10, cancels: 1 });
    expect(figures.length).toBeGreaterThan(20);
    for (const { name, ours, targets } of figures) {
      expect([name, ours.count, targets.length]).toEqual([name, 1, 1]);
      expect(ours.median, name).toBeGreaterThan(0);
    }
  });

  it("retries are timed beside their first runs, with what each executed itself", async () => {
    const figures = await measureRetries(service.client, {
      items: 200,
      warmUpItems: 100,
      rounds: 1,
    });
    const [time, executions, edited] = figures;
    expect(time?.beside).toHaveLength(2);
    expect(executions?.ours.median).toBe(2);
    expect(executions?.beside.map(({ value }) => value.median)).toEqual([596, 200]);
    expect(edited?.ours.median).toBe(200);
    expect(edited?.beside.map(({ value }) => value.median)).toEqual([596, 198]);
    expect(edited?.targets.map(({ actual }) => actual)).toEqual([1, 2 / 596]);
  });

  it("runs that take from the result cache are timed beside those that work everything out, and cost nothing", async () => {
    const figures = await measureReuse(service.client, {
      items: 40,
      wholeItems: 100,
      warmUpItems: 20,
      rounds: 1,
    });
    expect(figures.map(({ beside, targets }) => [beside.length, targets.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 2],
    ]);
    expect(figures[2]?.targets[1]?.actual).toBe(0);
  });

  it("shards are a submit beside one database, and moves under load", async () => {
    const [submit, move, write] = await measureShards(join(directory, "shards"), {
      rounds: 1,
      submits: 5,
      warmUp: 1,
      moves: 1,
      movedRows: 100,
    });
    expect(submit?.beside[0]?.value.median).toBeGreaterThan(0);
    expect(move?.targets.map(({ actual }) => actual).slice(1)).toEqual([0, 0]);
    expect(write?.ours.median).toBeGreaterThan(0);
  });

  it("what D1 is asked for a submit is counted, of all databases and of the busiest", async () => {
    const [all, busiest] = await measureStatements({ tenants: 200, submits: 100 });
    // None of the tenants is new, and nearly all of their facts are known.
    expect(all?.targets[0]?.actual).toBeLessThan(0.1);
    expect(busiest?.ours.median).toBeLessThanOrEqual((all?.ours.median ?? 0) * 10_000);
  });

  it("schedules are timed by how late they fire, and their times beside croner", async () => {
    const [late, times] = await measureSchedules(join(directory, "schedules"), {
      schedules: 4,
      intervalSeconds: 1,
      firings: 2,
      rounds: 1,
    });
    expect(late?.ours.samples).toHaveLength(8);
    expect(times?.ours.median).toBeGreaterThan(0);
  });

  testInProof("permits of an embed token are timed beside an object that counts", async () => {
    const [permit, burst, poll] = await measureEmbedTokens(service.client, peers, {
      rounds: 5,
      bursts: 1,
    });
    expect([permit?.beside.length, burst?.ours.count, poll?.beside.length]).toEqual([1, 1, 1]);
  });

  testInProof("W9 retries a run of which some items failed", async () => {
    const options = { items: 200, warmUpItems: 100, rounds: 1 };
    const figures = await measureRerun(service.client, options);
    expectFigures(figures, "W9");
    expect(figures[1]?.ours.median).toBe(2);
    expect(figures[1]?.beside.map(({ value }) => value.median)).toEqual([198, 2]);
    const [again] = await measureRerun(service.client, { ...options, isRetried: false });
    expect(again?.name).toContain("submitted again");
  });

  testInProof(
    "the memory of open streams is measured on a service and on a bare one, each with all its streams open",
    async () => {
      const figure = await measureStreams(join(directory, "streams"), { streams: 60, rounds: 1 });
      const [onTop, floor] = figure.beside;
      // Sixty streams take more memory than none, and less than a thousand may take.
      for (const value of [figure.ours, onTop!.value, floor!.value]) {
        expect(value.median).toBeGreaterThan(0);
        expect(value.median).toBeLessThan(64);
      }
    },
  );

  it("W10 measures the bytes that an item leaves", async () => {
    const figure = await measureStoredBytes(service, peers, { items: 200, workflowsItems: 20 });
    expectFigures([figure], "W10");
    expect(figure.ours.median).toBeGreaterThan(0);
  });
});

describe("a measurement is discarded", () => {
  it("if the output is wrong", async () => {
    const ours = await edgeloom(service.client, chain(2));
    await expect(timeRun(ours, "3")).rejects.toThrow(/the measurement is discarded/);
  });

  it("if the number of steps is wrong", async () => {
    const ours = await edgeloom(service.client, chain(2));
    await expect(timeRun(ours, "2", { effects: 3 })).rejects.toThrow(/made 2 steps instead of 3/);
    const bare = peer("bare object", peers.bareUrl, "/chain?n=2");
    const started = await bare.start();
    await expect(checkEffects(bare, started, 5)).rejects.toThrow(/instead of 5/);
  });
});
