/** SIGKILL at any moment and a restart with no traffic finish every run (spec 1 §3.1; the engine's liveness rules). */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Execution } from "../../src/contracts/run.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { readCode } from "../support/node/read-code.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

const KILLS = process.env["PROOF"] === undefined ? 10 : 50;
const SEED = Number(process.env["CRASH_SEED"] ?? 20_261_120);
/** Runs in flight at each kill: one of each workflow, twice. */
const COPIES = 2;
const PICTURES = 6;
const ROWS = 1500;
const QUIET_MS = 600;
const SILENCE_MAX_MS = 20_000;

let service: RunningService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
  await rm(service.directory, { recursive: true, force: true });
});

interface Submitted {
  readonly key: string;
  readonly workflow: string;
  readonly kind: "chain" | "rows" | "pictures";
  /** Known when the answer came before the kill. */
  runId: string | undefined;
}

it(
  `finishes every run after ${KILLS} kills at seeded moments, with no traffic, every output right`,
  async () => {
    const random = new SeededRandom(SEED);
    const workflows = {
      chain: await publish(service.client, chainWorkflow()),
      rows: await publish(service.client, rowsWorkflow()),
      pictures: await publish(service.client, picturesWorkflow()),
    };
    const all = new Map<string, Submitted>();
    let cutShort = 0;
    const batch = (name: string): Submitted[] =>
      (["pictures", "rows", "chain"] as const).flatMap((kind) =>
        Array.from({ length: COPIES }, (_, copy) => ({
          key: `${name}-${kind}-${copy}`,
          workflow: workflows[kind],
          kind,
          runId: undefined,
        })),
      );
    // A kill falls anywhere in the time that the runs take when nobody kills them, here and now.
    await timeBatch(batch("warm-up"), all);
    const windowMs = await timeBatch(batch("whole"), all);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const submitted = batch(`kill-${kill}`);
      const momentMs = random.next() * windowMs;
      const killedAtMs = await submitAndKill(submitted, momentMs);
      service = await startService({ directory: service.directory, port: service.port });
      await silence(service.directory);
      const where = `kill ${kill} at ${momentMs.toFixed(0)} of ${windowMs.toFixed(0)} ms, seed ${SEED}`;
      cutShort += await checkKill(submitted, killedAtMs, where);
      for (const run of submitted) {
        all.set(run.key, run);
      }
    }
    // Most kills must have hit work in flight, else this test proves nothing.
    expect(cutShort).toBeGreaterThan(KILLS);
    const { total_count: total } = await service.client.call<{ total_count: number }>(
      "GET",
      "/api/v1/executions?limit=1",
    );
    expect(total, "each idempotency key made one run, however often it was sent").toBe(all.size);
  },
  KILLS * 30_000,
);

/** Milliseconds from the first submit to the last end, with no kill. */
async function timeBatch(submitted: Submitted[], all: Map<string, Submitted>): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    submitted.map(async (run) => {
      run.runId = await submitRun(service.client, { workflow: run.workflow }, run.key);
      await waitForRun(service.client, run.runId);
    }),
  );
  const elapsedMs = performance.now() - startedAt;
  for (const run of submitted) {
    await checkOutputs(run, "no kill");
    all.set(run.key, run);
  }
  return elapsedMs;
}

/** Answers when the kill was, by the wall clock. */
async function submitAndKill(submitted: Submitted[], momentMs: number): Promise<number> {
  const { client } = service;
  await client.token();
  const sending = submitted.map(async (run) => {
    try {
      run.runId = await submitRun(client, { workflow: run.workflow }, run.key);
    } catch {
      // Cut off by the kill: sent again afterwards with the same key.
    }
  });
  await sleep(momentMs);
  const killedAtMs = Date.now();
  await service.kill();
  await Promise.all(sending);
  return killedAtMs;
}

/**
 * Every accepted run is over before anyone asks; every submit that was cut off is sent again
 * and makes one run. Answers how many of the runs the kill had hit.
 */
async function checkKill(
  submitted: readonly Submitted[],
  killedAtMs: number,
  where: string,
): Promise<number> {
  let cutShort = 0;
  const askedAtMs = Date.now();
  for (const run of submitted) {
    if (run.runId === undefined) {
      run.runId = await submitRun(service.client, { workflow: run.workflow }, run.key);
      await waitForRun(service.client, run.runId);
      cutShort += 1;
    } else {
      const execution = await service.client.call<Execution>(
        "GET",
        `/api/v1/executions/${run.runId}`,
      );
      const told = `${run.key}: ${where}`;
      expect(execution, told).toMatchObject({ status: "completed", progress: 100 });
      const completedAtMs = Date.parse(execution.completed_at!);
      expect(completedAtMs, `ended before anyone asked: ${told}`).toBeLessThan(askedAtMs);
      cutShort += completedAtMs > killedAtMs ? 1 : 0;
    }
    await checkOutputs(run, where);
  }
  return cutShort;
}

