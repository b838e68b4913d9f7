/** BullMQ flows on its own Redis: weaker durability than the others', which sync each commit. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { count, line } from "./engine.mjs";
import { findProgram, LIBRARIES } from "./find-program.mjs";
import { freePort } from "./free-port.mjs";
import { startProgram } from "./start-program.mjs";

/** What Redis keeps: a log that is synced each second, or, by default, a snapshot of all it has, a minute late at best. */
const PERSISTENCE = {
  log: ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
  snapshots: [],
};
/** Jobs that a worker has under way: the fastest of 10 to 1,000 here. */
const CONCURRENCY = 100;

/**
 * @param {string} directory
 * @param {keyof typeof PERSISTENCE} persistence
 */
export async function startBullmq(directory, persistence = "log") {
  const { FlowProducer, Queue, Worker } = await import("bullmq");
  const port = await freePort();
  mkdirSync(directory, { recursive: true });
  const stopRedis = await startProgram(
    findProgram("redis-server"),
    [
      "--bind",
      "127.0.0.1",
      "--port",
      String(port),
      "--dir",
      directory,
      ...PERSISTENCE[persistence],
    ],
    port,
    { env: { ...process.env, ...LIBRARIES } },
  );
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const waiting = new Map();
  const worker = new Worker(
    "bench",
    async (job) => {
      const { id, index } = job.data;
      if (job.name === "join") {
        const values = Object.values(await job.getChildrenValues());
        return values
          .sort((a, b) => a.index - b.index)
          .map(({ text }) => text)
          .join("\n");
      }
      count(id);
      if (job.name === "one") {
        return null;
      }
      if (job.name === "item") {
        return { index, text: line(index) };
      }
      const [before = 0] = Object.values(await job.getChildrenValues());
      return before + 1;
    },
    { connection, concurrency: CONCURRENCY },
  );
  /** Jobs of each batch that have not ended. */
  const left = new Map();
  worker.on("completed", (job, value) => {
    waiting.get(job.id)?.resolve(value);
    const { batch } = job.data;
    if (batch !== undefined) {
      left.set(batch, left.get(batch) - 1);
      if (left.get(batch) === 0) {
        waiting.get(batch)?.resolve();
      }
    }
  });
  worker.on("failed", (job, error) => waiting.get(job?.data.batch ?? job?.id)?.reject(error));
  const flows = new FlowProducer({ connection });
  const queue = new Queue("bench", { connection });
  await worker.waitUntilReady();
  return {
    async start(kind, id, n) {
      const root = randomUUID();
      const over = new Promise((resolve, reject) => waiting.set(root, { resolve, reject }));
      if (kind === "batch") {
        left.set(root, n);
        await queue.addBulk(
          Array.from({ length: n }, () => ({ name: "one", data: { id, batch: root } })),
        );
        await over;
        waiting.delete(root);
        left.delete(root);
        return n;
      }
      const flow = kind === "fan" ? fanOf(id, n) : chainOf(id, n);
      await flows.add({ ...flow, opts: { ...flow.opts, jobId: root } });
      const value = await over;
      waiting.delete(root);
      return value;
    },
    async stop() {
      await worker.close(true);
      await flows.close();
      await queue.close();
      await stopRedis();
    },
  };
}

/** Steps one after the other: each is the child of the next. */
function chainOf(id, n) {
  let flow = { name: "step", queueName: "bench", data: { id }, children: [] };
  for (let i = 1; i < n; i += 1) {
    flow = { name: "step", queueName: "bench", data: { id }, children: [flow] };
  }
  return flow;
}

function fanOf(id, n) {
  const children = Array.from({ length: n }, (_, index) => ({
    name: "item",
    queueName: "bench",
    data: { id, index },
  }));
  return { name: "join", queueName: "bench", data: { id }, children };
}