/**
 * Waits, sending nothing, until no file of the objects has changed for a while: an object
 * that works writes. An alarm that is due fires about a second after a boot.
 */
async function silence(directory: string): Promise<void> {
  const deadline = Date.now() + SILENCE_MAX_MS;
  await sleep(1500);
  while (Date.now() < deadline) {
    const last = await lastChangeMs(join(directory, "objects"));
    if (Date.now() - last > QUIET_MS) {
      return;
    }
    await sleep(100);
  }
}

async function lastChangeMs(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const times = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    );
  return Math.max(0, ...(await Promise.all(times)));
}

async function checkOutputs(run: Submitted, where: string): Promise<void> {
  const { result } = await readResult(service.client, run.runId!);
  const told = `${run.key}: ${where}`;
  if (run.kind === "chain") {
    expect(result.by_key["out"], told).toMatchObject({ state: "present", value: 10 });
    return;
  }
  if (run.kind === "rows") {
    const lines = Array.from({ length: ROWS }, (_, i) => `row ${i + 1} squared is ${(i + 1) ** 2}`);
    expect(result.by_key["text"]?.value, told).toBe(lines.join("\n"));
    expect(result.by_key["count"]?.value, told).toBe(ROWS);
    return;
  }
  const codes = result.by_key["codes"]!.items;
  expect(codes, told).toHaveLength(PICTURES);
  for (const [index, item] of codes.entries()) {
    const png = new Uint8Array(await (await fetch(item.url!)).arrayBuffer());
    expect(await readCode(png), told).toEqual([`picture ${index + 1}`]);
  }
}

function chainWorkflow() {
  const steps = Array.from({ length: 10 }, (_, i) => ({
    id: `step_${i}`,
    type: "utility/calculate",
    parameters: { expression: "x + 1" },
  }));
  return {
    name: "Crash: chain",
    definition: {
      nodes: [
        { id: "start", type: "input/number", label: "start", parameters: { default: 0 } },
        ...steps,
        { id: "out", type: "output/json", label: "out", parameters: { key: "out" } },
      ],
      connections: [
        { from: { node: "start", port: "number" }, to: { node: "step_0", port: "x" } },
        ...steps.slice(1).map(({ id }, i) => ({
          from: { node: `step_${i}`, port: "result" },
          to: { node: id, port: "x" },
        })),
        { from: { node: "step_9", port: "result" }, to: { node: "out", port: "json" } },
      ],
    },
  };
}

function rowsWorkflow() {
  return {
    name: "Crash: rows",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: ROWS } },
        { id: "square", type: "utility/calculate", parameters: { expression: "n * n" } },
        {
          id: "line",
          type: "text/template",
          parameters: {
            template: "row [n] squared is [square]",
            placeholders: [{ inputPort: "n" }, { inputPort: "square" }],
          },
        },
        { id: "joined", type: "aggregate/text", parameters: { separator: "\n" } },
        {
          id: "counted",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "square" }] } },
        },
        { id: "text", type: "output/text", parameters: { key: "text" } },
        { id: "count", type: "output/json", parameters: { key: "count" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "square", port: "n" } },
        { from: { node: "rows", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "square", port: "result" }, to: { node: "line", port: "square" } },
        { from: { node: "line", port: "text" }, to: { node: "joined", port: "text" } },
        { from: { node: "square", port: "result" }, to: { node: "counted", port: "square" } },
        { from: { node: "joined", port: "text" }, to: { node: "text", port: "text" } },
        { from: { node: "counted", port: "count" }, to: { node: "count", port: "json" } },
      ],
    },
  };
}

function picturesWorkflow() {
  return {
    name: "Crash: pictures",
    definition: {
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: PICTURES } },
        {
          id: "line",
          type: "text/template",
          parameters: { template: "picture [n]", placeholders: [{ inputPort: "n" }] },
        },
        { id: "code", type: "image/code", parameters: { symbology: "qr", size: 128 } },
        { id: "codes", type: "output/image", parameters: { key: "codes" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "line", port: "n" } },
        { from: { node: "line", port: "text" }, to: { node: "code", port: "text" } },
        { from: { node: "code", port: "image" }, to: { node: "codes", port: "image" } },
      ],
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
